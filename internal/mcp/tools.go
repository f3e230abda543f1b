package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/skillhand/skillhand"
	"github.com/skillhand/skillhand/internal/render"
	"github.com/skillhand/skillhand/skill"
)

// alwaysLoad makes Claude Code show a tool to its model from the start.
var alwaysLoad = sdk.Meta{"anthropic/alwaysLoad": true}

const loadSchema = `{"type":"object","properties":{
"name":{"type":"string","description":"The skill's name, as in the list."},
"arguments":{"type":"string","description":"What the skill is to work on, in one string, as a person would type it after the skill's name. ` +
	`It is passed on as it is: quote nothing for a shell."},
"output_only":{"type":"boolean","description":"Only the output, made afresh: ` +
	`for a skill whose instructions you have read in this conversation and still see."}},
"required":["name"],"additionalProperties":false}`

const findSchema = `{"type":"object","properties":{
"query":{"type":"string","description":"A few words about the task."}},
"required":["query"],"additionalProperties":false}`

const runSchema = `{"type":"object","properties":{
"name":{"type":"string","description":"The skill's name, as in the list of load_skill."},
"arguments":{"type":"array","items":{"type":"string"},"description":"The script's arguments, a word each. No shell reads them."}},
"required":["name"],"additionalProperties":false}`

// tools lists the tools. The description of the first tool is the catalogue.
func (sv *serving) tools() []*sdk.Tool {
	all := sv.offered((*entry).forModels)
	text := catalogue(all)
	if len(all) == 0 {
		text += sv.whyNone()
	}
	return sv.toolsAbout(text)
}

func (sv *serving) toolsAbout(catalogue string) []*sdk.Tool {
	no := false
	all := []*sdk.Tool{
		{
			Name: "load_skill", Title: "Load a skill", Description: catalogue, InputSchema: json.RawMessage(loadSchema), Meta: alwaysLoad,
			Annotations: &sdk.ToolAnnotations{DestructiveHint: &no},
		},
		{
			Name: "find_skill", Title: "Find a skill", InputSchema: json.RawMessage(findSchema),
			Description: "Find the skills that fit a task: their names, and what each is for. Load one with load_skill.",
			Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: &no},
		},
	}
	if sv.server.AllowRun {
		all = append(all, &sdk.Tool{
			Name: "run_skill", Title: "Run a skill's script", InputSchema: json.RawMessage(runSchema),
			Description: "Run a skill's script and judge what it reports: whether it succeeded, what it made, and what speaks against it.",
		})
	}
	return all
}

// changed notifies clients that the lists have changed. The SDK does so when something is added.
// The lists themselves come from answer.
func (sv *serving) changed() {
	handlers := map[string]sdk.ToolHandler{"load_skill": sv.loadSkill, "find_skill": sv.findSkill, "run_skill": sv.runSkill}
	for _, t := range sv.toolsAbout("") {
		sv.sdk.AddTool(t, handlers[t.Name])
	}
	sv.sdk.AddPrompt(&sdk.Prompt{Name: "skill"}, nil)
	sv.sdk.AddResource(&sdk.Resource{URI: scheme, Name: "skill"}, nil)
}

type loadInput struct {
	Name       string `json:"name"`
	Arguments  string `json:"arguments"`
	OutputOnly bool   `json:"output_only"`
}

// loadSkill answers with the page, and with what skillhand load --json prints.
func (sv *serving) loadSkill(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	var in loadInput
	if err := decode(req, &in); err != nil {
		return failed(err), nil
	}
	e, err := sv.find(in.Name, (*entry).forModels)
	if err != nil {
		return failed(err), nil
	}
	page, err := sv.page(ctx, e, in.Arguments, in.OutputOnly)
	if err != nil {
		return failed(err), nil
	}
	return answered(req, page.Text, page), nil
}

