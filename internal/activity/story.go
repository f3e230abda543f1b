package activity

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/skillhand/skillhand/internal/here"
)

// errTyped is the reason why a call has no prompt.
var errTyped = errors.New("a person called the skill by its name, without a prompt")

// Case returns the prompt before a call as a file of cases for skillhand try. JSON strings are YAML
// too.
func Case(h here.Here, o Options, id string) (string, error) {
	fire, prompt, err := Prompt(h, o, id)
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(prompt)
	return fmt.Sprintf("cases:\n  - id: %s\n    prompt: %s\n", fire.ID, text), err
}

// Prompt returns a person's prompt before a call of a skill. It reads the prompt from the
// transcript: this is the only way for text to leave a transcript.
func Prompt(h here.Here, o Options, id string) (*Fire, string, error) {
	if o.Skill == "" {
		return nil, "", fmt.Errorf("%s: name the skill with --skill", id)
	}
	r, err := Read(h, o)
	if err != nil {
		return nil, "", err
	}
	for _, f := range r.Story {
		if f.ID != id {
			continue
		}
		text, err := f.prompt()
		if err != nil {
			return nil, "", fmt.Errorf("%s: %w", id, err)
		}
		return &f, text, nil
	}
	return nil, "", fmt.Errorf("%s: no such call of %s: skillhand usage --skill %s lists them", id, o.Skill, o.Skill)
}

func (f Fire) prompt() (string, error) {
	if f.file == "" {
		return "", errTyped
	}
	file, err := os.Open(f.file)
	if err != nil {
		return "", err
	}
	defer file.Close()
	if _, err := file.Seek(f.said, io.SeekStart); err != nil {
		return "", err
	}
	line, err := bufio.NewReader(io.LimitReader(file, maxLine)).ReadBytes('\n')
	if err != nil {
		return "", fmt.Errorf("%s: %w", f.file, err)
	}
	text := said(line)
	if text == "" && bytes.Contains(line, []byte(claudeCommand)) {
		return "", errTyped
	}
	if text == "" {
		return "", fmt.Errorf("%s has no prompt there", f.file)
	}
	return text, nil
}

// said returns the text of a prompt's line from any agent.
func said(line []byte) string {
	v := value(line)
	for _, path := range [][]string{{"message", "content"}, {"message", "parts"}, {"payload", "content"},
		{"data", "content"}, {"content"}} {
		part := v.get(path...)
		text := part.str()
		part.items(func(p value) {
			if text == "" {
				text = p.get("text").str()
			}
		})
		if text != "" && !strings.Contains(text, claudeCommand) {
			return text
		}
	}
	return ""
}
