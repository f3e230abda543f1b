package mcp

import (
	"context"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.yaml.in/yaml/v3"

	"github.com/skillhand/skillhand/internal/words"
)

// extension is the name of SEP-2640, by which a host finds skills and their files.
const extension = "io.modelcontextprotocol/skills"

// A skillEntry describes a skill to hosts, in the extension's format.
type skillEntry struct {
	URI         string         `json:"uri"`
	Frontmatter map[string]any `json:"frontmatter"`
	Resources   any            `json:"resources"` // []fileEntry, or "dynamic" if the page is made when it is read
}

type fileEntry struct {
	URI    string `json:"uri"`
	Digest string `json:"digest"`
	Size   int    `json:"size"`
}

const dynamic = "dynamic"

type (
	listParams struct {
		sdk.ParamsBase
		Cursor string `json:"cursor,omitempty"`
	}
	getParams struct {
		sdk.ParamsBase
		URI    string `json:"uri"`
		Cursor string `json:"cursor,omitempty"`
	}
	complete struct {
		sdk.ResultBase
		sdk.Cacheable
		ResultType string `json:"resultType"`
	}
	listResult struct {
		complete
		Skills []*skillEntry `json:"skills"`
	}
	getResult struct {
		complete
		Skill *skillEntry `json:"skill"`
	}
	directoryResult struct {
		complete
		Resources []*sdk.Resource `json:"resources"`
	}
)

var whole = complete{Cacheable: cacheable, ResultType: "complete"}

func (sv *serving) addMethods() error {
	if err := sdk.AddReceivingCustomMethod(sv.sdk, "skills/list", sv.listSkills); err != nil {
		return err
	}
	if err := sdk.AddReceivingCustomMethod(sv.sdk, "skills/get", sv.getSkill); err != nil {
		return err
	}
	return sdk.AddReceivingCustomMethod(sv.sdk, "resources/directory/read", sv.readDirectory)
}

// listSkills lists, on one page, every skill that the extension can describe.
func (sv *serving) listSkills(ctx context.Context, _ *sdk.ServerSession, p *listParams) (*listResult, error) {
	if p != nil && p.Cursor != "" {
		return nil, invalid("cursor %q: the list has one page", p.Cursor)
	}
	res := &listResult{complete: whole, Skills: []*skillEntry{}}
	for _, e := range sv.offered((*entry).forModels) {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		if e.listed.Command {
			continue
		}
		one, err := sv.describe(e)
		if err != nil {
			sv.warn("%s: not in skills/list: %v", e.listed.File, err)
			continue
		}
		res.Skills = append(res.Skills, one)
	}
	return res, nil
}

func (sv *serving) getSkill(_ context.Context, _ *sdk.ServerSession, p *getParams) (*getResult, error) {
	if p == nil {
		return nil, invalid("uri is missing")
	}
	f, name, err := sv.folder(p.URI)
	if err != nil {
		return nil, invalid("%v", err)
	}
	defer f.root.Close()
	if name != mainDoc {
		return nil, invalid("%s: not a skill: want %s", p.URI, skillURI(f.entry.listed.Call, mainDoc))
	}
	one, err := f.describe()
	if err != nil {
		return nil, invalid("%s: %v", p.URI, err)
	}
	return &getResult{complete: whole, Skill: one}, nil
}

func (sv *serving) readDirectory(_ context.Context, _ *sdk.ServerSession, p *getParams) (*directoryResult, error) {
	if p == nil || p.Cursor != "" {
		return nil, invalid("want the uri of a folder, and no cursor: its list has one page")
	}
	f, dir, err := sv.folder(strings.TrimSuffix(p.URI, "/"))
	if err != nil {
		return nil, invalid("%v", err)
	}
	defer f.root.Close()
	all, err := f.children(dir)
	if err != nil {
		return nil, invalid("%v", err)
	}
	return &directoryResult{complete: whole, Resources: all}, nil
}

func (sv *serving) describe(e entry) (*skillEntry, error) {
	f, err := sv.openFolder(e)
	if err != nil {
		return nil, err
	}
	defer f.root.Close()
	return f.describe()
}

// goodName matches the names that the Agent Skills specification allows.
var goodName = words.Regexp(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// describe returns the skill's entry, or says why the extension cannot list it.
func (f *folder) describe() (*skillEntry, error) {
	front, err := frontmatter(f.header())
	if err != nil {
		return nil, err
	}
	name, _ := front["name"].(string)
	about, _ := front["description"].(string)
	switch {
	case name != f.entry.listed.Name:
		return nil, fmt.Errorf("its frontmatter calls it %q, its folder %q", name, f.entry.listed.Name)
	case !goodName.Get().MatchString(name) || len(name) > 64:
		return nil, fmt.Errorf("name %q: want lower-case letters, digits and hyphens", name)
	case strings.TrimSpace(about) == "":
		return nil, fmt.Errorf("it has no description")
	}
	one := &skillEntry{URI: skillURI(name, mainDoc), Frontmatter: front, Resources: dynamic}
	if !f.static {
		return one, nil
	}
	if one.Resources, err = f.files(); err != nil {
		return nil, err
	}
	return one, nil
}

// frontmatter converts the YAML of a header to JSON values, with every field as written.
func frontmatter(header []byte) (map[string]any, error) {
	text := strings.TrimPrefix(string(header), "\ufeff")
	_, text, _ = strings.Cut(text, "\n")
	text = text[:max(0, strings.LastIndex(text, "---"))]
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		return nil, err
	}
	if len(doc.Content) == 0 || doc.Content[0].Kind != yaml.MappingNode {
		return nil, fmt.Errorf("it has no frontmatter")
	}
	value, err := jsonValue(doc.Content[0], 0)
	if err != nil {
		return nil, err
	}
	return value.(map[string]any), nil
}

// jsonValue converts a YAML value to a JSON value. Dates stay as written, because JSON has no
// dates.
func jsonValue(n *yaml.Node, depth int) (any, error) {
	if depth > 100 {
		return nil, fmt.Errorf("line %d: nested more than 100 deep", n.Line)
	}
	switch n.Kind {
	case yaml.AliasNode:
		return jsonValue(n.Alias, depth+1)
	case yaml.MappingNode:
		m := map[string]any{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			v, err := jsonValue(n.Content[i+1], depth+1)
			if err != nil {
				return nil, err
			}
			m[n.Content[i].Value] = v
		}
		return m, nil
	case yaml.SequenceNode:
		list := []any{}
		for _, c := range n.Content {
			v, err := jsonValue(c, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		return list, nil
	}
	var v any
	switch n.ShortTag() {
	case "!!bool", "!!int", "!!null":
		err := n.Decode(&v)
		return v, err
	case "!!float":
		var x float64
		if err := n.Decode(&x); err != nil || x-x != 0 { // JSON has no infinity
			return n.Value, nil
		}
		return x, nil
	}
	return n.Value, nil
}
