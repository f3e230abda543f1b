package cli

import (
	"slices"
	"strconv"
	"testing"

	"github.com/spf13/cobra"
)

// TestSetArgs: a command has the arguments and flags that cobra would give it, however many there are.
func TestSetArgs(t *testing.T) {
	type had struct {
		args []string
		name string
		json bool
	}
	run := func(set func(*cobra.Command)) (h had, err error) {
		root := &cobra.Command{Use: "root", SilenceErrors: true, SilenceUsage: true}
		leaf := &cobra.Command{Use: "leaf", Args: cobra.ArbitraryArgs, RunE: func(_ *cobra.Command, args []string) error {
			h.args = args
			return nil
		}}
		leaf.Flags().StringVar(&h.name, "name", "", "")
		leaf.Flags().BoolVar(&h.json, "json", false, "")
		parent := &cobra.Command{Use: "parent"}
		parent.AddCommand(leaf)
		root.AddCommand(parent)
		set(root)
		return h, root.Execute()
	}
	for _, count := range []int{0, 1, few - 3, few - 2, few - 1, few, few + 1, few + 2, 3 * few} {
		files := make([]string, count)
		for i := range files {
			files[i] = strconv.Itoa(i)
		}
		for _, with := range [][]string{nil, {"--json"}, {"--name", "x"}, {"--", "-x"}, {"--wrong"}, {"-"}} {
			for _, at := range []int{0, count / 2, max(0, count-1), count} {
				args := append([]string{"parent", "leaf"}, slices.Insert(slices.Clone(files), at, with...)...)
				want, wantErr := run(func(root *cobra.Command) { root.SetArgs(args) })
				got, err := run(func(root *cobra.Command) { SetArgs(root, args) })
				if !slices.Equal(got.args, want.args) || got.name != want.name || got.json != want.json || (err == nil) != (wantErr == nil) {
					t.Errorf("%d arguments, %q at %d: %d arguments, name %q, json %v, error %v; want %d, %q, %v, %v",
						count, with, at, len(got.args), got.name, got.json, err, len(want.args), want.name, want.json, wantErr)
				}
			}
		}
	}
}
