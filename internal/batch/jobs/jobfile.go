package jobs

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/skillhand/skillhand/internal/agents"
	"github.com/skillhand/skillhand/internal/batch"
	"github.com/skillhand/skillhand/internal/doc"
	"github.com/skillhand/skillhand/internal/words"
)

// MaxJob is how large a job may be, as it is kept.
const MaxJob = 1 << 20

// The kinds of jobs. One that asks another agent than Claude has its name behind ask: what holds up
// one agent does not hold up the others.
const (
	Run = "run"
	Ask = "ask"
)

// KindOf returns the kind of jobs that ask an agent.
func KindOf(name string) string {
	if name == "" || name == agents.Claude {
		return Ask
	}
	return Ask + " " + name
}

// AgentOf returns the agent that jobs of a kind ask; "" if they ask none.
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

// A File is what a job file says.
type File struct {
	Name string
	N    int        // of its jobs
	Jobs batch.List // those of JSON lines are read from the source each time
	Dir  string     // the folder of a file that Open read

	close func()
}

// A Spec is what one job is to do, and a job's payload.
type Spec struct {
	ID  string `json:"id"`
	Dir string `json:"dir"` // where it works

	Run  string   `json:"run,omitempty"` // a skill or script
	Ask  string   `json:"ask,omitempty"` // a question for Claude; may be empty with a skill
	Args []string `json:"args,omitempty"`
	Raw  string   `json:"raw_args,omitempty"` // args that were one text

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
	NoTools      bool            `json:"no_tools,omitempty"` // and no settings of the project; set for asks of a project that nobody trusted
}

// A Fault is one thing that is wrong with a file.
type Fault struct {
	File string
	Line int
	Text string
}

func (f *Fault) Error() string { return fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.Text) }

// Parse reads a job file. Relative paths in it start in dir, an absolute path; each names files below
// dir. The error has every fault, as *Fault, joined.
func Parse(file string, src []byte, dir string) (*File, error) {
	return Read(file, bytes.NewReader(src), dir, false)
}

// Read parses a source that need not be in memory: of JSON lines it keeps a few bytes a job,
// and src must stay open while the jobs are read. If outside is set, each may name files elsewhere.
func Read(file string, src io.ReadSeeker, dir string, outside bool) (*File, error) {
	p := &parser{file: file, dir: dir, lines: map[idSum]int32{}, outside: outside}
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
	if err := p.joined(); err != nil {
		return nil, err
	}
	out := &File{Name: p.name, N: n, Jobs: batch.List{Sum: sum.String(), All: inMemory(kept), Source: filepath.Base(file)}}
	if lines {
		p := parser{file: file, dir: dir, outside: outside}
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

// again reads jobs from lines that were found to be right, and holds that they still are the same.
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
		case p.faults != nil || sum.String() != want:
			yield(batch.Job{}, fmt.Errorf("%s was changed while it was read", p.file))
		}
	}
}

type parser struct {
	file, dir string
	name      string
	defaults  []field
	emit      func(batch.Job) bool // takes the next job, and says whether to go on
	lines     map[idSum]int32      // of jobs, by id; nil if they were looked at before
	unsure    bool                 // there are jobs whose id is not known
	outside   bool                 // each may list files outside dir
	faults    []*Fault
}

// idSum stands for an id: of many jobs it is shorter.
type idSum [16]byte

func sumOf(id string) idSum {
	h := sha256.Sum256([]byte(id))
	return idSum(h[:16])
}

// joined returns all faults, in the order of their lines.
func (p *parser) joined() error {
	slices.SortStableFunc(p.faults, func(a, b *Fault) int { return a.Line - b.Line })
	all := make([]error, len(p.faults))
	for i, f := range p.faults {
		all[i] = f
	}
	return errors.Join(all...)
}

func (p *parser) fault(line int, format string, a ...any) {
	p.faults = append(p.faults, &Fault{p.file, max(line, 1), fmt.Sprintf(format, a...)})
}

// A field is a key of a mapping, with its value.
type field struct {
	name  string
	line  int
	value *yaml.Node
}

