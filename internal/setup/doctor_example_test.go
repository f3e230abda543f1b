package setup_test

import (
	"context"
	"fmt"
	"os"

	"github.com/skillhand/skillhand/internal/setup"
)

func ExampleDiagnose() {
	home, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(home)
	found := setup.Diagnose(context.Background(), setup.DiagnoseRequest{Dir: home, Env: []string{"HOME=" + home, "PATH=" + home}})
	for _, f := range found.Checks {
		if f.Name == "claude" {
			fmt.Println(f.Status, f.Fix)
		}
	}
	// Output:
	// note npm install -g @anthropic-ai/claude-code
	// or, if it is elsewhere, set SKILLHAND_CLAUDE to its path
}
