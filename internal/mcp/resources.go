package mcp

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net/url"
	"os"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/redact"
	"github.com/skillhand/skillhand/skill"
)

// A skill's files are resources: skill://NAME/SKILL.md and the files beside it.
const (
	scheme  = "skill://"
	mainDoc = skill.MainFile

	markdownType  = "text/markdown"
	directoryType = "inode/directory"
)

// The extension's limits for a skill. Hosts need not accept more.
const (
	maxFiles = 512
	maxBytes = 16 << 20
)

func skillURI(name, file string) string {
	u := url.URL{Scheme: "skill", Host: name, Path: "/" + file}
	return u.String()
}

// resources lists the SKILL.md of each skill. skills/list names the files beside it.
func (sv *serving) resources() []*sdk.Resource {
	all := []*sdk.Resource{}
	for _, e := range sv.offered((*entry).forModels) {
		if !e.listed.Command {
			all = append(all, &sdk.Resource{URI: skillURI(e.listed.Call, mainDoc), Name: e.listed.Call,
				Description: e.listed.Description, MIMEType: markdownType})
		}
	}
	return all
}

func templates() []*sdk.ResourceTemplate {
	return []*sdk.ResourceTemplate{{URITemplate: scheme + "{name}/{+file}", Name: "skill-file",
		Description: "A file of a skill: SKILL.md, or one that it names"}}
}

// A folder is the folder of a skill that is offered. It gives no access to files outside, not even
// through links.
type folder struct {
	entry  entry
	root   *os.Root
	source *skill.Skill
	static bool // SKILL.md is the page, byte for byte
	hide   *redact.Redactor
}

// folder opens the folder of the skill that a URI names. It also returns the file in it that the
// URI names.
func (sv *serving) folder(uri string) (*folder, string, error) {
	rest, ok := strings.CutPrefix(uri, scheme)
	name, file, _ := strings.Cut(rest, "/")
	if file, err := url.PathUnescape(file); !ok || err != nil || file != "" && !fs.ValidPath(file) || hidden(file) {
		return nil, "", fmt.Errorf("%s: not a file of a skill: want %sNAME/FILE", uri, scheme)
	}
	file, _ = url.PathUnescape(file)
	e, err := sv.find(name, (*entry).forModels)
	if err != nil {
		return nil, "", err
	}
	f, err := sv.openFolder(e)
	return f, cmp.Or(file, "."), err
}

// hidden reports whether a file, such as .git or .env, is hidden and so not part of a skill.
func hidden(file string) bool {
	return slices.ContainsFunc(strings.Split(file, "/"), func(part string) bool { return strings.HasPrefix(part, ".") && part != "." })
}

func (sv *serving) openFolder(e entry) (*folder, error) {
	if e.listed.Command {
		return nil, fmt.Errorf("%s: a command, which has no folder", e.listed.Call)
	}
	source, err := skill.Read(e.listed.Location)
	if err != nil {
		return nil, err
	}
	// The text may be in a companion folder, but the files are not.
	dir := e.listed.Main().Folder
	if _, err := os.Stat(dir); err != nil {
		dir = e.listed.Folder
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &folder{entry: e, root: root, source: source, static: isStatic(&e, source), hide: sv.hide}, nil
}

// read returns a file's bytes, without the secrets of the environment.
func (f *folder) read(name string) ([]byte, error) {
	info, err := f.root.Stat(name)
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("is not a file")
	}
	if err == nil && info.Size() > maxBytes {
		err = fmt.Errorf("longer than %d MB", maxBytes>>20)
	}
	if err != nil {
		return nil, fmt.Errorf("%s of %s: %w", name, f.entry.listed.Call, files.Cause(err))
	}
	file, err := f.root.Open(name)
	if err != nil {
		return nil, fmt.Errorf("%s of %s: %w", name, f.entry.listed.Call, files.Cause(err))
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxBytes))
	if err == nil && utf8.Valid(text) {
		text = []byte(f.hide.Text(string(text)))
	}
	return text, err
}

