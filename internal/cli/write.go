package cli

import (
	"context"
	"os"
	"path/filepath"

	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/term"
)

// WriteShown shows the change to a file, and writes it if a person at the terminal agrees. Without
// a terminal it only shows the change, because a model can run the command too.
func (std *Std) WriteShown(ctx context.Context, file string, e *files.Edit) error {
	std.Say(term.Visible(e.Diff()))
	if !std.Interactive() {
		std.Say("skillhand: nothing was written: there is no terminal to ask on")
		return nil
	}
	yes, err := std.Ask(ctx, "Write this to "+term.Near(file)+"? [y/N] ")
	if err != nil || !yes {
		return err
	}
	if len(e.Before) > 0 {
		return files.Replace(file, e.Before, e.After)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	return files.Write(file, e.After, 0o644)
}
