package try

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/skillhand/skillhand"
	"github.com/skillhand/skillhand/claude"
)

// A Proposal is a case for an author to edit.
type Proposal struct {
	ID     string `yaml:"id" json:"id"`
	Prompt string `yaml:"prompt" json:"prompt"`
	Fires  bool   `yaml:"fires" json:"fires"`
}

// quoted finds what a description says that people say.
var quoted = regexp.MustCompile(`"([^"\n]{4,200})"|“([^”\n]{4,200})”`)

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
	for _, m := range quoted.FindAllStringSubmatch(s.Description, 3) {
		add(true, m[1]+m[2])
	}
	for _, sentence := range sentences(s.Description) {
		if len(all) == 4 {
			break
		}
		add(true, "I need this done here: "+sentence)
	}
	if len(all) == 0 {
		add(true, "I need this done here: "+strings.ReplaceAll(s.Name, "-", " "))
	}
	about := words(s.Description + " " + strings.ReplaceAll(s.Name, "-", " "))
	for i, w := range about {
		if i == 2 {
			break
		}
		add(false, fmt.Sprintf("What does the word %q mean? Answer in one sentence.", w))
	}
	return all
}

var sentenceEnd = regexp.MustCompile(`[.!?;](\s+|$)`)

func sentences(text string) []string {
	var all []string
	for _, sentence := range sentenceEnd.Split(text, -1) {
		if sentence = strings.TrimSpace(sentence); len(words(sentence)) > 1 && !quoted.MatchString(sentence) {
			all = append(all, sentence)
		}
	}
	return all
}

var proposalSchema = json.RawMessage(`{"type":"object","required":["cases"],"additionalProperties":false,"properties":{"cases":{"type":"array","items":
{"type":"object","required":["id","prompt","fires"],"additionalProperties":false,"properties":{"id":{"type":"string"},"prompt":{"type":"string"},"fires":{"type":"boolean"}}}}}}`)

// Ask has a model propose cases.
func (s *Subject) Ask(ctx context.Context, rt *skillhand.Runtime, model string) ([]Proposal, error) {
	dir, err := os.MkdirTemp("", scratchPrefix)
	if err != nil {
		return nil, err
	}
	defer RemoveTree(dir)
	reply, err := rt.Ask(ctx, skillhand.AskRequest{Label: "try --init " + s.Name, Request: claude.Request{
		Prompt: fmt.Sprintf("A coding agent has a skill named %q. All it sees before it decides to use it is this description:\n\n<description>\n%s\n</description>\n\n"+
			"Propose 8 prompts that people would type for which the agent should use the skill (fires: true), in their own words, short and long, without naming the skill; "+
			"and 8 near misses: prompts with the same words or about the same subject for which it should not (fires: false). Give each an id of a few letters.", s.Name, s.Description),
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
	file := filepath.Join(s.folder, "evals", "cases.yaml")
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
