package web

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/skillhand/skillhand/internal/activity"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/session"
)

// Export writes the dashboard as one file that needs no server: the lists, a preview of each skill,
// and the latest batches and tries. It returns the number of views.
func (s *Site) Export(ctx context.Context, file string) (int, error) {
	if err := checkExport(file); err != nil {
		return 0, err
	}
	e := &export{site: s, ctx: ctx, has: map[string]bool{}}
	asked, err := e.views()
	if err != nil {
		return 0, err
	}
	for _, a := range asked {
		if err := ctx.Err(); err != nil {
			return 0, context.Cause(ctx)
		}
		if err := e.add(a); err != nil {
			return 0, err
		}
	}
	text, err := e.document()
	if err != nil {
		return 0, err
	}
	if err := files.Write(file, text, 0o644); err != nil {
		return 0, fmt.Errorf("%s: %w", file, files.Cause(err))
	}
	return len(asked), nil
}

// generator is in every export and distinguishes exports from other files.
const generator = `<meta name="generator" content="skillhand page">`

// checkExport refuses to overwrite a file that is not an earlier export.
func checkExport(file string) error {
	text, err := os.ReadFile(file)
	switch info, statErr := os.Stat(file); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case statErr == nil && info.IsDir():
		return fmt.Errorf("%s: is a folder: name a file, such as skills.html", file)
	case err != nil:
		return fmt.Errorf("%s: %w", file, files.Cause(err))
	case len(text) > 0 && !bytes.Contains(text[:min(len(text), 1000)], []byte(generator)):
		return fmt.Errorf("%s: is not an export of skillhand page, and is left as it is: name a new file", file)
	}
	return nil
}

// An export is an export in progress.
type export struct {
	site     *Site
	ctx      context.Context
	has      map[string]bool // the views in it, by their anchors
	known    known
	sections bytes.Buffer
}

// An asking is a request for a view, as in an address.
type asking struct {
	name  string
	query url.Values
}

func (a asking) anchor() string {
	if a.name == "skill" {
		tab := a.query.Get("tab")
		return anchor(strings.TrimSuffix("skill-"+tab, "-"), a.query.Get("skill"))
	}
	return anchor(a.name, a.query.Get("skill"), a.query.Get("id"))
}

func anchor(name string, of ...string) string {
	for _, one := range of {
		if one != "" {
			return name + "-" + short(of...)[:12]
		}
	}
	return name
}

// maxExported limits the batches and the tries in an export, to the latest of each.
const maxExported = 50

func (e *export) views() ([]asking, error) {
	var all []asking
	for _, t := range tabs {
		all = append(all, asking{name: t[0]})
	}
	tries := e.visit().triedAll()
	account, err := e.visit().account(time.Now().AddDate(0, 0, -usualDays), "")
	if err != nil {
		return nil, err
	}
	skills, _ := e.visit().listAll() // the list shows the skills that cannot be listed
	for _, one := range skills {
		all = append(all, asking{"skill", url.Values{"skill": {one.Call}}})
		plain := session.PlainName(one.Call)
		for _, tab := range []struct {
			name  string
			known bool
		}{
			{"usage", slices.ContainsFunc(account.Skills, func(s activity.Skill) bool { return s.Name == one.Call && !s.Unused() })},
			{"tries", slices.ContainsFunc(tries, func(r tried) bool { return session.PlainName(r.Skill) == plain })},
			{"runs", account.Runs(one.Call) > 0},
		} {
			if tab.known {
				all = append(all, asking{"skill", url.Values{"skill": {one.Call}, "tab": {tab.name}}})
			}
		}
	}
	for _, r := range tries[:min(len(tries), maxExported)] {
		all = append(all, asking{"try", url.Values{"id": {r.id}, "skill": {r.Skill}}})
	}
	if db, err := e.visit().db(); err == nil && db != nil { // the list shows the error
		batches, err := db.List(e.ctx)
		if err != nil {
			return nil, err
		}
		for _, s := range batches[max(0, len(batches)-maxExported):] {
			all = append(all, asking{"batch", url.Values{"name": {s.Name}, "id": {strconv.FormatInt(s.ID, 10)}}})
		}
	}
	for _, a := range all {
		e.has[a.anchor()] = true
	}
	return all, nil
}

func (e *export) visit() *visit {
	return &visit{site: e.site, ctx: e.ctx, query: url.Values{}, link: e.link, watch: func(bool, ...string) {}, known: &e.known}
}

// link returns the address of a view in the document, or "" if the export does not have the view.
func (e *export) link(name string, pairs ...string) string {
	q := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] == "" {
			continue
		}
		switch key := pairs[i]; {
		case key == "skill", key == "id":
			q.Set(key, pairs[i+1])
		case key == "tab" && pairs[i+1] == "findings": // the preview shows them
		case key == "tab":
			q.Set(key, pairs[i+1])
		case key != "name":
			return "" // a part of a list, or a skill with other options
		}
	}
	if to := (asking{name, q}).anchor(); e.has[to] {
		return "#" + to
	}
	return ""
}

// add writes a view. If the view fails, add writes the error.
func (e *export) add(a asking) error {
	v := e.visit()
	if a.query != nil {
		v.query = a.query
	}
	made, err := views[a.name](v)
	if err != nil {
		made = &view{Name: "fault", Title: "Something went wrong", Data: err.Error()}
	}
	made.Anchor = a.anchor()
	text, err := v.html(made)
	if err != nil {
		return fmt.Errorf("%s: %w", a.name, err)
	}
	e.sections.Write(text)
	return nil
}

// document returns the file. Its policy names its only style and its only script by their hashes.
// Nothing else in the file can run or load, even if a skill or script contains markup.
func (e *export) document() ([]byte, error) {
	style, err := assets.ReadFile("assets/page.css")
	if err != nil {
		return nil, err
	}
	script, err := assets.ReadFile("assets/both.js")
	if err != nil {
		return nil, err
	}
	v := e.visit()
	data := struct {
		Policy   string
		Tabs     []tab
		Tree     []branch
		Style    template.CSS
		Script   template.JS
		Sections template.HTML // escaped by html/template
	}{
		Policy: fmt.Sprintf(
			"default-src 'none'; style-src '%s'; script-src '%s'; form-action 'none'; base-uri 'none'", hashed(style), hashed(script)),
		Style: template.CSS(style), Script: template.JS(script), Sections: template.HTML(e.sections.Bytes()),
	}
	for _, t := range tabs {
		data.Tabs = append(data.Tabs, tab{Title: t[1], Link: v.link(t[0])})
	}
	all, _ := v.listAll() // the list of skills shows unreadable skills
	data.Tree = v.tree(all, "")
	var b bytes.Buffer
	err = templates.ExecuteTemplate(&b, "export", data)
	return b.Bytes(), err
}

// hashed returns the hash of a text in the form that a content policy uses.
func hashed(text []byte) string {
	sum := sha256.Sum256(text)
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