// document returns SKILL.md as clients get it. A static file stays unchanged; any other becomes its
// frontmatter and the page, made now.
func (sv *serving) document(ctx context.Context, f *folder) ([]byte, error) {
	if f.static {
		return f.read(mainDoc)
	}
	page, err := sv.page(ctx, f.entry, "", false)
	if err != nil {
		return nil, err
	}
	return append(f.header(), page.Text...), nil
}

// header returns the frontmatter with its --- lines. A companion skill has the frontmatter of the
// skill that it belongs to.
func (f *folder) header() []byte {
	source := f.source
	if text, err := f.read(mainDoc); err == nil {
		source = skill.Parse(mainDoc, text)
	}
	for _, p := range source.Parts {
		if p.Kind == skill.Header {
			return []byte(p.Source)
		}
	}
	return nil
}

// readResource answers with a file of a skill.
func (sv *serving) readResource(ctx context.Context, p *sdk.ReadResourceParams) (*sdk.ReadResourceResult, error) {
	f, name, err := sv.folder(p.URI)
	if err != nil {
		return nil, invalid("%v", err)
	}
	defer f.root.Close()
	var text []byte
	if name == mainDoc {
		text, err = sv.document(ctx, f)
	} else {
		text, err = f.read(name)
	}
	if err != nil {
		return nil, invalid("%v", err)
	}
	c := &sdk.ResourceContents{URI: p.URI, MIMEType: mediaType(name, text)}
	if utf8.Valid(text) {
		c.Text = string(text)
	} else {
		c.Blob = text
	}
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{c}, Cacheable: cacheable}, nil
}

func mediaType(name string, text []byte) string {
	if path.Ext(name) == ".md" {
		return markdownType
	}
	if t := mime.TypeByExtension(path.Ext(name)); t != "" {
		t, _, _ = strings.Cut(t, ";")
		return t
	}
	if utf8.Valid(text) {
		return "text/plain"
	}
	return "application/octet-stream"
}

// files lists the skill's files with their digests.
func (f *folder) files() ([]fileEntry, error) {
	var all []fileEntry
	total := 0
	err := fs.WalkDir(f.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if hidden(name) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		// A link may lead to a file in the folder. A file outside is not part of the skill.
		info, err := f.root.Stat(name)
		if err != nil || !info.Mode().IsRegular() {
			return nil
		}
		text, err := f.read(name)
		if err != nil {
			return err
		}
		if total += len(text); total > maxBytes || len(all) == maxFiles {
			return fmt.Errorf("more than %d files or %d MB, the limit for hosts", maxFiles, maxBytes>>20)
		}
		sum := sha256.Sum256(text)
		all = append(all, fileEntry{URI: skillURI(f.entry.listed.Call, name),
			Digest: "sha256:" + hex.EncodeToString(sum[:]), Size: len(text)})
		return nil
	})
	return all, err
}

// children lists the entries of one of the skill's folders.
func (f *folder) children(dir string) ([]*sdk.Resource, error) {
	entries, err := fs.ReadDir(f.root.FS(), dir)
	if err != nil {
		return nil, fmt.Errorf("%s of %s: %w", dir, f.entry.listed.Call, files.Cause(err))
	}
	all := []*sdk.Resource{}
	for _, d := range entries {
		name := path.Join(dir, d.Name())
		info, err := f.root.Stat(name)
		if err != nil || hidden(name) {
			continue
		}
		r := &sdk.Resource{URI: skillURI(f.entry.listed.Call, name), Name: d.Name()}
		switch {
		case d.IsDir():
			r.MIMEType = directoryType
		case info.Mode().IsRegular():
			r.MIMEType = mediaType(name, nil)
		default:
			continue
		}
		all = append(all, r)
	}
	return all, nil
}
