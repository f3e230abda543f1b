package setup

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/skillhand/skillhand/internal/activity"
	"github.com/skillhand/skillhand/internal/claudecode"
	"github.com/skillhand/skillhand/internal/claudecode/settings"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/find"
	"github.com/skillhand/skillhand/internal/here"
)

// An Item is a thing that skillhand put somewhere, or that somebody put there for skillhand.
type Item struct {
	Kind   string     `json:"kind"` // mcp, statusline, hooks, plugin or state
	File   string     `json:"file"` // the file or folder that holds it
	Text   string     `json:"text"` // what it is
	Status ItemStatus `json:"status"`
	Why    string     `json:"why"` // why it was not removed, and what to do, or ""

	remove func() error // nil if it is not removed
}

// An ItemStatus says what happened to an item.
type ItemStatus string

// The statuses of items.
const (
	ItemFound   ItemStatus = "found"   // it would be removed
	ItemRemoved ItemStatus = "removed" // it is gone
	ItemLeft    ItemStatus = "left"    // skillhand did not write it, or could not remove it
)

// FindItems lists the items in the project around a folder and in the user's home. It changes
// nothing.
func FindItems(h here.Here) []Item {
	all := append(append([]Item{}, agentItems(h)...), claudeCode(h)...)
	return append(all, stateItems(h.State)...)
}

// RemoveItems removes the items that skillhand wrote, and sets their statuses. It reports whether
// it failed to remove one.
func RemoveItems(items []Item) (failed bool) {
	for i := range items {
		it := &items[i]
		if it.remove == nil {
			continue
		}
		if err := it.remove(); err != nil {
			it.Status, it.Why, failed = ItemLeft, err.Error(), true
			continue
		}
		it.Status = ItemRemoved
	}
	return failed
}

// agentItems finds the entries that mcp --install wrote.
func agentItems(h here.Here) []Item {
	var all []Item
	owner := MCPOwner{Home: h.Home, Project: files.Around(h.Dir), Getenv: h.Env.Get}
	for _, f := range FindMCP(owner) {
		it := Item{Kind: "mcp", File: f.File, Text: "the entry by which " + f.Host + " starts skillhand mcp", Status: ItemFound}
		switch {
		case f.Err != nil:
			it.Status, it.Text, it.Why = ItemLeft, "perhaps an entry by which "+f.Host+" starts skillhand mcp", f.Err.Error()
		case !f.Ours:
			it.Status, it.Why = ItemLeft, "the entry is not as skillhand wrote it: skillhand mcp --uninstall "+f.Host+" removes it"
		default:
			it.remove = func() error {
				change, err := PlanMCPRemoval(f.Host, owner, f.Project)
				if err != nil {
					return err
				}
				return change.Write()
			}
		}
		all = append(all, it)
	}
	return all
}

// claudeCode finds skillhand's entries in the settings of Claude Code.
func claudeCode(h here.Here) []Item {
	var all []Item
	where := h.Settings()
	for _, p := range where.Paths() {
		src, err := os.ReadFile(p.Name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var f *settings.File
		if err == nil {
			f, err = settings.Parse(p.Name, src)
		}
		if err != nil {
			all = append(all, Item{Kind: "statusline", File: p.Name, Text: "settings that may have the status line",
				Status: ItemLeft, Why: err.Error()})
			continue
		}
		if line := statusLine(p, f); line != nil {
			all = append(all, *line)
		}
		if slices.ContainsFunc(f.Hooks, func(hook settings.Hook) bool { return hook.Calls("skillhand", "hook") }) {
			all = append(all, Item{
				Kind:   "hooks",
				File:   p.Name,
				Text:   "hooks that run skillhand hook",
				Status: ItemLeft,
				Why:    "skillhand did not write them: remove them from the file",
			})
		}
	}
	installed, _ := find.Installed(where.ConfigDir()) // an unreadable file names no plugin
	for _, p := range installed {
		if name, _, _ := strings.Cut(p.ID, "@"); name == "skillhand" {
			all = append(all, Item{
				Kind:   "plugin",
				File:   p.Root,
				Text:   "the plugin " + p.ID,
				Status: ItemLeft,
				Why:    "Claude Code installed it: claude plugin uninstall " + p.ID,
			})
		}
	}
	return all
}

// statusLine finds the status line of a settings file, if it is skillhand's.
func statusLine(p settings.Path, f *settings.File) *Item {
	ours, asInstalled := activity.IsLine(f.Value(claudecode.KeyStatusLine))
	it := &Item{Kind: "statusline", File: p.Name, Text: "the status line", Status: ItemFound}
	switch {
	case !ours:
		return nil
	case !asInstalled:
		it.Status, it.Why = ItemLeft, "it is not as skillhand wrote it: remove statusLine from the file"
	case p.Source == settings.Managed:
		it.Status, it.Why = ItemLeft, "the file is the administrator's"
	default:
		it.remove = func() error { return settings.RemoveFile(p.Name, claudecode.KeyStatusLine) }
	}
	return it
}

// stateItems finds the content of the state folder. A variable may name any folder, so only files
// that skillhand noted as its own are removed, and links are not followed.
func stateItems(dir string) []Item {
	info, err := os.Lstat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	left := func(text, why string) Item {
		return Item{Kind: "state", File: dir, Text: text, Status: ItemLeft, Why: why}
	}
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return []Item{left("the state folder", "it is a link: remove what it leads to yourself")}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return []Item{left("the state folder", err.Error())}
	}
	noted := files.StateNames(dir)
	var own, others []string
	for _, e := range entries {
		name := e.Name()
		isOwn := func(own string) bool {
			return name == own || own == database && strings.Contains(databaseFiles, " "+name+" ")
		}
		switch {
		case name == files.StateMark:
		case slices.ContainsFunc(noted, isOwn) && e.Type()&fs.ModeSymlink == 0:
			own = append(own, name)
		default:
			others = append(others, name)
		}
	}
	var all []Item
	if len(own) > 0 || len(others) == 0 && len(noted) > 0 {
		text := strings.TrimSuffix("the state folder: "+strings.Join(own, ", "), ": ")
		all = append(all, Item{Kind: "state", File: dir, Text: text, Status: ItemFound,
			remove: func() error { return removeState(dir, own, len(others) == 0) }})
	}
	if len(others) > 0 {
		all = append(all, left("in the state folder: "+strings.Join(others, ", "), "skillhand did not write it"))
	}
	return all
}

// The database of batches, and the files that SQLite and skillhand put beside it.
const (
	database      = "batch.db"
	databaseFiles = " batch.db-journal batch.db-shm batch.db-wal batch.db.lock batch.db.workers "
)

// removeState removes skillhand's files from its folder, the note about them last. It removes the
// folder if nothing else is in it.
func removeState(dir string, own []string, whole bool) error {
	for _, name := range append(own, files.StateMark) {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	if whole {
		return os.Remove(dir)
	}
	return nil
}
