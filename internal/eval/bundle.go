package eval

import (
	"archive/tar"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"

	"github.com/skillhand/skillhand/claude"
	"github.com/skillhand/skillhand/internal/agents"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/find"
	"github.com/skillhand/skillhand/internal/here"
	"github.com/skillhand/skillhand/internal/redact"
)

// A Bundle holds everything that trials need: the skills, the folders of their cases, the user's
// other skills and the options. Every trial is made from a Bundle: the user's own, or the same one
// packed as a file on another machine. That machine's own skills do not matter.
type Bundle struct {
	o        Options
	subjects []*Subject
	mine     []neighbour
	user     here.Here
	hide     *redact.Redactor
	other    *agents.Agent // the agent to ask; nil means Claude Code
	away     bool          // another machine packed it
}

// NewBundle makes a Bundle of some skills, as the user has them.
func NewBundle(o Options, subjects []*Subject) (*Bundle, error) {
	b := &Bundle{o: o, subjects: subjects}
	err := b.complete()
	if err == nil && o.WithMine {
		b.mine, err = neighbours(b.user)
	}
	return b, err
}

// complete fills in the user's folders and the agent to ask.
func (b *Bundle) complete() (err error) {
	if b.user, err = b.o.Runtime.Complete(); err != nil {
		return err
	}
	b.hide = redact.New(b.user.Env)
	b.other, err = agents.Find(b.o.Agent)
	return err
}

// A packedBundle is the file bundle.json in a packed bundle. Paths in it start at the bundle's root.
type packedBundle struct {
	Options     Options       `json:"options"`
	Timeout     time.Duration `json:"timeout_ns,omitempty"`
	IdleTimeout time.Duration `json:"idle_timeout_ns,omitempty"`
	Subjects    []*Subject    `json:"subjects"`
	Mine        []neighbour   `json:"mine,omitempty"`
}

const (
	bundleFile  = "bundle.json"
	maxUnpacked = 1 << 30
)

// Pack packs the Bundle. The same skills, cases and options give the same bytes.
func (b *Bundle) Pack() ([]byte, error) {
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	err := errors.Join(b.write(zip), zip.Close())
	return out.Bytes(), err
}

// write writes the Bundle as an archive that depends only on its content.
func (b *Bundle) write(w io.Writer) (err error) {
	p := &packer{out: tar.NewWriter(w), at: map[string]string{}, evals: map[string][]string{}}
	for _, s := range b.subjects {
		if s.Plugin != "" {
			own, err := s.inPlugin()
			if err != nil {
				return err
			}
			p.evals[s.Plugin] = append(p.evals[s.Plugin], path.Join(own, "evals"))
		}
	}
	list := packedBundle{Options: b.o, Timeout: b.o.Runtime.Claude.Timeout, IdleTimeout: b.o.Runtime.Claude.IdleTimeout}
	for _, s := range b.subjects {
		packed, err := p.subject(s)
		if err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
		packed.Trusted = b.o.trusts(b.user, s)
		list.Subjects = append(list.Subjects, packed)
	}
	for _, n := range b.mine {
		if n.Folder, err = p.add(n.Folder, ".git"); err != nil {
			return err
		}
		list.Mine = append(list.Mine, n)
	}
	text, err := json.MarshalIndent(list, "", " ")
	if err == nil {
		err = p.write(&tar.Header{Name: bundleFile, Typeflag: tar.TypeReg, Mode: 0o600, Size: int64(len(text))}, bytes.NewReader(text))
	}
	return errors.Join(err, p.out.Close())
}

// A packer adds files and folders to an archive, each only once.
type packer struct {
	out *tar.Writer
	at  map[string]string // the path in the archive, by the original path

	evals map[string][]string // by plugin, the evals folders, which trials do not get
}

// add adds a file or folder except what skip names, and returns its path in the archive.
func (p *packer) add(from string, skip ...string) (string, error) {
	return p.addAs(filepath.Base(from), from, skip...)
}

// addAs does the same as add, under another name.
func (p *packer) addAs(name, from string, skip ...string) (string, error) {
	key := fmt.Sprintf("%q %q", from, skip)
	if at, ok := p.at[key]; ok {
		return at, nil
	}
	parent := fmt.Sprint(len(p.at))
	at := parent + "/" + name
	to := parent // a file goes into the folder, but a folder becomes the folder
	if files.IsFolder(from) {
		to = at
	}
	p.at[key] = at
	err := p.write(&tar.Header{Name: parent, Typeflag: tar.TypeDir}, nil)
	if err != nil {
		return "", err
	}
	return at, walkTree(from, but(skip...), func(e entry) error {
		h := &tar.Header{Name: path.Join(to, e.rel), Typeflag: tar.TypeReg, Mode: int64(e.mode.Perm() | 0o600)}
		switch {
		case e.mode.IsDir():
			h.Typeflag = tar.TypeDir
			return p.write(h, nil)
		case e.link != "":
			h.Typeflag, h.Linkname = tar.TypeSymlink, e.link
			return p.write(h, nil)
		}
		f, err := os.Open(e.path)
		if err != nil {
			return err
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			return err
		}
		h.Size = info.Size()
		return p.write(h, f)
	})
}

func (p *packer) write(h *tar.Header, content io.Reader) error {
	h.Format = tar.FormatPAX
	err := p.out.WriteHeader(h)
	if err == nil && content != nil {
		_, err = io.Copy(p.out, content)
	}
	return err
}

