package skillhand_test

import (
	"context"
	"fmt"
	"os"

	"github.com/skillhand/skillhand"
	"github.com/skillhand/skillhand/claude"
)

// Load a skill as the agent should read it. A function of the program's own
// gives the live output; no process is started for it.
func ExampleRuntime_Load() {
	rt := skillhand.Runtime{TrustAll: true, Builtins: map[string]skillhand.Builtin{
		"count-open": func(_ context.Context, args []string, std skillhand.Std) int {
			fmt.Fprintf(std.Out, "3 open for %s", args[0])
			return 0
		},
	}}
	page, err := rt.Load(context.Background(), skillhand.LoadRequest{Skill: "testdata/open", Args: skillhand.ParseArgs("Ada")})
	if err != nil {
		fmt.Println(err)
		return
	}
	page.WriteTo(os.Stdout) // and the skill counts as seen
	// Output: Look after these first: 3 open for Ada.
}

// Run a skill's script and judge what it reports.
func ExampleRuntime_Run() {
	rt := skillhand.Runtime{TrustAll: true, NoHistory: true}
	v, err := rt.Run(context.Background(), skillhand.RunRequest{Script: "testdata/deploy", Args: []string{"staging"}})
	if err != nil {
		fmt.Println(err) // nothing ran
		return
	}
	fmt.Println(v.OK, v.Report.Success)
	for _, p := range v.Problems {
		fmt.Println(p.Code+":", p.Message)
	}
	// Output:
	// false true
	// DELIVERABLE_MISSING: staging.url: no such file or directory
}

// Ask Claude, and learn why there is no answer.
func ExampleRuntime_Ask() {
	rt := skillhand.Runtime{NoHistory: true, Claude: claude.Client{Path: "testdata/claude", Retries: 2}}
	reply, err := rt.Ask(context.Background(), skillhand.AskRequest{Request: claude.Request{Prompt: "What is the capital of France?"}})
	if e, ok := err.(*claude.Error); ok {
		fmt.Println(e.Category, e.Kind, e.Temporary())
		return
	}
	fmt.Println(reply.Output)
	// Output: quota usage-limit false
}
