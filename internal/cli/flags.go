package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/skillhand/skillhand/internal/term"
	"github.com/skillhand/skillhand/internal/words"
)

// OneOf declares a flag that accepts one of values. It refuses other values, completes them, and
// lists them in the help unless usage names them all. *p is the default.
func OneOf(cmd *cobra.Command, p *string, name, usage string, values ...string) {
	cmd.Flags().Var(&choice{p, values}, name, withValues(usage, values))
	Values(cmd, name, values...)
}

// SomeOf is like OneOf, for a flag that accepts several values, separated by commas or in repeated
// flags.
func SomeOf(cmd *cobra.Command, p *[]string, name, usage string, values ...string) {
	cmd.Flags().Var(&choices{p: p, values: values}, name, withValues(usage, values))
	Values(cmd, name, values...)
}

// withValues returns usage followed by the values, unless usage names them all.
func withValues(usage string, values []string) string {
	if !slices.ContainsFunc(values, func(v string) bool { return !strings.Contains(usage, v) }) {
		return usage
	}
	return usage + ": " + term.Either(values)
}

// A choice is the value of a flag that accepts one of a few words.
type choice struct {
	p      *string
	values []string
}

func (c *choice) String() string {
	if c.p == nil { // pflag calls String on a zero value
		return ""
	}
	return *c.p
}

func (c *choice) Type() string { return "string" }

func (c *choice) Set(typed string) error {
	if !slices.Contains(c.values, typed) {
		return &notOneOf{typed, c.values}
	}
	*c.p = typed
	return nil
}

// choices is the value of a flag that accepts several of a few words.
type choices struct {
	p      *[]string
	values []string
	set    bool // the default was replaced
}

func (c *choices) String() string {
	if c.p == nil {
		return ""
	}
	return strings.Join(*c.p, ",")
}

func (c *choices) Type() string { return "stringSlice" }

func (c *choices) Set(typed string) error {
	var all []string
	for word := range strings.SplitSeq(typed, ",") {
		word = strings.TrimSpace(word)
		if !slices.Contains(c.values, word) {
			return &notOneOf{word, c.values}
		}
		all = append(all, word)
	}
	if c.set {
		all = append(*c.p, all...)
	}
	*c.p, c.set = all, true
	return nil
}

// A notOneOf error says that a flag does not accept a word.
type notOneOf struct {
	typed  string
	values []string
}

func (e *notOneOf) Error() string {
	return fmt.Sprintf("is %q, want %s", e.typed, term.Either(e.values)) + DidYouMean(e.typed, e.values)
}

// exclusive matches cobra's message about flags that exclude each other.
var exclusive = words.Regexp(`^if any flags in the group \[.*\] are set none of the others can be; \[(.*)\] were all set$`)

// plainGroup rewrites cobra's message about flags that exclude each other.
func plainGroup(err error) error {
	if err == nil {
		return nil
	}
	if m := exclusive.Get().FindStringSubmatch(err.Error()); m != nil {
		names := strings.Fields(m[1])
		for i := range names {
			names[i] = "--" + names[i]
		}
		last := len(names) - 1
		return Usagef("%s and %s cannot be used together", strings.Join(names[:last], ", "), names[last])
	}
	return err
}

// Values lets a shell complete the value of a flag.
func Values(cmd *cobra.Command, flag string, values ...string) {
	ValuesFrom(cmd, flag, func() []string { return values })
}

// ValuesFrom lets a shell complete the value of a flag with the values that a function finds.
func ValuesFrom(cmd *cobra.Command, flag string, values func() []string) {
	err := cmd.RegisterFlagCompletionFunc(flag, func(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		all := slices.Clone(values())
		if comma := strings.LastIndexByte(typed, ','); cmd.Flag(flag).Value.Type() == "stringSlice" { // complete the word after the comma
			for i := range all {
				all[i] = typed[:comma+1] + all[i]
			}
		}
		return all, cobra.ShellCompDirectiveNoFileComp
	})
	if err != nil {
		panic(err) // the flag must be defined before
	}
}

var _ pflag.Value = (*choice)(nil)
