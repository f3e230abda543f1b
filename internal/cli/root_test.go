package cli

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
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

// TestFlagLines: values are in capitals, and words of a description are not, wherever a line breaks.
func TestFlagLines(t *testing.T) {
	set := pflag.NewFlagSet("x", pflag.ContinueOnError)
	set.IntP("jobs", "j", 4, "`number` of trials at the same time; with --batch over all machines")
	set.String("pin", "", "the `digest`")
	set.Lookup("pin").NoOptDefVal = "now"
	for columns := 30; columns < 90; columns++ {
		text := strings.Join(strings.Fields(flagLines(set, columns)), " ")
		if want := "-j, --jobs NUMBER number of trials at the same time; with --batch over all machines (default 4) " +
			"--pin[=DIGEST] the digest"; text != want {
			t.Errorf("in %d columns: %s", columns, text)
		}
	}
}
