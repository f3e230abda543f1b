package settings_test

import (
	"fmt"

	"github.com/skillhand/skillhand/internal/claudecode/settings"
)

// One key changes, and every other byte stays.
func ExampleSet() {
	src := []byte("{\n  \"model\": \"opus\",\n  \"env\": {\"A\": \"1\"}\n}\n")
	out, err := settings.Set("settings.json", src, `{"type": "command", "command": "skillhand statusline"}`, "statusLine")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s", out)
	// Output:
	// {
	//   "model": "opus",
	//   "env": {"A": "1"},
	//   "statusLine": {"type": "command", "command": "skillhand statusline"}
	// }
}
