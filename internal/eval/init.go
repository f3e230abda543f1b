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
)

// A Proposal is a case for an author to edit.
type Proposal struct {
	ID     string `yaml:"id" json:"id"`
	Prompt string `yaml:"prompt" json:"prompt"`
	Fires  bool   `yaml:"fires" json:"fires"`
}

// NewProposals makes cases from what people type: prompts for which the skill should fire, and
// prompts for which it should not. Try refuses a case whose prompt is still empty.
func NewProposals(fires, quiet []string) []Proposal {
	var all []Proposal
	for i, prompt := range fires {
		all = append(all, Proposal{fmt.Sprintf("fires-%d", i+1), prompt, true})
	}
	for i, prompt := range quiet {
		all = append(all, Proposal{fmt.Sprintf("quiet-%d", i+1), prompt, false})
	}
	return all
}

// NearMisses returns prompts that, by their cases, fire other skills and so should not fire this
// one. It returns at most two prompts of each skill, and six in all.
func (s *Subject) NearMisses(others []*Subject) []string {
	const each, most = 2, 6
	var all []string
	for _, other := range others {
		n := 0
		for _, c := range other.Cases {
			_, called := other.called(c.Prompt)
			if other.Folder == s.Folder || !c.Fires || c.Open || called || n == each || len(all) == most {
				continue
			}
			all, n = append(all, c.Prompt), n+1
		}
	}
	return all
}

// NeedsGit says what a case needs if a directive of the skill calls git, else "".
func (s *Subject) NeedsGit() string {
	if !s.callsGit() {
		return ""
	}
	return "a directive calls git, so each case's folder becomes a repository with one commit of its files (git: false turns this off)"
}

var proposalSchema = json.RawMessage(`{"type":"object","required":["cases"],"additionalProperties":false,"properties":{"cases":{"type":"array","items":
{"type":"object","required":["id","prompt","fires"],"additionalProperties":false,
"properties":{"id":{"type":"string"},"prompt":{"type":"string"},"fires":{"type":"boolean"}}}}}}`)

// Ask asks a model to propose cases.
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
# Write prompts as people type them; near misses show whether it stays quiet. A case may also have
#   files: folder           what its folder begins with
#   checks:                 what should hold afterwards
#     - {file: card.txt, contains: Ada}
#     - {command: "test -s card.txt"}
`

// WriteCases writes proposals beside a skill and returns the file. It never replaces a file.
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
		err = errors.Join(err, os.Remove(file)) // better no file than half a file
	}
	return file, err
}
