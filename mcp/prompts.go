package mcp

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Claude Code splits what is typed after a prompt's name at white space, a word
// for each argument, and drops what is left over. So a prompt has an argument
// for each of many words, joined again here; what comes in the last one says
// that words may have been dropped. Other hosts ask for the first alone.
const (
	maxWords  = 64
	firstWord = "arguments"
)

func promptArguments(hint string) []*sdk.PromptArgument {
	all := []*sdk.PromptArgument{{Name: firstWord, Description: hint}}
	for n := 2; n <= maxWords; n++ {
		all = append(all, &sdk.PromptArgument{Name: strconv.Itoa(n)})
	}
	return all
}

// prompts lists one prompt for each skill that people may call.
func (sv *serving) prompts() []*sdk.Prompt {
	all := []*sdk.Prompt{}
	for _, e := range sv.offered((*entry).forPeople) {
		all = append(all, &sdk.Prompt{Name: e.Call, Description: e.Description, Arguments: promptArguments(e.front.ArgumentHint)})
	}
	return all
}

// prompt answers with the page as the user's message.
func (sv *serving) prompt(ctx context.Context, p *sdk.GetPromptParams) (*sdk.GetPromptResult, error) {
	e, err := sv.find(p.Name, (*entry).forPeople)
	if err != nil {
		return nil, invalid("%v", err)
	}
	arguments, err := joinWords(p.Arguments)
	if err != nil {
		return nil, invalid("%s: %v", e.Call, err)
	}
	page, err := sv.page(ctx, e, arguments, false)
	if err != nil {
		return nil, err
	}
	return &sdk.GetPromptResult{
		Description: e.Description,
		Messages:    []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: page.Text}}},
	}, nil
}

// joinWords puts the arguments together that a host has split.
func joinWords(given map[string]string) (string, error) {
	var words []string
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