// fields returns the keys of a mapping, each once.
func (p *parser) fields(n *yaml.Node, what string) (list []field, ok bool) {
	n = resolve(n)
	if n.Kind != yaml.MappingNode {
		p.fault(n.Line, "%s is %s, want keys and values", what, sort(n))
		return nil, false
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		if seen[k.Value] {
			p.fault(k.Line, "%s is given twice", k.Value)
			continue
		}
		seen[k.Value] = true
		list = append(list, field{k.Value, k.Line, resolve(n.Content[i+1])})
	}
	return list, true
}

// resolve follows an alias.
func resolve(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode && n.Alias != nil {
		n = n.Alias
	}
	return n
}

// sort says what a value is, for people.
func sort(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.Kind == yaml.MappingNode:
		return "keys and values"
	case n.Tag == "!!null":
		return "empty"
	case n.Tag == "!!str" && len(n.Value) > 40:
		return "a text"
	case n.Tag == "!!str":
		return strconv.Quote(n.Value)
	}
	return n.Value
}

func (p *parser) yaml(src io.Reader) error {
	text, err := io.ReadAll(src)
	if err != nil {
		return err
	}
	root, fault := doc.ParseYAML(text)
	if fault != nil {
		p.fault(fault.Line, "%s", fault.Text)
		return nil
	}
	if root == nil {
		p.fault(1, "is empty: want name and jobs")
		return nil
	}
	top, _ := p.fields(root, "a job file")
	var jobs *yaml.Node
	for _, f := range top {
		switch f.name {
		case "jobs":
			jobs = f.value
		default:
			p.header(f)
		}
	}
	switch {
	case jobs == nil:
		if p.faults == nil {
			p.fault(root.Line, "jobs is missing")
		}
	case jobs.Kind != yaml.SequenceNode:
		p.fault(jobs.Line, "jobs is %s, want a list", sort(jobs))
	default:
		for _, n := range jobs.Content {
			if fields, ok := p.fields(n, "a job"); ok {
				p.job(resolve(n).Line, fields)
			}
		}
	}
	return nil
}

// header reads what holds for all jobs.
func (p *parser) header(f field) {
	switch f.name {
	case "name":
		if p.text(f, &p.name); p.name == "" || strings.ContainsAny(p.name, "\n\r\x00") {
			p.fault(f.line, "name is empty, or more than a line")
		}
	case "defaults":
		p.defaults, _ = p.fields(f.value, "defaults")
		p.defaults = slices.DeleteFunc(p.defaults, func(d field) bool {
			bad := slices.Contains([]string{"id", "run", "ask", "each", "needs"}, d.name) || !slices.Contains(keys, d.name)
			if bad {
				p.fault(d.line, "%s cannot be a default", d.name)
				return true
			}
			// Report its faults here, once.
			before := len(p.faults)
			p.set(&draft{}, d)
			return len(p.faults) > before
		})
	default:
		p.fault(f.line, "unknown key %s: want name, defaults or jobs", f.name)
	}
}

// keys are what a job can say.
var keys = []string{
	"id", "run", "ask", "args", "each", "needs", "skill", "schema", "timeout", "retries", "agent", "model", "max_turns",
	"allowed_tools", "resume", "max_budget_usd", "idle_timeout", "strict", "cwd",
}

// forAsk are those that only a question can.
var forAsk = []string{"skill", "schema", "agent", "model", "max_turns", "allowed_tools", "resume", "max_budget_usd", "idle_timeout", "strict"}

// A draft is a job before {file} is filled in.
type draft struct {
	spec    Spec
	line    int
	retries int
	needs   []string
	each    string
	cwd     string
}