// subject returns a copy of a skill with its paths in the archive.
func (p *packer) subject(s *Subject) (_ *Subject, err error) {
	k := *s
	if s.Plugin == "" {
		if k.Folder, err = p.add(s.Folder, "evals", ".git"); err == nil && s.Companion != "" {
			k.Companion, err = p.add(s.Companion, ".git")
		}
	} else if k.Plugin, err = p.addAs(find.PluginName(s.Plugin), s.Plugin, append(p.evals[s.Plugin], ".git")...); err == nil {
		var own string
		own, err = s.inPlugin()
		k.Folder, k.Companion = k.Plugin+"/"+own, ""
	}
	if err == nil && s.Was != nil {
		k.Was, err = p.subject(s.Was)
	}
	if err != nil {
		return nil, err
	}
	k.Cases = nil
	for _, c := range s.Cases {
		c = c.clone()
		for _, path := range c.paths() {
			if *path, err = p.add(*path); err != nil {
				return nil, err
			}
		}
		c.File, c.Line = "", 0 // the place where a case was written is not part of the case
		k.Cases = append(k.Cases, c)
	}
	return &k, nil
}

// Unpack unpacks a Bundle into a folder, for trials with the given environment. No path in it leads
// out of that folder.
func Unpack(packed []byte, dir string, env here.Env) (*Bundle, error) {
	zip, err := gzip.NewReader(bytes.NewReader(packed))
	if err == nil {
		err = readTar(io.LimitReader(zip, maxUnpacked), dir)
	}
	if err != nil {
		return nil, fmt.Errorf("a bundle of trials: %w", err)
	}
	list, err := readJSON[packedBundle](filepath.Join(dir, bundleFile))
	if err != nil {
		return nil, err
	}
	b := &Bundle{o: list.Options, subjects: list.Subjects, mine: list.Mine, away: true}
	for _, s := range b.subjects {
		s.below(dir)
	}
	for i, n := range b.mine {
		b.mine[i].Folder = filepath.Join(dir, filepath.FromSlash("/"+n.Folder))
	}
	b.o.Runtime.Here = here.Here{Dir: dir, Env: env}
	b.o.Runtime.Claude = claude.Client{Timeout: list.Timeout, IdleTimeout: list.IdleTimeout}
	b.o.Results = &Results{Dir: filepath.Join(dir, "results")}
	return b, b.complete()
}

// below prepends the Bundle's folder to the paths of a skill.
func (s *Subject) below(dir string) {
	all := []*string{&s.Folder, &s.Plugin, &s.Companion}
	for i := range s.Cases {
		all = append(all, s.Cases[i].paths()...)
	}
	for _, path := range all {
		if *path != "" {
			*path = filepath.Join(dir, filepath.FromSlash("/"+*path))
		}
	}
	if s.Was != nil {
		s.Was.below(dir)
	}
}

func readTar(r io.Reader, dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for in := tar.NewReader(r); ; {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		name := filepath.FromSlash(h.Name)
		switch h.Typeflag {
		case tar.TypeDir:
			err = root.MkdirAll(name, 0o777)
		case tar.TypeSymlink:
			if filepath.IsAbs(h.Linkname) || !filepath.IsLocal(filepath.Join(filepath.Dir(name), h.Linkname)) {
				return fmt.Errorf("%s: a link to outside the folder", h.Name)
			}
			err = root.Symlink(h.Linkname, name)
		case tar.TypeReg:
			err = readTarFile(root, name, h, in)
		default:
			return fmt.Errorf("%s: is not a file or a folder", h.Name)
		}
		if err != nil {
			return err
		}
	}
}

func readTarFile(root *os.Root, name string, h *tar.Header, in io.Reader) (err error) {
	f, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, fs.FileMode(h.Mode).Perm())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	_, err = io.Copy(f, in)
	return err
}

// A Made is a finished trial. If another machine made it, it contains the transcript.
type Made struct {
	Trial
	Log []byte `json:"log,omitempty"` // compressed; nil if there is none or it is too long
}

// maxLog limits the compressed length of a transcript that travels with its trial.
const maxLog = 16 << 20

// Try makes one attempt at a trial. Of want it uses only Skill, Case, Arm and Run. The error is a
// *claude.Error if Claude gave no verdict: see Passes and Hopeless. The transcript is in the
// results folder or in the Made.
func (b *Bundle) Try(ctx context.Context, want Trial, at Stage) (Made, error) {
	s, c := lookUp(b.subjects, want.Skill, want.Case)
	if c == nil {
		return Made{Trial: want}, fmt.Errorf("%s, case %s: no such case", want.Skill, want.Case)
	}
	at.MaxUSD = cmp.Or(at.MaxUSD, b.o.MaxUSD)
	t, err := b.try(ctx, job{subject: s, c: c, arm: want.Arm, run: want.Run}, at)
	made := Made{Trial: t}
	if b.away {
		made.Log, made.Transcript = compressed(t.Transcript), ""
	}
	return made, err
}

// compressed returns a file's content in the form of Made.Log, or nil.
func compressed(file string) []byte {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil // the CLI was never started
	}
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	if _, err := zip.Write(text); err != nil || zip.Close() != nil || out.Len() > maxLog {
		return nil
	}
	return out.Bytes()
}

// take saves a finished trial, its transcript first.
func (r *Results) take(m Made) (Trial, error) {
	t := m.Trial
	if t.Transcript != r.transcript(&t) {
		t.Transcript = ""
	}
	if m.Log != nil {
		t.Transcript = r.transcript(&t)
		if err := os.MkdirAll(filepath.Dir(t.Transcript), 0o700); err != nil {
			return t, err
		}
		zip, err := gzip.NewReader(bytes.NewReader(m.Log))
		if err != nil {
			return t, err
		}
		text, err := io.ReadAll(io.LimitReader(zip, maxUnpacked))
		if err == nil {
			err = os.WriteFile(t.Transcript, text, 0o600)
		}
		if err != nil {
			return t, err
		}
	}
	return t, r.add(&t)
}
