package eval

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/skillhand/skillhand"
	"github.com/skillhand/skillhand/claude"
	"github.com/skillhand/skillhand/internal/lazy"
)

// A Proposal is a case for an author to edit.
type Proposal struct {
	ID     string `yaml:"id" json:"id"`
	Prompt string `yaml:"prompt" json:"prompt"`
	Fires  bool   `yaml:"fires" json:"fires"`
}

// quoted finds what a description says that people say.
var quoted = lazy.Regexp(`"([^"\n]{4,200})"|“([^”\n]{4,200})”`)

// Propose makes cases from a skill's description: what it says people say, what
// it says it does, and near misses, which are about its subject and no work for it.
func (s *Subject) Propose() []Proposal {
	var all []Proposal
	add := func(fires bool, prompt string) {
		id := fmt.Sprintf("fires-%d", len(all)+1)
		if !fires {
			id = fmt.Sprintf("quiet-%d", len(all)+1)
		}
		all = append(all, Proposal{id, prompt, fires})
	}
	for _, m := range quoted.Get().FindAllStringSubmatch(s.Description, 3) {
		add(true, m[1]+m[2])
	}
	for _, prompt := range typed(s.Description) {
		if len(all) == 4 {
			break
		}
		add(true, prompt)
	}
	if len(all) == 0 {
		add(true, "I need help with "+strings.ReplaceAll(s.Name, "-", " "))
	}
	name := strings.ReplaceAll(s.Name, "-", " ")
	add(false, fmt.Sprintf("What does %q mean? Answer in one sentence.", name))
	if w := longest(words(sentenceEnd.Get().Split(s.Description, 2)[0]), name); w != "" {
		add(false, fmt.Sprintf("Where does the word %q come from? Answer in one sentence.", w))
	}
	return all
}

// longest is the longest of some words that a name does not have: it says most about the subject.
func longest(list []string, name string) string {
	var found string
	for _, w := range list {
		if len(w) > len(found) && !strings.Contains(name, w) {
			found = w
		}
	}
	return found
}

var (
	sentenceEnd = lazy.Regexp(`[.!?;:](\s+|$)`)
	clauseEnd   = lazy.Regexp(`,\s+(?:(?:and|or)\s+)?|\s+(?:and|or)\s+|\s+[-–—]\s+|\s*[()]`)

	// occasion is how a description begins to say when the skill is for: perhaps who does something, and
	// perhaps that something is asked for, in words whose end tells what follows.
	occasion = lazy.Regexp(`(?i)^(?:this skill (?:should be used|is for|is used)|` +
		`(?:you )?(?:must |should )?(?:always )?use (?:this skill|this|it)?|also)?` +
		`\s*(?:proactively )?(?:when(?:ever)?|before|after|if|for|to)\s+(?:(the user|a user|someone|somebody)\s+|(?:users?|you|people|claude)\s+)?` +
		`(?:(?:is|are|explicitly|has|have)\s+)*` +
		`(asks? to|wants? to|needs? to|asks? you to|asks? for|asks? about|asks?|wants?|needs?|mentions?|requests?|says?)?\s*(?:any |the |an |a )?`)
	thirdPerson = lazy.Regexp(`^[A-Za-z][a-z]+[a-rt-z]s$`)
)

// asked are the ways in which people ask for something to be done, and for help with a thing.
var asked = struct{ verb, thing, question []string }{
	[]string{"Please %s", "Can you %s?", "I want to %s", "Could you %s for me?"},
	[]string{"I need help with %s", "Can you help me with %s?", "Please help me with %s", "Let's get started with %s"},
	[]string{"Please tell me %s", "Can you tell me %s?", "I want to know %s", "Could you tell me %s?"},
}

// typed is what a person may type to get what a description promises: of each of its sentences a
// part or two, in other words.
func typed(description string) []string {
	var all []string
	for _, sentence := range sentenceEnd.Get().Split(description, -1) {
		if quoted.Get().MatchString(sentence) {
			continue // it says itself what people say
		}
		rest, verb, does := strings.TrimSpace(sentence), false, true
		if m := occasion.Get().FindStringSubmatch(rest); m != nil {
			rest, verb, does = rest[len(m[0]):], strings.HasSuffix(m[2], " to"), m[1] != "" && m[2] == ""
		}
		first, _, _ := strings.Cut(rest, " ")
		if does && len(first) > 1 && strings.ToLower(first[1:]) == first[1:] {
			rest = strings.ToLower(rest[:1]) + rest[1:] // it began the sentence
		}
		does = does && thirdPerson.Get().MatchString(first)
		for i, clause := range clauseEnd.Get().Split(rest, -1) {
			if i == 2 {
				break
			}
			if prompt := asPrompt(clause, verb, does, len(all)); prompt != "" {
				all = append(all, prompt)
			}
		}
	}
	return all
}

// questions begin a clause that is a question as it stands: how long a text is.
var questions = strings.Fields("how what which why where when who whose whether")

var pronouns = strings.Fields("this that these those it they if all any such each then do not never")

// longestPrompt is how many words of a description one prompt has: people are brief.
const longestPrompt, longestQuestion = 8, 14

