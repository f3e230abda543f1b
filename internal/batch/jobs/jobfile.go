package jobs

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/skillhand/skillhand/internal/agents"
	"github.com/skillhand/skillhand/internal/batch"
	"github.com/skillhand/skillhand/internal/doc"
	"github.com/skillhand/skillhand/internal/words"
)

// MaxJob is the largest size of a job, as it is stored.
const MaxJob = 1 << 20

// The kinds of jobs. The kind of a job for another agent than Claude is ask and the agent's name. A
// problem with one agent therefore does not stop the jobs of the others.
const (
	Run = "run"
	Ask = "ask"
)

// KindOf returns the kind of the jobs that ask an agent.
func KindOf(name string) string {
	if name == "" || name == agents.Claude {
		return Ask
	}
	return Ask + " " + name
}

// AgentOf returns the agent that jobs of a kind ask, or "" if they ask no agent.
func AgentOf(kind string) string {
	switch rest, ok := strings.CutPrefix(kind, Ask); {
	case !ok:
		return ""
	case rest == "":
		return agents.Claude
	default:
		return rest[1:]
	}
}

// A File is the content of a job file.
type File struct {
	Name string
	N    int        // how many jobs it has
	Jobs batch.List // those of JSON lines are read from the source each time
	Dir  string     // the folder of the file, if Open read it

	close func()
}

// A Spec says what one job does. It is the payload of the job.
type Spec struct {
	ID  string `json:"id"`
	Dir string `json:"dir"` // the folder in which the job works

	Run  string   `json:"run,omitempty"` // a skill or script
	Ask  string   `json:"ask,omitempty"` // a question for Claude; may be empty with a skill
	Args []string `json:"args,omitempty"`
	Raw  string   `json:"raw_args,omitempty"` // arguments that were given as one string

	Timeout time.Duration `json:"timeout_ns,omitempty"`

	// For questions.
	Agent        string          `json:"agent,omitempty"` // "" means Claude
	Skill        string          `json:"skill,omitempty"`
	Schema       json.RawMessage `json:"schema,omitempty"`
	Model        string          `json:"model,omitempty"`
	MaxTurns     int             `json:"max_turns,omitempty"`
	AllowedTools []string        `json:"allowed_tools,omitempty"`
	Resume       string          `json:"resume,omitempty"`
	MaxBudgetUSD float64         `json:"max_budget_usd,omitempty"`
	IdleTimeout  time.Duration   `json:"idle_timeout_ns,omitempty"`
	Strict       bool            `json:"strict,omitempty"`
	NoTools      bool            `json:"no_tools,omitempty"` // and no settings of the project; set for jobs that ask in an untrusted project
}

// Parse reads a job file. Relative paths in it start in dir, an absolute path. Each names files
// below dir. The error joins all errors in the file, as *doc.Fault.
func Parse(file string, src []byte, dir string) (*File, error) {
	return Read(file, bytes.NewReader(src), dir, false)
}

// Read parses a source that need not be in memory. Of JSON lines it keeps a few bytes per job, and
// src must stay open while the jobs are read. If outside is set, each may name files elsewhere.
func Read(file string, src io.ReadSeeker, dir string, outside bool) (*File, error) {
	p := &parser{Reader: doc.Reader{File: file}, dir: dir, lines: map[idSum]int32{}, outside: outside}
	p.name = strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	lines, err := isLines(file, src)
	if err != nil {
		return nil, err
	}
	var sum batch.Sum
	var kept, chained []batch.Job
	n := 0
	p.emit = func(j batch.Job) bool {
		n++
		sum.Add(j)
		if !lines {
			kept = append(kept, j)
		}
		if len(j.Needs) > 0 {
			chained = append(chained, batch.Job{ID: j.ID, Needs: j.Needs})
		}
		return true
	}
	if lines {
		err = p.jsonLines(src)
	} else {
		err = p.yaml(src)
	}
	if err != nil {
		return nil, err
	}
	p.together(n, chained)
	if err := p.Err(); err != nil {
		return nil, err
	}
	out := &File{Name: p.name, N: n, Jobs: batch.List{Sum: sum.String(), All: inMemory(kept), Source: filepath.Base(file)}}
	if lines {
		p := parser{Reader: doc.Reader{File: file}, dir: dir, outside: outside}
		out.Jobs.All = p.again(src, out.Jobs.Sum)
	}
	return out, nil
}

