package check

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// A Document is a result as JSON. It is described by schemas/check-v1.schema.json.
type Document struct {
	Schema   string     `json:"schema"`
	Version  string     `json:"version"` // of skillhand
	Checked  Checked    `json:"checked"`
	Findings []*Finding `json:"findings"`
	Ignored  int        `json:"ignored"`  // findings that the files ask to be ignored
	Baseline int        `json:"baseline"` // findings that are in the baseline
}

// Checked says how much was checked.
type Checked struct {
	Files      int `json:"files"`
	Directives int `json:"directives"`
	Skipped    int `json:"skipped"` // files in folders of tests and of other people's code
}

// SchemaURL is the address of the schema of Document.
const SchemaURL = "https://skillhand.dev/schemas/check-v1.schema.json"

// Document returns the result, to be printed as JSON.
func (r *Result) Document(version string, baseline int) *Document {
	return &Document{Schema: SchemaURL, Version: version, Checked: Checked{r.Files, r.Directives, r.Skipped},
		Findings: r.Findings, Ignored: r.Ignored, Baseline: baseline}
}

// GitHub writes findings as commands of GitHub's workflows, the worst first: it shows few.
func GitHub(w io.Writer, all []*Finding) error {
	data := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	for _, f := range worstFirst(all) {
		kind := string(f.Severity)
		if f.Severity == Info {
			kind = "notice"
		}
		text := f.Message
		if f.Help != "" {
			text += "\n" + f.Help
		}
		_, err := fmt.Fprintf(w, "::%s file=%s,line=%d,endLine=%d,col=%d,endColumn=%d,title=%s::%s\n", kind, property.Replace(f.File), f.Range.Line, f.Range.EndLine,
			f.Range.Column, f.Range.EndColumn, property.Replace(f.Rule+" "+f.Name), data.Replace(text))
		if err != nil {
			return err
		}
	}
	return nil
}

// maxResults is how many results GitHub shows of a SARIF file.
const maxResults = 5000

// SARIF writes findings in the Static Analysis Results Interchange Format 2.1.0, within what
// GitHub takes: the worst 5,000. Files have the names that they were found by.
func (r *Result) SARIF(w io.Writer, version string) error {
	all := worstFirst(r.Findings)
	dropped := max(0, len(all)-maxResults)
	all = all[:len(all)-dropped]
	run := sarifRun{Results: []sarifResult{}, ColumnKind: "unicodeCodePoints"}
	run.Tool.Driver = sarifDriver{Name: "skillhand", Version: version, URI: "https://github.com/skillhand/skillhand", Rules: []sarifRule{}}
	index := map[string]int{}
	for _, f := range all {
		if _, ok := index[f.Rule]; !ok {
			index[f.Rule] = len(run.Tool.Driver.Rules)
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, newSarifRule(ByName(f.Rule)))
		}
		run.Results = append(run.Results, newSarifResult(f, index[f.Rule]))
	}
	run.Invocations = []sarifInvocation{{Successful: true}}
	if dropped > 0 {
		run.Invocations[0].Notifications = []sarifNotification{{
			Level:   "warning",
			Message: sarifText{Text: fmt.Sprintf("%d further findings are left out: a file holds at most %d", dropped, maxResults)},
		}}
	}
	run.Properties = map[string]int{"files": r.Files, "directives": r.Directives}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run}})
}
