package mcp

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/skillhand/skillhand/internal/render"
)

// Claude Code splits the text after a prompt's name at white space, one word per argument, and
// drops surplus words. For Claude Code a prompt therefore has maxWords arguments, which joinWords
// joins again. A word in the last argument shows that words may have been dropped. Other hosts show
// a form: there a prompt has the arguments that the skill names, or one for everything.
const (
	claudeCode = "claude-code" // the name that Claude Code gives itself
	maxWords   = 64
	firstWord  = "arguments"
)

func promptArguments(e *entry, host string) []*sdk.PromptArgument {
	hint := e.front.ArgumentHint
	if host == claudeCode {
		all := []*sdk.PromptArgument{{Name: firstWord, Description: hint}}
		for n := 2; n <= maxWords; n++ {
			all = append(all, &sdk.PromptArgument{Name: strconv.Itoa(n)})
		}
		return all
	}
	if len(e.front.Arguments) == 0 {
		return []*sdk.PromptArgument{{Name: firstWord, Description: hint}}
	}
	var all []*sdk.PromptArgument
	for _, name := range e.front.Arguments {
		all = append(all, &sdk.PromptArgument{Name: name})
	}
	return all
}

// prompts lists a prompt for each skill that people may call, with arguments that suit the host.
func (sv *serving) prompts(host string) []*sdk.Prompt {
	all := []*sdk.Prompt{}
	for _, e := range sv.offered((*entry).forPeople) {
		all = append(all, &sdk.Prompt{Name: e.listed.Call, Description: e.listed.Description, Arguments: promptArguments(&e, host)})
	}
	return all
}

// prompt answers with the page as a message from the user.
func (sv *serving) prompt(ctx context.Context, p *sdk.GetPromptParams) (*sdk.GetPromptResult, error) {
	e, err := sv.find(p.Name, (*entry).forPeople)
	if err != nil {
		return nil, invalid("%v", err)
	}
	arguments, err := joinWords(e.front.Arguments, p.Arguments)
	if err != nil {
		return nil, invalid("%s: %v", e.listed.Name, err)
	}
	page, err := sv.page(ctx, e, arguments, false)
	if err != nil {
		return nil, err
	}
	return &sdk.GetPromptResult{
		Description: e.listed.Description,
		Messages:    []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: page.Text}}},
	}, nil
}

// joinWords joins the arguments that a host has split or asked for by name.
func joinWords(names []string, given map[string]string) (string, error) {
	var words []string
	if slices.ContainsFunc(names, func(name string) bool { return name != firstWord && given[name] != "" }) {
		for _, name := range names {
			words = append(words, given[name])
		}
		return render.JoinArgs(words).Raw, nil
	}
	for n := 1; n <= maxWords; n++ {
		name := firstWord
		if n > 1 {
			name = strconv.Itoa(n)
		}
		if word := given[name]; word != "" {
			words = append(words, word)
		}
		if n == maxWords && given[name] != "" {
			return "", fmt.Errorf("more than %d words: ask the agent to load the skill, which takes arguments of any length", maxWords-1)
		}
	}
	return strings.Join(words, " "), nil
}