func inMemory(jobs []batch.Job) iter.Seq2[batch.Job, error] {
	return func(yield func(batch.Job, error) bool) {
		for _, j := range jobs {
			if !yield(j, nil) {
				return
			}
		}
	}
}

// again reads jobs again from lines that were correct, and returns an error if the lines have
// changed.
func (p parser) again(src io.ReadSeeker, want string) iter.Seq2[batch.Job, error] {
	return func(yield func(batch.Job, error) bool) {
		p := p
		var sum batch.Sum
		stopped := false
		p.emit = func(j batch.Job) bool {
			sum.Add(j)
			stopped = !yield(j, nil)
			return !stopped
		}
		err := p.jsonLines(src)
		switch {
		case stopped:
		case err != nil:
			yield(batch.Job{}, err)
		case p.Failed() > 0 || sum.String() != want:
			yield(batch.Job{}, fmt.Errorf("%s was changed while it was read", p.File))
		}
	}
}

type parser struct {
	doc.Reader
	dir      string
	name     string
	defaults doc.Fields
	emit     func(batch.Job) bool // gets the next job, and returns whether to continue
	lines    map[idSum]int32      // of jobs, by id; nil if the jobs were checked before
	unsure   bool                 // there are jobs whose id is unknown
	outside  bool                 // each may name files outside dir
}

// An idSum represents an id. With many jobs it takes less memory.
type idSum [16]byte

func sumOf(id string) idSum {
	h := sha256.Sum256([]byte(id))
	return idSum(h[:16])
}

func (p *parser) yaml(src io.Reader) error {
	text, err := io.ReadAll(src)
	if err != nil {
		return err
	}
	root := p.Parse(text)
	switch {
	case p.Failed() > 0:
		return nil
	case root == nil:
		p.FaultAt(1, "is empty: want name and jobs")
		return nil
	}
	top := p.Fields(root, "a job file", "name", "defaults", "jobs")
	p.header(top)
	jobs := top["jobs"]
	if jobs == nil {
		if p.Failed() == 0 {
			p.Fault(root, "jobs is missing")
		}
		return nil
	}
	for _, n := range p.List(jobs, "jobs") {
		p.job(n.Line, p.Fields(n, "a job", keys...))
	}
	return nil
}

// header reads the settings for all jobs.
func (p *parser) header(top doc.Fields) {
	if n := top["name"]; n != nil {
		if p.name = p.Text(n, "name"); p.name == "" || strings.ContainsAny(p.name, "\n\r\x00") {
			p.Fault(n, "name is empty, or more than a line")
		}
	}
	if n := top["defaults"]; n != nil {
		p.defaults = p.Fields(n, "defaults", keys...)
		for _, key := range []string{"id", "run", "ask", "each", "needs"} {
			if bad := p.defaults[key]; bad != nil {
				p.Fault(bad, "%s cannot be a default", key)
				delete(p.defaults, key)
			}
		}
		// This reports errors in defaults here, and only once.
		for _, key := range keys {
			before := p.Failed()
			if p.set(&draft{}, key, p.defaults[key]); p.Failed() > before {
				delete(p.defaults, key)
			}
		}
	}
}

// keys are the keys that a job can have.
var keys = []string{
	"id", "run", "ask", "args", "each", "needs", "skill", "schema", "timeout", "retries", "agent", "model", "max_turns",
	"allowed_tools", "resume", "max_budget_usd", "idle_timeout", "strict", "cwd",
}

// forAsk are the keys that only a job with ask can have.
var forAsk = []string{"skill", "schema", "agent", "model", "max_turns", "allowed_tools", "resume", "max_budget_usd",
	"idle_timeout", "strict"}

// A draft is a job before {file} is replaced.
type draft struct {
	spec    Spec
	line    int
	retries int
	needs   []string
	each    string
	cwd     string
}