// job reads one job, or one for each file that it names. It reports whether to go on.
func (p *parser) job(line int, fields []field) bool {
	before := len(p.faults)
	has := func(key string) bool {
		return slices.ContainsFunc(fields, func(f field) bool { return f.name == key })
	}
	d := draft{line: line, retries: 2}
	isAsk := has("ask") || has("skill") && !has("run")
	switch {
	case has("run") && has("ask"):
		p.fault(line, "a job has run or ask, not both")
	case !has("run") && !isAsk:
		p.fault(line, "a job needs run or ask")
	}
	for _, f := range p.defaults {
		if !has(f.name) && (isAsk || !slices.Contains(forAsk, f.name)) {
			p.set(&d, f)
		}
	}
	for _, f := range fields {
		if !isAsk && slices.Contains(forAsk, f.name) {
			p.fault(f.line, "%s is for ask", f.name)
			continue
		}
		p.set(&d, f)
	}
	if err := d.spec.askable(); err != nil {
		p.fault(line, "%v", err)
	}
	if !has("id") && d.each == "" {
		p.fault(line, "id is missing")
	}
	if len(p.faults) > before {
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
		p.fault(line, "each: %v", err)
	case len(files) == 0:
		p.fault(line, "each: no file matches %s", d.each)
	case typo != "":
		p.fault(line, "%s: did you mean {file}?", typo)
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

// braces is what looks like a place for something to be filled in.
var braces = words.Regexp(`\{([A-Za-z_-]+)\}`)

// typo returns the first place in a draft that nearly is one for a file, such as {files}; "" if none is.
func (d *draft) typo() string {
	for _, text := range slices.Concat([]string{d.spec.ID, d.spec.Run, d.spec.Ask, d.spec.Raw, d.spec.Skill, d.cwd}, d.spec.Args, d.needs) {
		for _, m := range braces.Get().FindAllStringSubmatch(text, -1) {
			if m[1] != "file" && strings.Contains(strings.ToLower(m[1]), "file") {
				return m[0]
			}
		}
	}
	return ""
}

// askable reports an unknown agent, and what the job asks for that the agent cannot do.
func (s *Spec) askable() error {
	other, err := agents.Find(s.Agent)
	if err != nil || other == nil {
		return err
	}
	return other.Check(agents.Question{
		Model: s.Model, Turns: s.MaxTurns > 0, Tools: len(s.AllowedTools) > 0, Resume: s.Resume, Budget: s.MaxBudgetUSD > 0, Schema: s.Schema != nil,
	})
}

// broken notes a job that has faults of its own: others may need it all the same.
func (p *parser) broken(d draft) {
	if d.spec.ID == "" || d.each != "" {
		p.unsure = true
	} else if id := sumOf(d.spec.ID); p.lines != nil && p.lines[id] == 0 {
		p.lines[id] = int32(d.line)
	}
}

// set puts a field into a draft.
func (p *parser) set(d *draft, f field) {
	switch f.name {
	case "id":
		p.text(f, &d.spec.ID)
	case "run":
		p.text(f, &d.spec.Run)
	case "ask":
		p.text(f, &d.spec.Ask)
	case "args":
		if f.value.Kind == yaml.ScalarNode {
			p.text(f, &d.spec.Raw)
		} else {
			p.texts(f, &d.spec.Args)
		}
	case "each":
		p.text(f, &d.each)
	case "needs":
		p.texts(f, &d.needs)
	case "skill":
		p.text(f, &d.spec.Skill)
	case "schema":
		p.schema(f, &d.spec.Schema)
	case "timeout":
		p.duration(f, &d.spec.Timeout)
	case "retries":
		p.whole(f, &d.retries)
	case "agent":
		p.text(f, &d.spec.Agent)
	case "model":
		p.text(f, &d.spec.Model)
	case "max_turns":
		p.whole(f, &d.spec.MaxTurns)
	case "allowed_tools":
		p.texts(f, &d.spec.AllowedTools)
	case "resume":
		p.text(f, &d.spec.Resume)
	case "max_budget_usd":
		p.money(f, &d.spec.MaxBudgetUSD)
	case "idle_timeout":
		p.duration(f, &d.spec.IdleTimeout)
	case "strict":
		p.flag(f, &d.spec.Strict)
	case "cwd":
		p.text(f, &d.cwd)
	default:
		p.fault(f.line, "unknown key %s%s", f.name, meant(f.name))
	}
}

// meant returns a hint for a key that is nearly right.
func meant(key string) string {
	flat := func(s string) string { return strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(s)) }
	for _, k := range keys {
		if flat(k) == flat(key) || flat(k) == flat(key)+"s" || flat(k)+"s" == flat(key) {
			return ": did you mean " + k + "?"
		}
	}
	return ": a job can have " + strings.Join(keys, ", ")
}

// add makes a job of a draft, for a file or for none. It reports whether to go on.
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
			p.fault(d.line, "duplicate id %s (first on line %d)", d.spec.ID, first)
			return true
		}
		p.lines[id] = int32(d.line)
	}
	// The job's identity does not depend on where the folder is.
	d.spec.Dir = d.cwd
	same, _ := json.Marshal(d.spec)
	d.spec.Dir = filepath.Join(p.dir, d.cwd)
	if filepath.IsAbs(d.cwd) {
		d.spec.Dir = d.cwd
	}
	payload, err := json.Marshal(d.spec)
	if err != nil {
		p.fault(d.line, "%v", err)
		return true
	}
	if len(payload) > MaxJob {
		p.fault(d.line, "job %s has %d bytes, more than %d: put the text into a file and name that", d.spec.ID, len(payload), MaxJob)
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

// together finds what is wrong with n jobs that are right by themselves, of which some need others.
func (p *parser) together(n int, chained []batch.Job) {
	if n == 0 && p.faults == nil {
		p.fault(1, "has no jobs")
	}
	for _, j := range chained {
		for _, need := range j.Needs {
			if p.lines[sumOf(need)] == 0 && !p.unsure {
				p.fault(p.line(j.ID), "job %s needs %s, which is not there", j.ID, need)
			}
		}
	}
	if ring := batch.Circle(chained); ring != nil {
		p.fault(p.line(ring[0]), "jobs need each other in a circle: %s", strings.Join(ring, " → "))
	}
}

func (p *parser) line(id string) int { return int(p.lines[sumOf(id)]) }

func (p *parser) text(f field, into *string) {
	if f.value.Kind != yaml.ScalarNode || f.value.Tag == "!!null" {
		p.fault(f.line, "%s is %s, want a text", f.name, sort(f.value))
		return
	}
	*into = f.value.Value
	if f.name == "id" && (*into == "" || len(*into) > 500 || strings.ContainsAny(*into, "\n\r\x00")) {
		p.fault(f.line, "id is empty, longer than 500 bytes, or more than a line")
	}
}

func (p *parser) texts(f field, into *[]string) {
	if f.value.Kind != yaml.SequenceNode {
		p.fault(f.line, "%s is %s, want a list", f.name, sort(f.value))
		return
	}
	*into = []string{}
	for _, n := range f.value.Content {
		var s string
		p.text(field{f.name, n.Line, resolve(n)}, &s)
		*into = append(*into, s)
	}
}

func (p *parser) whole(f field, into *int) {
	n, err := strconv.Atoi(f.value.Value)
	if f.value.Kind != yaml.ScalarNode || err != nil || n < 0 || n > 1000 {
		p.fault(f.line, "%s is %s, want a number from 0 to 1000", f.name, sort(f.value))
		return
	}
	*into = n
}

func (p *parser) money(f field, into *float64) {
	n, err := strconv.ParseFloat(f.value.Value, 64)
	if f.value.Kind != yaml.ScalarNode || err != nil || !(n > 0 && n < 1e9) {
		p.fault(f.line, "%s is %s, want dollars, more than 0", f.name, sort(f.value))
		return
	}
	*into = n
}

func (p *parser) duration(f field, into *time.Duration) {
	d, err := time.ParseDuration(f.value.Value)
	if f.value.Kind != yaml.ScalarNode || err != nil || d <= 0 {
		p.fault(f.line, "%s is %s, want a time such as 90s or 20m", f.name, f.value.Value)
		return
	}
	*into = d
}

func (p *parser) flag(f field, into *bool) {
	if f.value.Tag != "!!bool" || f.value.Decode(into) != nil {
		p.fault(f.line, "%s is %s, want true or false", f.name, sort(f.value))
	}
}
