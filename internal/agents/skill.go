package agents

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/skillhand/skillhand/skill"
)

// A Skill holds the parts of a skill that decide how agents list it.
type Skill struct {
	File   string // its SKILL.md
	Place  string // the folder below the project or the home that holds its skills folder, such as .claude; "" if none does
	User   bool   // it is below the home
	Folder string // its own folder, below the folder of skills: group/name; "" if it is in the folder of skills itself
	Inner  bool   // its folder is within another skill's

	Name        string // from its frontmatter
	Description string
	Faults      []Fault // what an agent may not accept
	Wishes      []Fault // what the skill asks for
}

// A Fault is something in a skill's file that some agents do not accept, or do not do.
type Fault struct {
	ID    FaultID
	Field string // the field of the frontmatter; "" means all of it
	Text  string // what is wrong, or what the skill asks for
}

// A FaultID names a fault.
type FaultID int

// The faults of a file.
const (
	NoFront    FaultID = iota
	LowerFile          // SKILL.md is called skill.md
	Linked             // SKILL.md is a link
	Mark               // a byte order mark before the frontmatter
	BlankEnd           // a space behind ---
	LooseYAML          // not YAML, but clear line by line
	OpenYAML           // not YAML: a value begins a list, or is a quoted string that is not closed
	OtherYAML          // not YAML for another reason
	Twice              // a field is given twice
	TwiceBelow         // a key within a field is given twice
	NoName             // no field called name
	NullName           // name: without a value
	EmptyName          // name: ""
	NumberName         // a number, or true
	DateName           // a date
	ListName           // a list
	LongName           // more than 64 characters
	NoDescription
	EmptyDescription
	NumberDescription
	ListDescription
	LongDescription // more than 1,024 characters
	TextMetadata    // metadata is not a mapping
	OddHint         // argument-hint is not a string: [a] without quotes is a list
	OddHidden       // disable-model-invocation is neither true nor false
	OddInvocable    // user-invocable is neither true nor false
	OddTools        // allowed-tools is neither a string nor a list
	ListModel       // model is a list

	Hidden     // disable-model-invocation: true
	HiddenText // disable-model-invocation: "true"
	Paths      // paths: the skill is only for some files
	Policy     // agents/openai.yaml forbids the model to call it
)

// The limits in the Agent Skills specification.
const (
	maxName        = 64
	maxDescription = 1024
)

// Read reads the parts of a SKILL.md that agents look at, and the file agents/openai.yaml beside
// it. If file is "", the text has no place, and nothing is at fault about its place.
func Read(file string, src []byte) Skill {
	s := Skill{File: file, Folder: filepath.Base(filepath.Dir(file))}
	text := string(src)
	parsed := skill.Parse(file, src)
	front := &parsed.Front
	if file == "" {
		s.Folder = "skill" // any
	} else if filepath.Base(file) != skill.MainFile {
		s.fault(LowerFile, "", "its file is not called "+skill.MainFile)
	}
	if info, err := os.Lstat(file); err == nil && info.Mode()&os.ModeSymlink != 0 {
		s.fault(Linked, "", "its SKILL.md is a link")
	}
	if strings.HasPrefix(text, "\ufeff") {
		s.fault(Mark, "", "it begins with a byte order mark")
	}
	if len(parsed.Parts) == 0 || parsed.Parts[0].Kind != skill.Header || parsed.Parts[0].Source == "\ufeff" {
		s.fault(NoFront, "", "it does not begin with frontmatter")
		return s
	}
	header := parsed.Parts[0].Source
	if strings.Contains(header, "--- \n") {
		s.fault(BlankEnd, "", "a line of --- has a blank behind it")
	}
	s.readYAML(parsed)
	s.readName(front)
	s.readDescription(front, parsed)
	s.readValues(front)
	isKey := func(x skill.Field) bool { return x.Key != "" }
	if f, ok := front.Field("metadata"); ok && front.Broken == "" && f.Raw != "" && f.Raw != "{}" && !slices.ContainsFunc(f.Fields, isKey) {
		s.fault(TextMetadata, "metadata", "metadata is not a mapping")
	}
	s.readWishes(front)
	return s
}

