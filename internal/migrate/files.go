package migrate

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/find"
	"github.com/skillhand/skillhand/skill"
)

// maxScript is the size of the largest file that migrate looks at.
const maxScript = 1 << 20

// A root is a folder whose files may depend on each other, with the files in it that should be
// migrated.
type root struct {
	dir      string   // the folder
	base     string   // the folder above, to which paths are relative: a skill is called as its folder is
	wanted   []string // the files and folders to migrate
	explicit []string // the files among them
}

// wants reports whether a file should be migrated. The texts of a skill go together, because
// content moves from one to another.
func (r *root) wants(rel string) bool {
	file := filepath.Join(r.base, filepath.FromSlash(rel))
	return slices.ContainsFunc(r.wanted, func(w string) bool {
		return files.Inside(w, file) || files.Inside(w, skillText(file)) ||
			slices.Contains(r.explicit, w) && isSkillText(w) && isSkillText(file) && skillText(w) == skillText(file)
	})
}

// ofSkills reports whether a script is wanted only because its whole tree is. A tree also has
// scripts for tests and builds.
func (r *root) ofSkills(rel string) bool {
	file := filepath.Join(r.base, filepath.FromSlash(rel))
	return !slices.ContainsFunc(r.wanted, func(w string) bool { return w != r.dir && files.Inside(w, file) })
}

// top returns the folder that was named, or the folder that contains everything that was named.
func (r *root) top() string {
	var all []string
	for _, w := range r.wanted {
		if !slices.Contains(r.explicit, w) {
			w = filepath.Join(w, ReportFile)
		}
		rel, err := filepath.Rel(r.base, w)
		if err != nil {
			return ""
		}
		all = append(all, filepath.ToSlash(rel))
	}
	return CommonFolder(all)
}

// unit returns the folder around a folder that is installed or copied as a whole: the plugin, else
// the skill. A skill in an agent's own folder, such as .claude/skills, is used where it is.
func (r *root) unit(rel string) string {
	dir := filepath.Join(r.base, filepath.FromSlash(rel))
	unit := find.PluginAround(dir)
	if unit == "" {
		unit = r.copiedSkill(dir)
	}
	rel, err := filepath.Rel(r.base, unit)
	if unit == "" || err != nil {
		return ""
	}
	return filepath.ToSlash(rel)
}

// copiedSkill returns the folder of the skill that a folder belongs to, or "" if the skill is
// already in an agent's folder.
func (r *root) copiedSkill(dir string) string {
	found := ""
	for up := dir; files.Inside(r.dir, up); up = filepath.Dir(up) {
		if found == "" && files.IsFile(filepath.Join(up, skill.MainFile)) {
			found = up
		}
		if filepath.Base(up) == "skills" && strings.HasPrefix(filepath.Base(filepath.Dir(up)), ".") {
			return ""
		}
	}
	return found
}

// skillText returns the folder of the skill that a text belongs to, or the file itself.
func skillText(file string) string {
	if !isSkillText(file) {
		return file
	}
	return skill.Plain(filepath.Dir(file))
}

func isSkillText(file string) bool {
	switch filepath.Base(file) {
	case skill.MainFile, "first-use.md", "content.md", "bindings.json", "handler.sh":
		return true
	}
	return false
}

// roots returns the trees that contain the paths: a repository, else the folder itself. Only the
// tree shows how other files use a script.
func (m *migration) roots(paths []string) []*root {
	var roots []*root
	for _, p := range paths {
		abs, err := filepath.Abs(p)
		if err != nil {
			m.fail(p, err)
			continue
		}
		real, err := filepath.EvalSymlinks(abs)
		if errors.Is(err, fs.ErrNotExist) {
			err, m.missing = errors.New("no such file or folder"), true
		}
		if err != nil {
			m.fail(abs, err)
			continue
		}
		info, err := os.Stat(real)
		if err != nil {
			m.fail(abs, err)
			continue
		}
		dir := real
		if !info.IsDir() {
			dir = filepath.Dir(real)
		}
		dir = treeOf(dir)
		i := slices.IndexFunc(roots, func(r *root) bool { return r.dir == dir })
		if i < 0 {
			roots = append(roots, &root{dir: dir, base: filepath.Dir(dir)})
			i = len(roots) - 1
		}
		roots[i].wanted = append(roots[i].wanted, real)
		if !info.IsDir() {
			roots[i].explicit = append(roots[i].explicit, real)
		}
	}
	return roots
}

