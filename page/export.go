package page

import (
	"bytes"
	"context"
	"errors"
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
		if fault, ok := errors.AsType[*fs.PathError](err); ok {
			err = fmt.Errorf("%s: %w", fault.Path, fault.Err)
		}
		return 0, err
	}
	if err := checkExport(dir); err != nil {
		return 0, err
	}
	e := &export{site: s, ctx: ctx, dir: dir}
	if err := e.index(); err != nil { // first: by it the folder is known as ours
		return e.count, err
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
	for _, t := range tabs[1:] {
		if err := e.write(t[0], nil); err != nil {
			return e.count, err
		}
	}
	all, _ := s.Runtime.List() // what cannot be listed is said in the list
	for _, one := range all {
		if err := ctx.Err(); err != nil {
			return e.count, context.Cause(ctx)
		}
		if err := e.write("preview", url.Values{"skill": {skillRow{Listed: one}.Call}}); err != nil {
			return e.count, err
		}
	}
	return e.count, nil
}

// generator is in the pages of an export, and tells them from files of others.
const generator = `<meta name="generator" content="skillhand page">`

// checkExport refuses a folder with files that are not an earlier export.
func checkExport(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) == 0 {
		return err
	}
	for _, name := range []string{"index.html", "skills.html"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err == nil && bytes.Contains(text, []byte(generator)) {
			return nil
		}
	}
	return fmt.Errorf("%s: has files that are not an export of skillhand page, which might be overwritten: name a new folder, or an empty one", dir)
}

// An export is one at work.
type export struct {
	site  *Site
	ctx   context.Context
	dir   string
	count int
}

// index writes the list of skills, which is also where to begin.
func (e *export) index() error {
	if err := e.write(tabs[0][0], nil); err != nil {
		return err
	}
	first, err := os.ReadFile(filepath.Join(e.dir, fileOf(tabs[0][0])))
	if err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(e.dir, "index.html"), first, 0o644)
}

// write makes the file of a view. A skill that cannot be read has a page that says so.
func (e *export) write(name string, query url.Values) error {
	v := &visit{site: e.site, ctx: e.ctx, query: query, link: fileOf, watch: func(bool, ...string) {}}
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

// fileOf is the file of a view, "" for one that an export does not have: of the
// views that are about one thing, or are a part of a list, it has previews alone.
func fileOf(name string, pairs ...string) string {
	file := name + ".html"
	for i := 0; i+1 < len(pairs); i += 2 {
		switch {
		case pairs[i+1] == "":
		case name == "preview" && pairs[i] == "skill":
			return "skill-" + short(pairs[i+1]) + ".html"
		default:
			file = ""
		}
	}
	return file
}