func (s *Skill) fault(id FaultID, field, text string) {
	s.Faults = append(s.Faults, Fault{id, field, text})
}

func (s *Skill) wish(id FaultID, field, text string) {
	s.Wishes = append(s.Wishes, Fault{id, field, text})
}

// readYAML notes what is wrong with the frontmatter as YAML.
func (s *Skill) readYAML(parsed *skill.Skill) {
	front := &parsed.Front
	if front.Broken != "" {
		s.fault(brokenHow(parsed), "", "its frontmatter is not YAML")
		return
	}
	for _, n := range parsed.Notes {
		if n.Code == skill.NoteFieldTwice {
			key, _, _ := strings.Cut(n.Text, " ")
			s.fault(Twice, key, key+" is given twice")
		}
	}
	for _, f := range front.Fields {
		if key := twice(f); key != "" {
			s.fault(TwiceBelow, f.Key, key+" is given twice in "+f.Key)
		}
	}
}

// brokenHow says how frontmatter is broken as YAML: agents can read some kinds.
func brokenHow(parsed *skill.Skill) FaultID {
	lines := strings.Split(strings.TrimSpace(parsed.Parts[0].Source), "\n")
	if len(lines)-2 != len(parsed.Front.Fields) {
		return OtherYAML // some values have several lines
	}
	for _, f := range parsed.Front.Fields {
		isOpen := func() bool {
			return strings.ContainsAny(f.Raw[:1], "\"'") && yaml.Unmarshal([]byte(f.Raw), new(yaml.Node)) != nil
		}
		if f.Raw != "" && (strings.ContainsAny(f.Raw[:1], "[{") || isOpen()) {
			return OpenYAML
		}
	}
	return LooseYAML
}

// twice returns a key that is given twice within a field, or "".
func twice(in skill.Field) string {
	seen := map[string]bool{}
	for _, f := range in.Fields {
		if f.Key != "" && seen[f.Key] {
			return f.Key
		}
		seen[f.Key] = true
		if key := twice(f); key != "" {
			return key
		}
	}
	return ""
}

func (s *Skill) readName(front *skill.Frontmatter) {
	f, ok := front.Field("name")
	s.Name = strings.TrimSpace(front.Name)
	if front.Broken != "" {
		s.Name = strings.TrimSpace(f.Raw)
	}
	switch kind := kindOf(f, front); {
	case !ok:
		s.fault(NoName, "", "it has no name")
	case kind == "!!null":
		s.fault(NullName, "name", "its name says nothing")
	case s.Name == "" && kind == "!!str":
		s.fault(EmptyName, "name", "its name is empty")
	case kind == "!!seq", kind == "!!map":
		s.fault(ListName, "name", "its name is no text")
	case kind == "!!timestamp":
		s.fault(DateName, "name", "its name is a date, without quotes")
	case kind != "!!str":
		s.fault(NumberName, "name", "its name is "+f.Raw+", without quotes")
	case utf8.RuneCountInString(s.Name) > maxName:
		s.fault(LongName, "name", "its name has more than "+strconv.Itoa(maxName)+" characters")
	}
}

func (s *Skill) readDescription(front *skill.Frontmatter, parsed *skill.Skill) {
	f, ok := front.Field("description")
	s.Description = strings.TrimSpace(front.Description)
	if front.Broken != "" {
		s.Description = strings.TrimSpace(f.Raw)
	}
	switch kind := kindOf(f, front); {
	case !ok, kind == "!!null":
		s.fault(NoDescription, "", "it has no description")
		s.Description = firstLine(string(parsed.Source()[len(parsed.Parts[0].Source):]))
	case s.Description == "" && kind == "!!str":
		s.fault(EmptyDescription, "description", "its description is empty")
	case kind == "!!seq", kind == "!!map":
		s.fault(ListDescription, "description", "its description is no text")
	case kind != "!!str":
		s.fault(NumberDescription, "description", "its description is "+f.Raw+", without quotes")
	case s.Size() > maxDescription:
		s.fault(LongDescription, "description",
			"its description has "+strconv.Itoa(s.Size())+" characters, and the most that it takes is "+strconv.Itoa(maxDescription))
	}
}

