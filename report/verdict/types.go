package verdict

import "github.com/skillhand/skillhand/internal/proc"

// The package that defines these is internal, so importers use the names here.
type (
	// A Result says how a program ended.
	Result = proc.Result
	// Cut says why a program was ended before its time.
	Cut = proc.Cut
)

// Why a program was ended before its time.
const (
	CutNot      = proc.Not      // it ended by itself
	CutTimeout  = proc.Timeout  // its time was over
	CutFlooded  = proc.Flooded  // it wrote too much
	CutCanceled = proc.Canceled // the context ended
)