// job reads one job, or one job for each file that each names. It reports whether to continue.
func (p *parser) job(line int, f doc.Fields) bool {
	if f == nil { // not a job at all
		return true
	}
	before := p.Failed()
	d := draft{line: line, retries: 2}
	isAsk := f["ask"] != nil || f["skill"] != nil && f["run"] == nil
	switch {
	case f["run"] != nil && f["ask"] != nil:
		p.FaultAt(line, "a job has run or ask, not both")
	case f["run"] == nil && !isAsk:
		p.FaultAt(line, "a job needs run or ask")
	}
	for _, key := range keys {
		onlyAsk := !isAsk && slices.Contains(forAsk, key)
		switch {
		case f[key] == nil && !onlyAsk:
			p.set(&d, key, p.defaults[key])
		case f[key] != nil && onlyAsk:
			p.Fault(f[key], "%s is for ask", key)
		case f[key] != nil:
			p.set(&d, key, f[key])
		}
	}
	if err := d.spec.askable(); err != nil {
		p.FaultAt(line, "%v", err)
	}
	if f["id"] == nil && d.each == "" {
		p.FaultAt(line, "id is missing")
	}
	if p.Failed() > before {
		p.broken(d)
		return true
	}
	if d.each == "" {
		return p.add(d, "")
	}
	files, err := glob(p.dir, d.each, p.outside)
	typo := d.typo()
	switch {
	case err != nil:
		p.FaultAt(line, "each: %v", err)
	case len(files) == 0:
		p.FaultAt(line, "each: no file matches %s", d.each)
	case typo != "":
		p.FaultAt(line, "%s: did you mean {file}?", typo)
		files = nil
	}
	for _, file := range files {
		if !p.add(d, file) {
			return false
		}
	}
	if len(files) == 0 {
		p.broken(d)
	}
	return true
}

// braces matches a name in braces, which looks like a placeholder.
var braces = words.Regexp(`\{([A-Za-z_-]+)\}`)

// typo returns the first string in a draft that is nearly a placeholder for a file, such as
// {files}, or "" if there is none.
func (d *draft) typo() string {
	for _, text := range slices.Concat([]string{d.spec.ID, d.spec.Run, d.spec.Ask, d.spec.Raw, d.spec.Skill, d.cwd},
		d.spec.Args, d.needs) {
		for _, m := range braces.Get().FindAllStringSubmatch(text, -1) {
			if m[1] != "file" && strings.Contains(strings.ToLower(m[1]), "file") {
				return m[0]
			}
		}
	}
	return ""
}

// askable returns an error for an unknown agent, or for options that the agent does not have.
func (s *Spec) askable() error {
	other, err := agents.Find(s.Agent)
	if err != nil || other == nil {
		return err
	}
	return other.Check(agents.Question{
		Model: s.Model, Turns: s.MaxTurns > 0, Tools: len(s.AllowedTools) > 0, Resume: s.Resume, MaxUSD: s.MaxBudgetUSD,
		Schema: s.Schema != nil,
	})
}

// broken records a job that has errors, because other jobs may still need it.
func (p *parser) broken(d draft) {
	if d.spec.ID == "" || d.each != "" {
		p.unsure = true
	} else if id := sumOf(d.spec.ID); p.lines != nil && p.lines[id] == 0 {
		p.lines[id] = int32(d.line)
	}
}

// set puts a value into a draft. nil changes nothing.
func (p *parser) set(d *draft, key string, n *yaml.Node) {
	if n == nil {
		return
	}
	switch key {
	case "id":
		before := p.Failed()
		d.spec.ID = p.Text(n, key)
		if p.Failed() == before && (d.spec.ID == "" || len(d.spec.ID) > 500 || strings.ContainsAny(d.spec.ID, "\n\r\x00")) {
			p.Fault(n, "id is empty, longer than 500 bytes, or more than a line")
		}
	case "run":
		d.spec.Run = p.Text(n, key)
	case "ask":
		d.spec.Ask = p.Text(n, key)
	case "args":
		if n.Kind == yaml.ScalarNode {
			d.spec.Raw = p.Text(n, key)
		} else {
			d.spec.Args = p.list(n, key)
		}
	case "each":
		d.each = p.Text(n, key)
	case "needs":
		d.needs = p.list(n, key)
	case "skill":
		d.spec.Skill = p.Text(n, key)
	case "schema":
		p.schema(n, &d.spec.Schema)
	case "timeout":
		d.spec.Timeout = p.Duration(n, key)
	case "retries":
		d.retries = p.Whole(0, 1000)(n, key)
	case "agent":
		d.spec.Agent = p.Text(n, key)
	case "model":
		d.spec.Model = p.Text(n, key)
	case "max_turns":
		d.spec.MaxTurns = p.Whole(0, 1000)(n, key)
	case "allowed_tools":
		d.spec.AllowedTools = p.list(n, key)
	case "resume":
		d.spec.Resume = p.Text(n, key)
	case "max_budget_usd":
		d.spec.MaxBudgetUSD = p.Dollars(n, key)
	case "idle_timeout":
		d.spec.IdleTimeout = p.Duration(n, key)
	case "strict":
		d.spec.Strict = p.Bool(n, key)
	case "cwd":
		d.cwd = p.Text(n, key)
	}
}