// kindOf returns the YAML tag of a field's value.
func kindOf(f skill.Field, front *skill.Frontmatter) string {
	var n yaml.Node
	raw := f.Raw
	if front.Broken != "" && raw != "" {
		return "!!str" // agents that read it at all take the line as a string
	}
	if strings.Contains(raw, "\n") && !strings.ContainsAny(raw[:1], "|>\"'") && len(f.Fields) > 0 {
		return "!!map" // several lines, with items
	}
	if yaml.Unmarshal([]byte(raw), &n) != nil {
		return "!!str" // not YAML, so it is prose
	}
	if len(n.Content) == 0 {
		return "!!null"
	}
	return n.Content[0].Tag
}

// readValues notes values that have the wrong type for their fields.
func (s *Skill) readValues(front *skill.Frontmatter) {
	if front.Broken != "" {
		return
	}
	odd := func(field string, id FaultID, text string, sorts ...string) {
		if f, ok := front.Field(field); ok && slices.Contains(sorts, kindOf(f, front)) {
			s.fault(id, field, text)
		}
	}
	odd("argument-hint", OddHint, "its argument-hint is no text, as it has no quotes", "!!seq", "!!map", "!!int", "!!float", "!!bool")
	odd("disable-model-invocation", OddHidden, "its disable-model-invocation is neither true nor false", "!!str")
	odd("user-invocable", OddInvocable, "its user-invocable is neither true nor false", "!!str")
	odd("allowed-tools", OddTools, "its allowed-tools is neither a string nor a list", "!!int", "!!float", "!!bool")
	odd("model", ListModel, "its model is a list", "!!seq")
}

func (s *Skill) readWishes(front *skill.Frontmatter) {
	if f, ok := front.Field("disable-model-invocation"); ok && strings.Trim(f.Raw, "\"'") == "true" {
		id := Hidden
		if f.Raw != "true" {
			id = HiddenText
		}
		s.wish(id, "disable-model-invocation", "disable-model-invocation hides it")
	}
	if len(front.Paths) > 0 {
		s.wish(Paths, "paths", "it is listed when a file that its paths name is touched")
	}
	var said struct {
		Policy struct {
			Implicit *bool `yaml:"allow_implicit_invocation"`
		}
	}
	src, err := os.ReadFile(filepath.Join(filepath.Dir(s.File), "agents", "openai.yaml"))
	if err == nil && yaml.Unmarshal(src, &said) == nil && said.Policy.Implicit != nil && !*said.Policy.Implicit {
		s.wish(Policy, "", "the policy in its agents/openai.yaml hides it")
	}
}

func firstLine(body string) string {
	for line := range strings.Lines(body) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return ""
}

// Size counts the characters of the description, on one line.
func (s *Skill) Size() int { return utf8.RuneCountInString(s.oneLine()) }

// bytes counts the bytes of the first characters of the description, as one line.
func (s *Skill) bytes(chars int) int { return len(string([]rune(s.oneLine())[:chars])) }

func (s *Skill) oneLine() string { return strings.Join(strings.Fields(s.Description), " ") }

// CalledName returns the name by which agents call the skill: its name, or else its folder's.
func (s *Skill) CalledName() string {
	if s.Name != "" {
		return s.Name
	}
	return path.Base(s.Folder)
}

func (s *Skill) shortFile() string {
	return path.Join(placed(*s), "skills", s.Folder, skill.MainFile)
}
