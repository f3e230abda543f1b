package migrate

import "path"

// A Document is what became of many files, as skillhand migrate --json prints
// it: schemas/migrate-v1.schema.json.
type Document struct {
	Files   []Outcome  `json:"files"`
	Unclear []Position `json:"unclear"` // lines that run a command of which nothing is known, and read its output
	Summary Summary    `json:"summary"`
}

// A Position is a line of a file.
type Position struct {
	Path string `json:"path"`
	Line int    `json:"line"`
}

// An Outcome is what became of one file.
type Outcome struct {
	Path   string `json:"path"`
	Status Status `json:"status"`
	Reason string `json:"reason"`
	Line   int    `json:"line"`
	Backup string `json:"backup"` // where the file is kept as it was; "" if it is not
}

// A Summary counts files by what became of them.
type Summary struct {
	Changed   int `json:"changed"`
	Unchanged int `json:"unchanged"`
	LeftAlone int `json:"left_alone"`
	Failed    int `json:"failed"`
}

// Add takes in what became of one more file. The file that scripts source is not counted.
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
