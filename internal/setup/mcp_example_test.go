package setup_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/skillhand/skillhand/internal/setup"
)

// A change can be looked at before it is made.
func ExamplePlanMCP() {
	home, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(home)
	change, err := setup.PlanMCP("gemini", setup.MCPOwner{Home: home}, false, setup.MCPCommand{Program: "skillhand", Args: []string{"mcp"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	file, _ := filepath.Rel(home, change.File)
	fmt.Println(filepath.ToSlash(file))
	fmt.Print(string(change.After))
	// Output:
	// .gemini/settings.json
	// {
	//   "mcpServers": {
	//     "skillhand": {"command":"skillhand","args":["mcp"]}
	//   }
	// }
}
