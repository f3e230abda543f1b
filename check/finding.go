package check

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// A Finding is one fault, where it stands, and perhaps how to mend it.
type Finding struct {
	Rule        string   `json:"rule"`
	Name        string   `json:"name"`
	Severity    Severity `json:"severity"`
	Message     string   `json:"message"`        // what happens
	Help        string   `json:"help,omitempty"` // what to do
	File        string   `json:"file"`
	Range       Range    `json:"range"`
	Agent       string   `json:"agent"`  // for whom it is one; several have commas between them
	Owners      []string `json:"owners"` // the agents that read the file where it lies; none if nobody is known to
	Fix         *Fix     `json:"fix,omitempty"`
	Fingerprint string   `json:"fingerprint"` // the same as long as the line says the same
	Docs        string   `json:"docs"`

	text   string // the line it starts on
	anchor int    // the line that a comment before it would ignore
	path   string // of the file, to be read
	fixed  string // the file's name in a baseline
	of     *File  // the file that was checked, if the finding is about one beside it

	ofClaude  bool       // it is about what Claude Code alone reads so
	directive *directive // that SK401 is about, or what follows from it
	pasted    string     // the argument that it is about
	subagent  string     // the type of subagent that it is about
}

// beside returns the file that the finding is about, if that is not the one that was checked.
func (f *Finding) beside() string {
	if f.of == nil {
		return ""
	}
	return f.File
}

// Here returns the finding as it is shown in the file that was checked: one about a file beside that stands on
// its first line, and names the other.
func (f *Finding) Here() *Finding {
	if f.of == nil {
		return f
	}
	here := *f
	here.File, here.path, here.fixed, here.of, here.text = f.of.Name, f.of.Path, f.of.FixedName(), nil, ""
	here.Message = fmt.Sprintf("%s:%d: %s", f.File, f.Range.Line, f.Message)
	here.Range = Range{Line: 1, Column: 1, EndLine: 1, EndColumn: 1}
	return &here
}

// A Range is a stretch of a file. Lines and columns count from 1, columns in characters.
type Range struct {
	Line      int `json:"line"`
	Column    int `json:"column"`
	EndLine   int `json:"end_line"`
	EndColumn int `json:"end_column"`
	Offset    int `json:"offset"` // in bytes
	End       int `json:"end"`
}

// A Fix mends a fault.
type Fix struct {
	Title      string `json:"title"`
	Unsafe     bool   `json:"unsafe"` // it may change more than the fault
	Edits      []Edit `json:"edits"`
	Executable string `json:"executable,omitempty"` // a file that becomes executable

	more  bool   // it adds to a list, as others may at the same place
	makes string // the key that it makes, which only one fix may
}

// Apply makes the edits of a fix in the text that it is for.
func (x *Fix) Apply(src string) string { return apply(src, x.Edits) }

// An Edit replaces bytes of the file.
type Edit struct {
	Offset int    `json:"offset"`
	End    int    `json:"end"`
	Text   string `json:"text"`
}

// A pass is one rule looking at one document.
type pass struct {
	doc  *document
	rule *Rule
}

func (p *pass) find(start, end int, format string, a ...any) *Finding {
	start = max(0, min(start, len(p.doc.src)))
	end = max(start, min(end, len(p.doc.src)))
	severity := p.doc.opt.severity(p.rule)
	agent := "claude"
	switch {
	case p.rule.agent == spec:
		agent = specification
	case !p.doc.opt.isFor("claude"):
		agent = strings.Join(p.doc.opt.Agents, ",")
	}
	f := &Finding{
		Rule: p.rule.ID, Name: p.rule.Name, Severity: severity, File: p.doc.file.Name, path: p.doc.file.Path, fixed: p.doc.file.FixedName(),
		Agent: agent, Owners: append([]string{}, p.doc.file.Owners...), Docs: p.rule.Link(),
		Message: fmt.Sprintf(format, a...), Range: p.doc.rangeOf(start, end), ofClaude: p.rule.agent == claude,
	}
	f.text, f.anchor = p.doc.lineText(f.Range.Line), f.Range.Line
	switch p.doc.made[p.rule.ID]++; {
	case p.doc.made[p.rule.ID] < maxAlike:
		p.doc.findings = append(p.doc.findings, f)
	case p.doc.made[p.rule.ID] == maxAlike:
		last := *f
		last.Message = fmt.Sprintf("more than %d %s findings in this file; the rest are hidden", maxAlike-1, p.rule.ID)
		p.doc.findings = append(p.doc.findings, &last)
	}
	return f
}