// asPrompt asks for what a clause says, the nth of its skill; "" if it says too little. The clause is
// something to do, or of a sentence about what the skill does.
func asPrompt(clause string, verb, does bool, n int) string {
	list := strings.Fields(clause)
	if len(words(clause)) < 2 || len(list) < 2 {
		return ""
	}
	if slices.Contains(questions, strings.ToLower(list[0])) {
		if len(list) > longestQuestion {
			return "" // a part of it is no question
		}
		return fmt.Sprintf(asked.question[n%len(asked.question)], strings.Join(list, " "))
	}
	list = phrase(list)
	first := list[0]
	if slices.Contains(pronouns, strings.ToLower(first)) {
		return "" // it speaks of something said before
	}
	if does && thirdPerson.Get().MatchString(first) {
		verb = true
		list[0] = baseForm(strings.ToLower(first))
	}
	forms := asked.thing
	if verb && !strings.HasSuffix(list[0], "ing") {
		forms = asked.verb
	}
	return fmt.Sprintf(forms[n%len(forms)], strings.Join(list, " "))
}

// These words begin what says more about a thing, or want another word after them.
var (
	relatives  = strings.Fields("who that which when while where whose using so because")
	unfinished = strings.Fields("a an the of to in on at by for from with into and or as its their your any all via than is are be not")
)

// phrase is the beginning of a clause that can stand alone.
func phrase(list []string) []string {
	for i, w := range list {
		if i > 2 && slices.Contains(relatives, strings.ToLower(w)) {
			list = list[:i]
			break
		}
	}
	list = list[:min(len(list), longestPrompt)]
	for len(list) > 2 && slices.Contains(unfinished, strings.ToLower(list[len(list)-1])) {
		list = list[:len(list)-1]
	}
	return list
}

// baseForm is a verb without the ending of the third person: fixes, applies, makes.
func baseForm(verb string) string {
	switch {
	case strings.HasSuffix(verb, "ies"):
		return strings.TrimSuffix(verb, "ies") + "y"
	case strings.HasSuffix(verb, "shes"), strings.HasSuffix(verb, "ches"), strings.HasSuffix(verb, "xes"), strings.HasSuffix(verb, "sses"):
		return strings.TrimSuffix(verb, "es")
	}
	return strings.TrimSuffix(verb, "s")
}

var proposalSchema = json.RawMessage(`{"type":"object","required":["cases"],"additionalProperties":false,"properties":{"cases":{"type":"array","items":
{"type":"object","required":["id","prompt","fires"],"additionalProperties":false,
"properties":{"id":{"type":"string"},"prompt":{"type":"string"},"fires":{"type":"boolean"}}}}}}`)

// Ask has a model propose cases.
func (s *Subject) Ask(ctx context.Context, rt *skillhand.Runtime, model string) ([]Proposal, error) {
	dir, err := os.MkdirTemp("", scratchPrefix)
	if err != nil {
		return nil, err
	}
	defer RemoveTree(dir)
	reply, err := rt.Ask(ctx, skillhand.AskRequest{Label: "try --init " + s.Name, Request: claude.Request{
		Prompt: fmt.Sprintf("A coding agent has a skill named %q. All it sees before it decides to use it is this description:\n\n"+
			"<description>\n%s\n</description>\n\n"+
			"Propose 8 prompts that people would type for which the agent should use the skill (fires: true), "+
			"in their own words, short and long, without naming the skill; and 8 near misses: "+
			"prompts with the same words or about the same subject for which it should not (fires: false). Give each an id of a few letters.",
			s.Name, s.Description),
		Dir: dir, Model: model, Schema: proposalSchema, Args: []string{"--setting-sources", "", "--disable-slash-commands"},
	}})
	if err != nil {
		return nil, err
	}
	var said struct {
		Cases []Proposal `json:"cases"`
	}
	if err := json.Unmarshal(reply.JSON, &said); err != nil {
		return nil, err
	}
	said.Cases = slices.DeleteFunc(said.Cases, func(p Proposal) bool { return strings.TrimSpace(p.Prompt) == "" })
	if len(said.Cases) == 0 {
		return nil, errors.New("claude: no case was proposed")
	}
	seen := map[string]bool{}
	for i, p := range said.Cases {
		if p.ID == "" || seen[p.ID] {
			said.Cases[i].ID = fmt.Sprintf("case-%d", i+1)
		}
		seen[said.Cases[i].ID] = true
	}
	return said.Cases, nil
}

const proposalHead = `# Cases for skillhand try: what people type, and whether the skill should fire.
# Edit them: these come from the description alone. A case may also have
#   files: folder           what its folder begins with
#   checks:                 what should hold afterwards
#     - {file: card.txt, contains: Ada}
#     - {command: "test -s card.txt"}
`

// WriteCases writes proposals beside a skill and returns the file. It replaces none.
func (s *Subject) WriteCases(cases []Proposal) (string, error) {
	text, err := yaml.Marshal(map[string]any{"cases": cases})
	if err != nil {
		return "", err
	}
	file := filepath.Join(s.Folder, "evals", "cases.yaml")
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return "", err
	}
	out, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return "", err
	}
	_, err = out.Write(append([]byte(proposalHead), text...))
	if err = errors.Join(err, out.Close()); err != nil {
		err = errors.Join(err, os.Remove(file)) // rather none than half of it
	}
	return file, err
}
