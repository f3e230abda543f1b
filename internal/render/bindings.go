package render

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/shell"
	"github.com/skillhand/skillhand/skill"
)

// Bindings map a skill's variables to commands, as in its bindings.json.
type Bindings struct {
	Source []byte // the text of bindings.json

	file     string
	names    []string
	commands map[string]binding
}

type binding struct {
	words []string
	line  int
}

// has reports whether name is bound. A skill without bindings binds nothing.
func (b *Bindings) has(name string) bool {
	if b == nil {
		return false
	}
	_, ok := b.commands[name]
	return ok
}

// Commands lists the bindings' commands for people.
func (b *Bindings) Commands() []string {
	if b == nil {
		return nil
	}
	var all []string
	for _, name := range b.names {
		all = append(all, shell.Quote(b.commands[name].words))
	}
	return all
}

// ReadBindings reads a bindings.json. A missing file means no bindings and no error. A link that
// leads out of the folder is refused, as for any file of a skill.
func ReadBindings(file string) (*Bindings, error) {
	if _, err := os.Lstat(file); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	data, real, err := files.ReadReal(file)
	if err != nil {
		return nil, err
	}
	if folder, err := filepath.EvalSymlinks(filepath.Dir(file)); err != nil || !files.Inside(folder, real) {
		return nil, fmt.Errorf("%s: links to %s, outside its skill's folder", file, real)
	}
	return ParseBindings(file, data)
}

// A BindingsError is one fault of a bindings.json.
type BindingsError struct {
	File string
	Line int
	Err  error
}

func (e *BindingsError) Error() string { return fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Err) }
func (e *BindingsError) Unwrap() error { return e.Err }

// Words returns the words of the command that a variable is bound to, or nil.
func (b *Bindings) Words(name string) []string {
	if b == nil {
		return nil
	}
	return b.commands[name].words
}

// ParseBindings reads the text of a bindings.json, one object, with the line of each key. Each fault
// is a *BindingsError.
func ParseBindings(file string, data []byte) (*Bindings, error) {
	b := &Bindings{Source: data, file: file, commands: map[string]binding{}}
	dec := json.NewDecoder(bytes.NewReader(data))
	fault := func(line int, format string, a ...any) error {
		return &BindingsError{file, line, fmt.Errorf(format, a...)}
	}
	line := func() int { return 1 + bytes.Count(data[:dec.InputOffset()], []byte("\n")) }
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return nil, fault(line(), "want a JSON object of variables and commands")
	}
	var faults []error
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, fault(max(line(), lineOf(data, err)), "%w", err)
		}
		at := line()
		name, _ := key.(string)
		var value any
		if err := dec.Decode(&value); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, fault(line(), "the object is not closed")
		} else if err != nil {
			return nil, fault(max(at, lineOf(data, err)), "%s: %w", name, err)
		}
		words, err := b.words(name, value)
		if err != nil {
			faults = append(faults, fault(at, "%w", err))
			continue
		}
		b.names = append(b.names, name)
		b.commands[name] = binding{words, at}
	}
	if _, err := dec.Token(); err != nil {
		return nil, fault(line(), "the object is not closed")
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, fault(line(), "more text after the object")
	}
	return b, errors.Join(faults...)
}

// words checks a binding and splits its command.
func (b *Bindings) words(name string, value any) (words []string, err error) {
	switch {
	case slices.Contains(skill.Variables(), name):
		return nil, fmt.Errorf("${%s} is a built-in variable and cannot be bound", name)
	case !isVariableName(name):
		return nil, fmt.Errorf("%q is not a variable's name: letters, digits and _", name)
	case b.has(name):
		return nil, fmt.Errorf("${%s} is bound twice", name)
	}
	switch value := value.(type) {
	case string:
		if words, err = splitCommand(value); err != nil {
			return nil, fmt.Errorf("${%s}: %w", name, err)
		}
	case []any:
		for _, item := range value {
			word, ok := item.(string)
			if !ok {
				return nil, fmt.Errorf("${%s}: every word of a command must be a string", name)
			}
			words = append(words, word)
		}
	default:
		return nil, fmt.Errorf("${%s}: want a command, as a string or a list of strings", name)
	}
	if len(words) == 0 || words[0] == "" {
		return nil, fmt.Errorf("${%s}: the command is empty", name)
	}
	return words, nil
}

