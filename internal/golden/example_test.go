//go:build unix

package golden_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/skillhand/skillhand"
	"github.com/skillhand/skillhand/internal/golden"
	"github.com/skillhand/skillhand/internal/here"
	"github.com/skillhand/skillhand/skill"
)

// The recording contains the output of the directive, so nothing runs.
func ExampleRun() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	folder := filepath.Join(dir, ".claude", "skills", "card")
	if err := os.MkdirAll(filepath.Join(folder, "tests"), 0o777); err != nil {
		fmt.Println(err)
		return
	}
	for name, text := range map[string]string{
		"SKILL.md":       page,
		"tests/it.txtar": given + "-- page --\nDear Ada, it is yesterday.\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666); err != nil {
			fmt.Println(err)
			return
		}
	}
	at := here.Here{Dir: dir, Home: dir, State: filepath.Join(dir, "state")}
	loc := skill.Location{Name: "card", File: filepath.Join(folder, "SKILL.md"), Folder: folder}
	files := golden.Find(loc)
	fmt.Println(len(files))
	result := golden.Run(context.Background(), skillhand.Runtime{Here: at}, loc, files[0], golden.Options{})
	fmt.Println(result.OK)
	for _, c := range result.Checks {
		fmt.Print(c.Name, "\n", c.Diff)
	}
	// Output:
	// 1
	// false
	// page
	// diff want/page got/page
	// --- want/page
	// +++ got/page
	// @@ -1,1 +1,1 @@
	// -Dear Ada, it is yesterday.
	// +Dear Ada, it is today.
}
