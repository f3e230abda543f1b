package try

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

	"github.com/skillhand/skillhand"
	"github.com/skillhand/skillhand/claude"
	"github.com/skillhand/skillhand/here"
)

// A Kit is all that trials need: the skills, the folders of their cases, the user's
// other skills and the options. Packed it is one file, with which any machine makes
// the same trials, whatever it has of its own.
type Kit struct {
	dir      string
	list     kitList
	subjects []*Subject
}

// A kitList is the file kit.json in a kit. Paths in it start at the kit's root.
type kitList struct {
	Agent        string        `json:"agent,omitempty"`
	Model        string        `json:"model,omitempty"`
	MaxTurns     int           `json:"max_turns,omitempty"`
	MaxUSD       float64       `json:"max_usd,omitempty"`
	AllowedTools []string      `json:"allowed_tools,omitempty"`
	Args         []string      `json:"args,omitempty"`
	Env          []string      `json:"env,omitempty"`
	Judge        bool          `json:"judge,omitempty"`
	Baseline     bool          `json:"baseline,omitempty"`
	Against      bool          `json:"against,omitempty"`
	Models       []string      `json:"models,omitempty"`
	Scaffold     bool          `json:"scaffold,omitempty"`
	TimeoutSet   bool          `json:"timeout_set,omitempty"`
	Retries      int           `json:"retries,omitempty"`
	Timeout      time.Duration `json:"timeout_ns,omitempty"`
	IdleTimeout  time.Duration `json:"idle_timeout_ns,omitempty"`
	Subjects     []kitSubject  `json:"subjects"`
	Mine         []neighbour   `json:"mine,omitempty"`
}

type kitSubject struct {
	Name        string      `json:"name"`
	Description string      `json:"description"`
	Names       Names       `json:"names"`
	Dir         string      `json:"dir"`
	Folder      string      `json:"folder"`
	Companion   string      `json:"companion,omitempty"`
	Plugin      string      `json:"plugin,omitempty"`
	User        bool        `json:"user,omitempty"`
	Trusted     bool        `json:"trusted,omitempty"`
	Whole       bool        `json:"whole,omitempty"`
	Cases       []Case      `json:"cases"`
	Was         *kitSubject `json:"was,omitempty"`
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
	list := kitList{
		Agent: o.Agent, Model: o.Model, MaxTurns: o.MaxTurns, MaxUSD: o.MaxUSD, AllowedTools: o.AllowedTools,
		Args: o.Args, Env: o.Env, Judge: o.Judge, Retries: o.Retries,
		Baseline: o.Baseline, Against: o.Against, Models: o.Models, Scaffold: o.Scaffold, TimeoutSet: o.TimeoutSet,
		Timeout: o.Runtime.Claude.Timeout, IdleTimeout: o.Runtime.Claude.IdleTimeout,
	}
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
	if isFolder(from) {
		to = at
	}
	p.at[key] = at
	return at, copyTree(from, filepath.Join(p.dir, to), but(skip...))
}

func (p *packer) subject(s *Subject) (kitSubject, error) {
	k := kitSubject{Name: s.Name, Description: s.Description, Names: s.names, Dir: s.dir, User: s.user, Whole: s.whole}
	var err error
	if s.plugin == "" {
		if k.Folder, err = p.add(s.folder, "evals", ".git"); err == nil && s.companion != "" {
			k.Companion, err = p.add(s.companion, ".git")
		}
	} else if k.Plugin, err = p.add(s.plugin, ".git"); err == nil {
		var own string
		if own, err = s.inPlugin(); err == nil {
			k.Folder = k.Plugin + "/" + own
		}
	}
	if err == nil && s.was != nil {
		var was kitSubject
		was, err = p.subject(s.was)
		k.Was = &was
	}
	if err != nil {
		return k, err
	}
	for _, c := range s.Cases {
		c = c.clone()
		for _, path := range c.paths() {
			if *path, err = p.add(*path); err != nil {
				return k, err
			}
		}
		c.File, c.Line = "", 0 // where a case was written is no part of it
		k.Cases = append(k.Cases, c)
	}
	return k, err
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
	k := &Kit{dir: dir}
	if err := json.Unmarshal(text, &k.list); err != nil {
		return nil, fmt.Errorf("a kit of trials: %w", err)
	}
	for _, s := range k.list.Subjects {
		k.subjects = append(k.subjects, k.subject(s))
	}
	for i, n := range k.list.Mine {
		k.list.Mine[i].Folder = k.path(n.Folder)
	}
	return k, nil
}

// subject is a skill of the kit.
func (k *Kit) subject(s kitSubject) *Subject {
	subject := &Subject{
		Name: s.Name, Description: s.Description, Cases: s.Cases,
		names: s.Names, dir: s.Dir, user: s.User, trusted: s.Trusted, folder: k.path(s.Folder), whole: s.Whole,
	}
	if s.Plugin != "" {
		subject.plugin = k.path(s.Plugin)
	}
	if s.Companion != "" {
		subject.companion = k.path(s.Companion)
	}
	if s.Was != nil {
		subject.was = k.subject(*s.Was)
	}
	for i := range s.Cases {
		for _, path := range s.Cases[i].paths() {
			*path = k.path(*path)
		}
	}
	return subject
}

func (k *Kit) path(rel string) string { return filepath.Join(k.dir, filepath.FromSlash("/"+rel)) }

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
	Log []byte `json:"log,omitempty"` // compressed; nil if there is none, or it is too long
}

// maxLog is how long a transcript may be that goes along with its trial, compressed.
const maxLog = 16 << 20

// Try makes one try of a trial that the kit has, as Maker.Try does. The transcript comes along.
func (k *Kit) Try(ctx context.Context, want Trial, at Stage) (Made, error) {
	m, err := NewMaker(Options{
		Runtime: skillhand.Runtime{
			Here: here.Here{Dir: at.Scratch, Env: at.Env}, Claude: claude.Client{Timeout: k.list.Timeout, IdleTimeout: k.list.IdleTimeout},
		},
		Baseline: k.list.Baseline, Against: k.list.Against, Models: k.list.Models, Scaffold: k.list.Scaffold, TimeoutSet: k.list.TimeoutSet,
		Judge: k.list.Judge, Retries: k.list.Retries, Agent: k.list.Agent, Model: k.list.Model, MaxTurns: k.list.MaxTurns, MaxUSD: k.list.MaxUSD,
		AllowedTools: k.list.AllowedTools, Args: k.list.Args, Env: k.list.Env, Results: &Results{Dir: filepath.Join(at.Scratch, "results")},
	}, k.subjects)
	if err != nil {
		return Made{Trial: want}, err
	}
	m.mine = k.list.Mine
	if at.MaxUSD == 0 {
		at.MaxUSD = k.list.MaxUSD
	}
	made, err := m.Try(ctx, want, at)
	made.Log = compressed(made.Transcript)
	made.Transcript = ""
	return made, err
}

// compressed is a file's content as a Made carries it, or nil.
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
