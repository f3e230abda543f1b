package cli

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// completion adapts cobra's command: its words, the lines that install a script, and a script for
// bash that needs no other package.
func completion(std *Std, cmd *cobra.Command) {
	Group(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cmd.Help()
		}
		return Usagef("unknown command %q: want bash, zsh, fish or powershell", args[0])
	}
	cmd.Short = "Print the completion script for a shell"
	long := "Print a script that lets a shell complete commands, flags and skill names. To load it, add a line to the shell's start-up file:\n"
	for _, l := range loadCompletion {
		long += fmt.Sprintf("\n  %-42s %s\n      %s\n", l.file, l.shell, l.line)
	}
	cmd.Long, cmd.Example = long, "  skillhand completion bash"
	for _, c := range cmd.Commands() {
		c.Short = "Print the completion script for " + c.Name()
		c.Args = Args(cobra.NoArgs)
		for _, l := range loadCompletion {
			if l.shell == c.Name() {
				c.Long = c.Short + ". To load it, add the line above to " + l.file + "."
				c.Example = "  " + l.line
			}
		}
		if c.Name() == "bash" {
			c.RunE = func(c *cobra.Command, _ []string) error { return bashCompletion(std, c) }
		}
	}
}

// loadCompletion lists the line that loads the completions, in each shell's start-up file.
var loadCompletion = []struct{ shell, file, line string }{
	{"bash", "~/.bashrc", "source <(skillhand completion bash)"},
	{"zsh", "~/.zshrc, below compinit", "source <(skillhand completion zsh)"},
	{"fish", "~/.config/fish/config.fish", "skillhand completion fish | source"},
	{"powershell", "$PROFILE", "skillhand completion powershell | Out-String | Invoke-Expression"},
}

// bashCompletion prints the script for bash. Cobra's script calls a function of the package
// bash-completion, which many machines lack, so this script contains its own version.
func bashCompletion(std *Std, cmd *cobra.Command) error {
	var b bytes.Buffer
	bare, _ := cmd.Flags().GetBool("no-descriptions")
	if err := cmd.Root().GenBashCompletionV2(&b, !bare); err != nil {
		return err
	}
	const calls = `_get_comp_words_by_ref "$@" cur prev words cword`
	script := strings.Replace(b.String(), calls, bashWords, 1)
	if script == b.String() {
		return fmt.Errorf("completion bash: cobra's script does not call _get_comp_words_by_ref")
	}
	return std.Print(script)
}

// plainUsages removes the quotes around placeholders from the usage of flags, because a shell would
// show them.
func plainUsages(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) { f.Usage = strings.ReplaceAll(f.Usage, "`", "") })
	for _, c := range cmd.Commands() {
		plainUsages(c)
	}
}

// bashWords sets cur, prev, words and cword to the words up to the cursor. Bash splits words at =
// and :. This code joins them again unless there are spaces between them, as _get_comp_words_by_ref
// -n =: does.
const bashWords = `if declare -F _get_comp_words_by_ref >/dev/null 2>&1; then
        _get_comp_words_by_ref "$@" cur prev words cword
        return
    fi
    local i word last blank line=${COMP_LINE-} rest
    rest=${line:0:COMP_POINT}
    words=()
    for ((i = 0; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]-}
        blank=${rest%%[![:space:]]*}
        rest=${rest#"$blank"}
        if [[ $i == "$COMP_CWORD" && -n $line && $word == "$rest"* ]]; then
            word=$rest
        fi
        rest=${rest#"$word"}
        last=$((${#words[@]} - 1))
        if ((last > 0)) && [[ -z $blank && ($word == [=:]* || ${words[last]} == *[=:]) ]]; then
            words[last]+=$word
        else
            words+=("$word")
        fi
    done
    cword=$((${#words[@]} - 1))
    cur=${words[cword]}
    prev=
    if ((cword > 0)); then
        prev=${words[cword - 1]}
    fi`