// splitCommand splits a command as a shell would. Built-in variables stay as they are until it runs.
func splitCommand(command string) ([]string, error) {
	var keep, back []string
	for i, name := range skill.Variables() {
		mark := string(rune(0xE000 + i)) // a private-use character, which no shell treats specially
		keep, back = append(keep, "${"+name+"}", mark), append(back, mark, "${"+name+"}")
	}
	words, err := shell.Words(strings.NewReplacer(keep...).Replace(command))
	for i, w := range words {
		words[i] = strings.NewReplacer(back...).Replace(w)
	}
	return words, err
}

func isVariableName(s string) bool {
	for i, r := range s {
		if !(r == '_' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || i > 0 && '0' <= r && r <= '9') {
			return false
		}
	}
	return s != ""
}

// resolve runs each binding that a page uses once, and returns the outputs.
func (b *Bindings) resolve(ctx context.Context, r *renderer, names []string) (map[string]string, error) {
	outcomes := make([]*Outcome, len(names))
	faults := make([]error, len(names))
	var wg sync.WaitGroup
	for i, name := range names {
		wg.Go(func() { outcomes[i], faults[i] = b.outcome(ctx, r, name) })
	}
	wg.Wait()
	bound := map[string]string{}
	for i, name := range names {
		if o := outcomes[i]; o != nil && o.Exit == 0 {
			bound[name] = r.redact.Text(strings.TrimRight(o.stdout.String()+o.stderr.String(), "\r\n"))
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	if rec := r.env.Record; rec != nil {
		rec.Bindings = map[string]*Outcome{}
		for i, name := range names {
			if outcomes[i] != nil {
				rec.Bindings[name] = r.kept(shell.Quote(b.commands[name].words), outcomes[i])
			}
		}
	}
	return bound, errors.Join(faults...)
}

// outcome runs a binding or finds its outcome in the recording.
func (b *Bindings) outcome(ctx context.Context, r *renderer, name string) (*Outcome, error) {
	bind := b.commands[name]
	if rec := r.env.Replay; rec != nil {
		if o := rec.Bindings[name]; o != nil {
			return o, nil
		}
		if rec.Partial {
			return nil, nil
		}
		return nil, fmt.Errorf("%s:%d: %s has no outcome for ${%s}: record it again", b.file, bind.line, rec.File, name)
	}
	words := slices.Clone(bind.words)
	for i := range words {
		for variable, value := range r.env.Vars {
			words[i] = strings.ReplaceAll(words[i], "${"+variable+"}", value)
		}
	}
	if shell.IsClass(words[0]) { // a class, as loaders in Java name it; its launcher runs it
		if words[0] = shell.ClassLauncher(r.env.Shell.Launchers, bind.words[0]); words[0] == "" {
			return nil, fmt.Errorf("%s:%d: ${%s}: no launcher in the plugin's hooks/bin or bin runs the class %s (see skillhand migrate)",
				b.file, bind.line, name, bind.words[0])
		}
	}
	if !r.env.runnable(words[0]) {
		return nil, fmt.Errorf("%s:%d: ${%s}: %s is neither a built-in nor a launcher", b.file, bind.line, name, words[0])
	}
	t := &task{line: shell.Line{Parts: []shell.Part{{Text: shell.Quote(words)}}}, pattern: "${" + name + "}"}
	r.start(ctx, t)
	switch o := t.outcome; {
	case o.Missing:
		return nil, fmt.Errorf("%s:%d: ${%s}: %s does not exist", b.file, bind.line, name, words[0])
	case o.Exit != 0:
		return nil, fmt.Errorf("%s:%d: ${%s}: %s: %s", b.file, bind.line, name, words[0], o.failure(r))
	}
	return t.outcome, nil
}

// runnable reports whether a binding may use this command: a built-in, a launcher's file name, or a
// path.
func (env *Env) runnable(name string) bool {
	if _, ok := env.Shell.Builtins[name]; ok || strings.Contains(name, "/") {
		return true
	}
	for _, dir := range env.Shell.Launchers {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return true
		}
	}
	return false
}