// list reads a list of strings. It never returns nil, because an empty list differs from no list.
func (p *parser) list(n *yaml.Node, key string) []string {
	return append([]string{}, p.Texts(n, key)...)
}

// add makes a job of a draft, for a file or for no file. It reports whether to continue.
func (p *parser) add(d draft, file string) bool {
	if file != "" {
		if d.spec.ID == "" {
			d.spec.ID = "{file}"
		} else if !strings.Contains(d.spec.ID, "{file}") {
			d.spec.ID += ":{file}"
		}
		fill := func(s string) string { return strings.ReplaceAll(s, "{file}", file) }
		for _, s := range []*string{&d.spec.ID, &d.spec.Run, &d.spec.Ask, &d.spec.Raw, &d.spec.Skill, &d.cwd} {
			*s = fill(*s)
		}
		for _, list := range []*[]string{&d.spec.Args, &d.needs, &d.spec.AllowedTools} {
			*list = slices.Clone(*list)
			for i := range *list {
				(*list)[i] = fill((*list)[i])
			}
		}
	}
	if p.lines != nil {
		id := sumOf(d.spec.ID)
		if first := p.lines[id]; first != 0 {
			p.FaultAt(d.line, "duplicate id %s (first on line %d)", d.spec.ID, first)
			return true
		}
		p.lines[id] = int32(d.line)
	}
	// The job's identity does not depend on the path of the folder.
	d.spec.Dir = d.cwd
	same, _ := json.Marshal(d.spec)
	d.spec.Dir = filepath.Join(p.dir, d.cwd)
	if filepath.IsAbs(d.cwd) {
		d.spec.Dir = d.cwd
	}
	payload, err := json.Marshal(d.spec)
	if err != nil {
		p.FaultAt(d.line, "%v", err)
		return true
	}
	if len(payload) > MaxJob {
		p.FaultAt(d.line, "job %s has %d bytes, more than %d: put the text into a file and name that", d.spec.ID, len(payload), MaxJob)
		return true
	}
	kind := Run
	if d.spec.Run == "" {
		kind = KindOf(d.spec.Agent)
	}
	return p.emit(batch.Job{
		ID: d.spec.ID, Kind: kind, Payload: payload, Same: string(same), Needs: d.needs, Retries: d.retries, MaxUSD: d.spec.MaxBudgetUSD,
		Share: kind == Ask && d.spec.MaxBudgetUSD == 0, Turns: kind == Ask,
	})
}

// together reports errors among n jobs that are correct by themselves. chained are the jobs that
// need others.
func (p *parser) together(n int, chained []batch.Job) {
	if n == 0 && p.Failed() == 0 {
		p.FaultAt(1, "has no jobs")
	}
	for _, j := range chained {
		for _, need := range j.Needs {
			if p.lines[sumOf(need)] == 0 && !p.unsure {
				p.FaultAt(p.line(j.ID), "job %s needs %s, but no job has that id", j.ID, need)
			}
		}
	}
	if ring := batch.Circle(chained); ring != nil {
		p.FaultAt(p.line(ring[0]), "jobs need each other in a circle: %s", strings.Join(ring, " → "))
	}
}

func (p *parser) line(id string) int { return int(p.lines[sumOf(id)]) }