// beside notes a finding in a line of a file that belongs to this one: a script, or a case of a suite.
func (p *pass) beside(file string, src []byte, line int, format string, a ...any) *Finding {
	f := p.find(0, 0, format, a...)
	f.of, f.path, f.File, f.fixed = &p.doc.file, file, p.doc.nameBeside(p.doc.file.Name, file), p.doc.nameBeside(p.doc.file.FixedName(), file)
	start := 0
	for range line - 1 {
		start += bytes.IndexByte(src[start:], '\n') + 1
	}
	text, _, _ := bytes.Cut(src[start:], []byte("\n"))
	text = bytes.TrimRight(text, "\r")
	f.text = Mask(string(text))
	f.Range = Range{Line: line, Column: 1, EndLine: line, EndColumn: 1 + utf8.RuneCount(text), Offset: start, End: start + len(text)}
	return f
}

// nameBeside returns what a file that belongs to this one is called, by what this one is called.
func (d *document) nameBeside(own, file string) string {
	rel, err := filepath.Rel(filepath.Dir(d.file.Path), file)
	if err != nil {
		return file
	}
	return strings.ToValidUTF8(path.Join(path.Dir(own), filepath.ToSlash(rel)), "\ufffd")
}

// reads notes that a file beside this one was looked at.
func (d *document) reads(file string) {
	d.also = append(d.also, d.nameBeside(d.file.FixedName(), file))
}

// maxAlike is how many findings of one rule a file can have: nobody reads more, and a hostile
// file could have millions.
const maxAlike = 1000

// at notes a finding in a part of a directive's command.
func (p *pass) at(d *directive, from, to int, format string, a ...any) *Finding {
	f := p.find(d.at(from), d.at(to), format, a...)
	f.anchor = d.line
	return f
}

// severe makes a finding matter less or more than its rule does, unless the user said how much.
func (p *pass) severe(f *Finding, s Severity) *Finding {
	if _, said := p.doc.opt.Rules[p.rule.ID]; !said {
		f.Severity = s
	}
	return f
}

func replace(title string, unsafe bool, start, end int, text string) *Fix {
	return &Fix{Title: title, Unsafe: unsafe, Edits: []Edit{{start, end, text}}}
}

// rename makes a fix that gives a key of a mapping another name. The mapping is the path to it.
func rename(title, mapping string, start, end int, text string) *Fix {
	fix := replace(title, false, start, end, text)
	fix.makes = mapping + "/" + strings.Trim(text, `"`)
	return fix
}

// rangeOf counts lines and columns.
func (d *document) rangeOf(start, end int) Range {
	r := Range{Offset: start, End: end}
	r.Line, r.Column = d.position(start)
	r.EndLine, r.EndColumn = d.position(end)
	return r
}

// position counts on from the place that was asked for last, as a line may be very long.
func (d *document) position(offset int) (line, column int) {
	line = d.lineAt(offset)
	from, column := d.lines[line-1], 1
	if d.last.line == line && d.last.offset <= offset {
		from, column = d.last.offset, d.last.column
	}
	column += utf8.RuneCountInString(d.src[from:offset])
	d.last.line, d.last.column, d.last.offset = line, column, offset
	return line, column
}

// lineText returns a line without its end.
func (d *document) lineText(line int) string {
	start, end := d.lines[line-1], len(d.src)
	if line < len(d.lines) {
		end = d.lines[line]
	}
	return strings.TrimRight(d.src[start:end], "\r\n")
}

// fingerprint names each finding by its rule, its file and what its line says, so that it stays
// the same when lines above it change. Equal ones are counted.
func fingerprint(all []*Finding) {
	seen := map[string]int{}
	for _, f := range all {
		line := f.text[:min(len(f.text), 1000)] // a long one may hold very many findings
		line = strings.Join(strings.Fields(line), " ")
		sum := sha256.Sum256([]byte(f.Rule + "\x00" + f.fixed + "\x00" + line))
		name := hex.EncodeToString(sum[:8])
		seen[name]++
		f.Fingerprint = fmt.Sprintf("%s:%d", name, seen[name])
	}
}
