package find

import (
	"bytes"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/skillhand/skillhand/internal/files"
)

// The files of a case. Graders have files of their own in a folder beside these.
const (
	CaseFile   = "case.yaml"
	PromptFile = "prompt.md"
)

// The keys that each file, or each part of a file, may have.
var (
	PromptKeys = []string{
		"schema_version", "name", "description", "tags", "plugins", "runs", "expected_outcome", "model", "max_turns", "timeout_seconds",
		"allowed_tools", "disallowed_tools", "artifact_publish", "growthbook_overrides", "append_system_prompt", "env",
	}
	CaseKeys = []string{
		"schema_version", "name", "description", "expected_outcome", "tags", "plugins", "runs", "context", "execution", "graders"}
	ContextKeys = []string{"scaffold_script", "history_file", "add_dirs"}

	ExecutionKeys = []string{
		"prompt", "max_turns", "timeout_seconds", "model", "append_system_prompt", "allowed_tools", "disallowed_tools", "env",
		"artifact_publish", "growthbook_overrides",
	}
)

// WalkCases calls visit with the folder of each case at any depth below dir. visit returns the
// folders that the case uses. These are not cases themselves, and neither are the results and mocks
// of the suite. A missing dir has no cases.
func WalkCases(dir string, used []string, visit func(dir string) (uses []string)) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && path == dir && errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case !d.IsDir():
			return nil
		case slices.Contains(used, path), filepath.Dir(path) == dir && (d.Name() == "results" || d.Name() == "mocks"):
			return fs.SkipDir
		case !isCase(path):
			return nil
		}
		used = append(used, visit(path)...)
		if graders := filepath.Join(path, "graders"); !isCase(graders) {
			used = append(used, graders)
		}
		return nil
	})
}

func isCase(dir string) bool {
	file := filepath.Join(dir, CaseFile)
	return files.IsFile(filepath.Join(dir, PromptFile)) || files.IsFile(file) && !IsCaseList(file) || len(Graders(dir)) > 0
}

// Graders lists the files of a case's graders.
func Graders(dir string) []string { return files.Glob(dir, "graders/*.md") }

// IsCaseList reports whether a file is a list of cases in skillhand's own form.
func IsCaseList(file string) bool {
	text, err := files.ReadFile(file)
	var doc map[string]any
	return err == nil && yaml.Unmarshal(text, &doc) == nil && doc["cases"] != nil
}

// SplitCase splits a file of a case. fields is YAML, on the lines that it has in the file. body is
// the text after the fields, and begins on line. Markdown without frontmatter has nil fields. A
// file that is not Markdown has only fields.
func SplitCase(file string, text []byte) (fields []byte, body string, line int) {
	text = bytes.ReplaceAll(bytes.TrimPrefix(text, []byte("\ufeff")), []byte("\r\n"), []byte("\n"))
	if filepath.Ext(file) != ".md" {
		return text, "", 0
	}
	after := text
	if rest, ok := bytes.CutPrefix(text, []byte("---\n")); ok {
		front, behind, closed := bytes.Cut(slices.Concat([]byte("\n"), rest, []byte("\n")), []byte("\n---\n"))
		if closed {
			fields, after = slices.Concat(front, []byte("\n")), behind
		}
	}
	body = strings.TrimSpace(string(after))
	return fields, body, 1 + bytes.Count(text[:max(bytes.Index(text, []byte(body)), 0)], []byte("\n"))
}
