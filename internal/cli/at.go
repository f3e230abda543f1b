package cli

import (
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand"
	"github.com/skillhand/skillhand/internal/here"
)

// An At holds the flags for the folder that a command works in and for the folders of skills.
type At struct {
	Session    string
	PluginRoot string
	Roots      []string
	Cwd        string // "" means the current folder
}

// RootFlags adds the flags for folders of skills.
func (a *At) RootFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&a.PluginRoot, "plugin-root", "", "the plugin's `folder` (default $CLAUDE_PLUGIN_ROOT)")
	f.StringArrayVar(&a.Roots, "root", nil, "a further `folder` of skills; repeatable")
}

// Flags adds the flags of RootFlags, and the flag for another working folder.
func (a *At) Flags(cmd *cobra.Command) {
	a.RootFlags(cmd)
	cmd.Flags().StringVar(&a.Cwd, "cwd", "", "work in this `folder` instead of here")
}

// Here returns the place that the flags and an environment describe.
func (a *At) Here(env []string) (here.Here, error) {
	h, err := here.Here{Session: a.Session, PluginRoot: a.PluginRoot, Roots: a.Roots, Env: env}.Complete()
	if err == nil && a.Cwd != "" {
		h, err = h.At(a.Cwd)
	}
	return h, err
}

// Runtime returns the runtime of a command at that place. doing describes the command if a person
// must be asked.
func (a *At) Runtime(std *Std, doing string) (*skillhand.Runtime, error) {
	h, err := a.Here(std.Env)
	if err != nil {
		return nil, err
	}
	rt := std.Runtime(h)
	rt.Confirm = std.Confirm(doing)
	return rt, nil
}

// SkillNames lists the skills that can be loaded there, for completion. It ignores errors: the
// command itself reports them.
func (a *At) SkillNames(std *Std) []string {
	h, err := a.Here(std.Env)
	if err != nil {
		return nil
	}
	all, _ := h.Finder().List()
	var names []string
	for _, loc := range all {
		names = append(names, loc.Call)
	}
	return names
}

// CompleteSkills lets a shell complete the names of skills, as the first argument or as every
// argument.
func (a *At) CompleteSkills(std *Std, every bool) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 && !every {
			return nil, cobra.ShellCompDirectiveDefault
		}
		return a.SkillNames(std), cobra.ShellCompDirectiveDefault
	}
}

// Runtime returns a runtime that never asks a person.
func (std *Std) Runtime(h here.Here) *skillhand.Runtime {
	rt := &skillhand.Runtime{Here: h, Builtins: skillhand.Builtins(), Warn: std.Warn}
	if program := std.Program(); program != "" {
		rt.Self = []string{program, "builtin"}
	}
	return rt
}

// Program returns the path of skillhand: of this program or, in the second program, of the first
// beside it. It returns "" if skillhand is not there.
func (std *Std) Program() string {
	self, err := os.Executable()
	if err != nil || !std.second {
		return self
	}
	first := filepath.Join(filepath.Dir(self), "skillhand"+filepath.Ext(self))
	if _, err := os.Stat(first); err != nil {
		return ""
	}
	return first
}
