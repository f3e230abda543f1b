package page

import (
	"context"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	"github.com/skillhand/skillhand/internal/atomicfile"
)

// Export writes the site into a folder, as files that need no server: the lists,
// and a preview of each skill. It returns how many pages there are.
func (s *Site) Export(ctx context.Context, dir string) (int, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return 0, err
	}
	for _, name := range []string{"page.css", "icon.svg"} {
		data, err := fs.ReadFile(files, "assets/"+name)
		if err == nil {
			err = atomicfile.Write(filepath.Join(dir, name), data, 0o644)
		}
		if err != nil {
			return 0, err
		}
	}
	e := &export{Site: s, ctx: ctx, dir: dir}
	for _, t := range tabs {
		if err := e.write(t[0], nil); err != nil {
			return e.count, err
		}
	}
	all, _ := s.Runtime.List() // what cannot be listed is said in the list
	for _, one := range all {
		if err := ctx.Err(); err != nil {
			return e.count, context.Cause(ctx)
		}
		if err := e.write("preview", url.Values{"skill": {skillRow{Listed: one}.call()}}); err != nil {
			return e.count, err
		}
	}
	first, err := os.ReadFile(filepath.Join(dir, "skills.html"))
	if err == nil {
		err = atomicfile.Write(filepath.Join(dir, "index.html"), first, 0o644)
	}
	return e.count, err
}

// An export is one at work.
type export struct {
	*Site
	ctx   context.Context
	dir   string
	count int
}

// write makes the file of a view. A skill that cannot be read has a page that says so.
func (e *export) write(name string, query url.Values) error {
	v := &visit{Site: e.Site, ctx: e.ctx, query: query, link: fileOf, watch: func(bool, ...string) {}}
	made, err := views[name](v)
	if err != nil {
		made = &view{Name: "fault", Title: "This did not work", Data: err.Error()}
	}
	text, err := v.html(made)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	e.count++
	return atomicfile.Write(filepath.Join(e.dir, fileOf(name, "skill", query.Get("skill"))), text, 0o644)
}

// fileOf is the file of a view. What has none of its own is in its list.
func fileOf(name string, pairs ...string) string {
	switch name {
	case "preview":
		for i := 0; i+1 < len(pairs); i += 2 {
			if pairs[i] == "skill" {
				return "skill-" + short(pairs[i+1]) + ".html"
			}
		}
	case "run":
		return "runs.html"
	case "session":
		return "sessions.html"
	case "try":
		return "tries.html"
	case "batch":
		return "batches.html"
	}
	return name + ".html"
}
