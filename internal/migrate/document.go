package migrate

import "path"

// A Document is the outcome of a migration, as skillhand migrate --json prints it:
// schemas/migrate-v1.schema.json.
type Document struct {
	Files   []Outcome  `json:"files"`
	Unclear []Position `json:"unclear"` // lines that run an unknown command and read its output
	Summary Summary    `json:"summary"`
}

// A Position is a line of a file.
type Position struct {
	Path string `json:"path"`
	Line int    `json:"line"`
}

// An Outcome says what happened to one file.
type Outcome struct {
	Path   string `json:"path"`
	Status Status `json:"status"`
	Reason string `json:"reason"`
	Line   int    `json:"line"`
	Backup string `json:"backup"` // where the original is kept; "" if it is not kept
}

// A Summary counts files by their status.
type Summary struct {
	Changed   int `json:"changed"`
	Unchanged int `json:"unchanged"`
	LeftAlone int `json:"left_alone"`
	Failed    int `json:"failed"`
}

// Add adds the outcome of one more file. It does not count the file that scripts source.
func (d *Document) Add(o Outcome) {
	d.Files = append(d.Files, o)
	switch o.Status {
	case Changed:
		if path.Base(o.Path) != ReportFile {
			d.Summary.Changed++
		}
	case Unchanged:
		d.Summary.Unchanged++
	case LeftAlone:
		d.Summary.LeftAlone++
	case Failed:
		d.Summary.Failed++
	}
}
