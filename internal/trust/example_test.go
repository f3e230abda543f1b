package trust_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/skillhand/skillhand/internal/trust"
)

// A folder's commands run once its user trusts it.
func ExamplePolicy_May() {
	home, err := os.MkdirTemp("", "home")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(home)
	script := filepath.Join(home, "project", "run.sh")
	if err := os.MkdirAll(filepath.Dir(script), 0o700); err != nil {
		panic(err)
	}
	if err := os.WriteFile(script, nil, 0o700); err != nil {
		panic(err)
	}
	policy := trust.Policy{Store: trust.Store{Dir: filepath.Join(home, "state", "trust")}, Home: home}
	fmt.Println("runs:", policy.May(script) == nil)
	if _, err := policy.Store.Trust(filepath.Dir(script)); err != nil {
		panic(err)
	}
	fmt.Println("runs:", policy.May(script) == nil)
	// Output:
	// runs: false
	// runs: true
}
