package verdict

import "github.com/skillhand/skillhand/internal/proc"

// The package that defines these types is internal, so importers use the names here.
type (
	// A Result says how a program ended.
	Result = proc.Result
	// Cut says why a program was stopped before it ended by itself.
	Cut = proc.Cut
)

// The reasons why a program was stopped.
const (
	CutNot      = proc.Not      // it was not stopped: it ended by itself
	CutTimeout  = proc.Timeout  // it reached its time limit
	CutFlooded  = proc.Flooded  // it wrote too much
	CutCanceled = proc.Canceled // the context ended
)