// page makes a skill's page. A server has no session, so no skill counts as seen.
func (sv *serving) page(ctx context.Context, e entry, arguments string, outputOnly bool) (*skillhand.Page, error) {
	if len(arguments) > skill.MaxSize {
		return nil, fmt.Errorf("%s: arguments of %d bytes, want at most %d", e.listed.Call, len(arguments), skill.MaxSize)
	}
	plain := arguments == "" && !outputOnly
	if plain {
		if page := sv.statics.get(e); page != nil {
			return page, nil
		}
	}
	info, _ := os.Stat(e.listed.File) // if the file is gone, Load reports it
	done, err := sv.turn(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	// Load it by its file, so that the page comes from the file that was found and allowed.
	name := e.listed.File
	if e.listed.Command {
		name = e.listed.Call
	}
	use := skillhand.Full
	if outputOnly {
		use = skillhand.Reference
	}
	page, err := sv.runtime.Load(ctx, skillhand.LoadRequest{Skill: name, Args: render.ParseArgs(arguments), Use: use})
	if page != nil {
		page.Close()
	}
	if err == nil && plain {
		sv.statics.put(e, info, page)
	}
	return page, err
}

// A found is the answer of find_skill: the skills, as skillhand list --json prints them.
type found struct {
	Skills []skillhand.Listed `json:"skills"`
}

// maxFound limits how many skills find_skill returns.
const maxFound = 20

func (sv *serving) findSkill(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	var in struct {
		Query string `json:"query"`
	}
	if err := decode(req, &in); err != nil {
		return failed(err), nil
	}
	all := sv.offered((*entry).forModels)
	fit := matching(all, in.Query)
	doc, text, owners := found{Skills: []skillhand.Listed{}}, "", sv.here.Tree().Owners()
	for _, e := range fit[:min(len(fit), maxFound)] {
		e.listed.Owners = owners(e.listed.Location)
		doc.Skills = append(doc.Skills, e.listed)
		text += fmt.Sprintf("- %s: %s\n", e.listed.Call, e.listed.Description)
	}
	switch {
	case len(fit) > maxFound:
		text += fmt.Sprintf("and %d more: say more about the task\n", len(fit)-maxFound)
	case len(fit) == 0:
		text = fmt.Sprintf("None of the %d skills here fits. Try other words.\n", len(all))
	}
	return answered(req, text, doc), nil
}

// runSkill answers with what skillhand run --json prints.
func (sv *serving) runSkill(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	var in struct {
		Name      string   `json:"name"`
		Arguments []string `json:"arguments"`
	}
	if err := decode(req, &in); err != nil {
		return failed(err), nil
	}
	e, err := sv.find(in.Name, (*entry).forModels)
	if err != nil {
		return failed(err), nil
	}
	done, err := sv.turn(ctx)
	if err != nil {
		return failed(err), nil
	}
	defer done()
	verdict, err := sv.runtime.Run(ctx, skillhand.RunRequest{Script: e.listed.Call, Args: in.Arguments})
	if err != nil {
		return failed(err), nil
	}
	text, err := json.Marshal(verdict)
	if err != nil {
		return nil, err
	}
	res := answered(req, string(text), verdict)
	res.IsError = !verdict.OK
	return res, nil
}

// decode reads a tool's input. The model can correct the errors that it returns.
func decode(req *sdk.CallToolRequest, into any) error {
	text := req.Params.Arguments
	if len(text) == 0 {
		text = []byte("{}")
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return fmt.Errorf("%s: %s", req.Params.Name, strings.TrimPrefix(err.Error(), "json: "))
	}
	return nil
}

// documentsOnly lists the hosts that show their model the document, a page with the quotes and
// escapes of JSON, instead of the text. These hosts get only the text.
var documentsOnly = []string{"claude-code", "codex-mcp-client"}

// answered returns a result for both kinds of reader: text for models, a document for programs.
func answered(req *sdk.CallToolRequest, text string, doc any) *sdk.CallToolResult {
	res := &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}
	if host := req.ClientInfo(); host == nil || !slices.Contains(documentsOnly, host.Name) {
		res.StructuredContent = doc
	}
	return res
}

func failed(err error) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: err.Error()}}, IsError: true}
}