// treeOf returns the folder that contains everything that may read a script in dir. It is the
// repository, else the plugin or the agent's own folder around dir.
func treeOf(dir string) string {
	if top := files.Top(dir); top != "" {
		return top
	}
	if plugin := find.PluginOf(dir); plugin != "" {
		return plugin
	}
	for up := dir; up != filepath.Dir(up); up = filepath.Dir(up) {
		if base := filepath.Base(up); base == ".claude" || base == ".agents" {
			return up
		} else if _, err := os.Stat(filepath.Join(filepath.Dir(up), "hooks", "bin")); err == nil && base == "skills" {
			return filepath.Dir(up) // a plugin without a manifest, with its launchers
		}
		if _, err := os.Lstat(filepath.Join(up, ReportFile)); err == nil {
			return up // scripts around it are migrated already
		}
	}
	return dir
}

// read reads the files of a tree that matter: scripts, skills, and all files that name a script. It
// does not follow links. It reads a link's target where the target is, if that is in the tree.
func (m *migration) read(root *root) []File {
	var files []File
	var others []string // files that may name a script
	_ = filepath.WalkDir(root.dir, func(file string, d fs.DirEntry, err error) error {
		rel, relErr := filepath.Rel(root.base, file)
		if relErr != nil {
			return relErr
		}
		rel = filepath.ToSlash(rel)
		if err == nil && d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules") {
			return fs.SkipDir
		}
		if err == nil && !d.Type().IsRegular() {
			return nil
		}
		var data []byte
		if err == nil {
			data, err = readMatter(file, rel)
		}
		switch {
		case err != nil && root.wants(rel):
			m.fail(file, err)
		case err == nil && data != nil:
			files = append(files, File{Path: rel, Data: data})
		case err == nil && !strings.Contains(d.Name(), ".bak-"):
			others = append(others, file)
		}
		return nil
	})
	return append(files, m.witnesses(root, files, others)...)
}

// witnesses returns the files that may name a script of the tree, and the user's settings.
func (m *migration) witnesses(root *root, files []File, others []string) (witnesses []File) {
	var names []string
	for _, f := range files {
		if ext := path.Ext(f.Path); ext != ".md" && ext != ".json" {
			names = append(names, path.Base(f.Path))
		}
	}
	for _, v := range m.migration.Env {
		if dir, ok := strings.CutPrefix(v, "HOME="); ok && dir != "" {
			others = append(others, filepath.Join(dir, ".claude", "settings.json"), filepath.Join(dir, ".claude", "settings.local.json"))
		}
		if dir, ok := strings.CutPrefix(v, "CLAUDE_CONFIG_DIR="); ok && dir != "" {
			others = append(others, filepath.Join(dir, "settings.json"), filepath.Join(dir, "settings.local.json"))
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	for _, file := range slices.Compact(others) {
		info, err := os.Stat(file)
		if err != nil || info.Size() > maxScript {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil || bytes.IndexByte(data[:min(len(data), 8000)], 0) >= 0 {
			continue
		}
		if MayName(data) || slices.ContainsFunc(names, func(name string) bool { return bytes.Contains(data, []byte(name)) }) {
			rel, err := filepath.Rel(root.base, file)
			if err != nil || strings.HasPrefix(rel, "..") {
				rel = file
			}
			witnesses = append(witnesses, File{Path: filepath.ToSlash(rel), Data: data})
		}
	}
	return witnesses
}

// readMatter reads a file if migrate looks at it whatever its content; otherwise it returns nil.
func readMatter(file, rel string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		if !Interesting(rel, nil) {
			return nil, nil
		}
		return nil, err
	}
	defer f.Close()
	start := make([]byte, 128)
	n, err := f.Read(start)
	if n == 0 || !Interesting(rel, start[:n]) {
		if n == 0 && Interesting(rel, nil) {
			return []byte{}, nil
		}
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(file)
	if err == nil && len(data) > maxScript {
		if ext := filepath.Ext(rel); ext == ".md" || ext == ".json" {
			return nil, nil
		}
		return nil, fmt.Errorf("longer than %d MB", maxScript>>20)
	}
	return data, err
}

// copyTree copies the regular files of a folder, so that a script can run among them.
func copyTree(from, to string) error {
	const most = 64 << 20
	size := int64(0)
	return filepath.WalkDir(from, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, file)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		switch {
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules" || file == to):
			return fs.SkipDir
		case d.IsDir():
			return os.MkdirAll(target, 0o777)
		case d.Type()&fs.ModeSymlink != 0:
			link, err := os.Readlink(file)
			if err != nil || filepath.IsAbs(link) || strings.Contains(link, "..") {
				return err // a link that leads out would let the script change files there
			}
			return os.Symlink(link, target)
		case !d.Type().IsRegular():
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if size += info.Size(); size > most {
			return fmt.Errorf("%s: more than %d MB to copy", from, most>>20)
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		return os.WriteFile(target, data, info.Mode().Perm())
	})
}
