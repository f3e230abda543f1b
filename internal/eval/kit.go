package eval

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/skillhand/skillhand/claude"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/here"
)

// A Kit is all that trials need: the skills, the folders of their cases, the user's
// other skills and the options. Packed it is one file, with which any machine makes
// the same trials, whatever it has of its own.
type Kit struct {
	list kitList
}

// A kitList is the file kit.json in a kit. Paths in it start at the kit's root.
type kitList struct {
	Options     Options       `json:"options"`
	Timeout     time.Duration `json:"timeout_ns,omitempty"`
	IdleTimeout time.Duration `json:"idle_timeout_ns,omitempty"`
	Subjects    []*Subject    `json:"subjects"`
	Mine        []neighbour   `json:"mine,omitempty"`
}

const (
	kitName     = "kit.json"
	maxUnpacked = 1 << 30
)

// Pack makes a kit. The same skills, cases and options make the same bytes.
func Pack(o Options, subjects []*Subject) ([]byte, error) {
	dir, err := os.MkdirTemp("", scratchPrefix)
	if err != nil {
		return nil, err
	}
	defer RemoveTree(dir)
	user, err := o.Runtime.Complete()
	if err != nil {
		return nil, err
	}
	p := &packer{dir: dir, at: map[string]string{}}
	list := kitList{Options: o, Timeout: o.Runtime.Claude.Timeout, IdleTimeout: o.Runtime.Claude.IdleTimeout}
	for _, s := range subjects {
		packed, err := p.subject(s)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		packed.Trusted = o.trusts(user, s)
		list.Subjects = append(list.Subjects, packed)
	}
	if o.WithMine {
		if list.Mine, err = neighbours(user); err != nil {
			return nil, err
		}
		for i, n := range list.Mine {
			if list.Mine[i].Folder, err = p.add(n.Folder, ".git"); err != nil {
				return nil, err
			}
		}
	}
	text, err := json.MarshalIndent(list, "", " ")
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, kitName), text, 0o600); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	err = errors.Join(writeTar(zip, dir), zip.Close())
	return out.Bytes(), err
}

// A packer puts files and folders into a kit, each once.
type packer struct {
	dir string
	at  map[string]string // where they are in the kit
}

// add copies a file or folder into the kit, but for what is named, and returns its path there.
func (p *packer) add(from string, skip ...string) (string, error) {
	key := fmt.Sprintf("%q %q", from, skip)
	if at, ok := p.at[key]; ok {
		return at, nil
	}
	parent := fmt.Sprint(len(p.at))
	at := parent + "/" + filepath.Base(from)
	to := parent // a file goes into the folder, a folder becomes one
	if files.IsFolder(from) {
		to = at
	}
	p.at[key] = at
	return at, copyTree(from, filepath.Join(p.dir, to), but(skip...))
}

// subject returns a skill with its paths in the kit.
func (p *packer) subject(s *Subject) (_ *Subject, err error) {
	k := *s
	if s.Plugin == "" {
		if k.Folder, err = p.add(s.Folder, "evals", ".git"); err == nil && s.Companion != "" {
			k.Companion, err = p.add(s.Companion, ".git")
		}
	} else if k.Plugin, err = p.add(s.Plugin, ".git"); err == nil {
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
		c.File, c.Line = "", 0 // where a case was written is no part of it
		k.Cases = append(k.Cases, c)
	}
	return &k, nil
}

// writeTar writes a folder as an archive that depends on nothing but its content.
func writeTar(w io.Writer, dir string) error {
	out := tar.NewWriter(w)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		h := &tar.Header{Name: filepath.ToSlash(rel), Mode: int64(info.Mode().Perm()), Format: tar.FormatPAX}
		switch {
		case d.IsDir():
			h.Typeflag = tar.TypeDir
			return out.WriteHeader(h)
		case d.Type()&fs.ModeSymlink != 0:
			h.Typeflag = tar.TypeSymlink
			if h.Linkname, err = os.Readlink(path); err != nil {
				return err
			}
			return out.WriteHeader(h)
		}
		h.Typeflag, h.Size = tar.TypeReg, info.Size()
		if err := out.WriteHeader(h); err != nil {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = io.Copy(out, f)
		return err
	})
	return errors.Join(err, out.Close())
}

// Unpack unpacks a kit into a folder. Nothing in it leads out of that folder.
func Unpack(packed []byte, dir string) (*Kit, error) {
	zip, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("a kit of trials: %w", err)
	}
	if err := readTar(io.LimitReader(zip, maxUnpacked), dir); err != nil {
		return nil, fmt.Errorf("a kit of trials: %w", err)
	}
	text, err := os.ReadFile(filepath.Join(dir, kitName))
	if err != nil {
		return nil, err
	}
	k := &Kit{}
	if err := json.Unmarshal(text, &k.list); err != nil {
		return nil, fmt.Errorf("a kit of trials: %w", err)
	}
	for _, s := range k.list.Subjects {
		s.below(dir)
	}
	for i, n := range k.list.Mine {
		k.list.Mine[i].Folder = filepath.Join(dir, filepath.FromSlash("/"+n.Folder))
	}
	return k, nil
}

// below makes the paths of a kit's skill start at the folder that the kit is in.
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
				return fmt.Errorf("%s: a link that leads out", h.Name)
			}
			err = root.Symlink(h.Linkname, name)
		case tar.TypeReg:
			err = readTarFile(root, name, h, in)
		default:
			return fmt.Errorf("%s: neither a file nor a folder", h.Name)
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

// A Made trial has its transcript with it if it was made elsewhere.
type Made struct {
	Trial
	TurnUSD   float64 `json:"-"`             // its dearest turn; see batch.Retry
	MostUSD   float64 `json:"-"`             // the most that a turn can cost; 0 if that is not known
	AtMostUSD float64 `json:"-"`             // the most that an agent which was cut off can have cost; 0 if that is not known
	Log       []byte  `json:"log,omitempty"` // compressed; nil if there is none, or it is too long
}

// maxLog is how long a transcript may be that goes along with its trial, compressed.
const maxLog = 16 << 20

// Try makes one try of a trial that the kit has, as Maker.Try does. The transcript comes along.
func (k *Kit) Try(ctx context.Context, want Trial, at Stage) (Made, error) {
	o := k.list.Options
	o.Runtime.Here = here.Here{Dir: at.Scratch, Env: at.Env}
	o.Runtime.Claude = claude.Client{Timeout: k.list.Timeout, IdleTimeout: k.list.IdleTimeout}
	o.Results = &Results{Dir: filepath.Join(at.Scratch, "results")}
	m, err := NewMaker(o, k.list.Subjects)
	if err != nil {
		return Made{Trial: want}, err
	}
	m.mine = k.list.Mine
	if at.MaxUSD == 0 {
		at.MaxUSD = o.MaxUSD
	}
	made, err := m.Try(ctx, want, at)
	made.Log = compressed(made.Transcript)
	made.Transcript = ""
	return made, err
}

// compressed returns a file's content as a Made carries it, or nil.
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

// take keeps a trial that was made, its transcript first.
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
