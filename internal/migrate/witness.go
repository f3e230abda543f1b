package migrate

import (
	"bytes"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/skillhand/skillhand/internal/words"
	"github.com/skillhand/skillhand/skill"
)

// The reasons why a file holds a script. They follow the file's name and line.
const (
	readsIt    = "reads what it prints"
	mayRead    = "may read what it prints"
	namesIt    = "names it, and may read what it prints"
	handsIt    = "hands it on, and may read what it prints"
	writesIt   = "writes its name, for something that may read what it prints"
	onPage     = "puts what it prints on the page"
	sourcesIt  = "sources it"
	saysItJSON = "says that it prints JSON"
	saysItAll  = "says what it prints on stdout"
	runsIt     = "runs it, and something reads what that prints"
)

// mentions notes which scripts a file needs as they are.
func (t *tree) mentions(p string) {
	switch ext := path.Ext(p); {
	case path.Base(p) == ReportFile:
	case ext == ".txtar" && path.Base(path.Dir(p)) == "tests" && t.files[path.Join(path.Dir(p), "..", skill.MainFile)] != nil:
		// A golden test of the skill: skillhand test reads the report itself, and the page is text.
	case t.usages[p] != nil:
		t.reads(p, t.usages[p], 0)
	case ext == ".md":
		t.page(p)
	case isProse(ext):
		t.captures(p)
	default:
		t.program(p, language(p), string(t.files[p]), 1)
	}
}

// MayName reports whether a file may name a script, even if it does not contain the name in one
// piece.
func MayName(data []byte) bool {
	has := func(text string) bool { return bytes.Contains(data, []byte(text)) }
	return has(`"command"`) || (has(".sh") || has(".bash")) && openName.Get().Match(data)
}

// reads holds the scripts whose output commands in a file read, or may read. after counts the lines
// before the commands.
func (t *tree) reads(p string, u *usage, after int) {
	for _, m := range u.sources {
		for _, q := range t.all(p, m) {
			if use := t.usages[q]; use != nil && use.guard() != nil {
				t.sourced[q] = true
				continue
			}
			t.hold(q, p, after+m.line, sourcesIt)
		}
	}
	for _, m := range u.calls {
		if !m.flow.used && !t.isRead(u, m.log) {
			continue
		}
		why := readsIt
		if m.may {
			why = handsIt
		}
		for _, q := range t.named(p, m.text) {
			t.hold(q, p, after+m.line, why)
		}
		if m.open {
			t.holdLike(p, m.text, after+m.line)
		}
	}
	for _, m := range u.writes {
		switch m.ext {
		case "": // nobody knows what happens to the text
			t.holdNamed(p, m.text, after+m.line, writesIt, always)
		case ".sh", ".bash":
			if file, err := parse(p, []byte(m.text)); err == nil {
				t.reads(p, understand(file), after+m.line-1)
			}
		default:
			t.program(p, m.ext, m.text, after+m.line)
		}
	}
}

// isRead reports whether something reads a log: another command of the script that writes it, or a
// script that names it.
func (t *tree) isRead(u *usage, log string) bool {
	if log == "" {
		return false
	}
	if u.uses(log) {
		return true
	}
	base := path.Base(log)
	return path.Ext(base) != "" && !strings.Contains(base, unknown) && t.logs()[base]
}

// logs returns the base names of files that scripts of the tree use.
func (t *tree) logs() map[string]bool {
	if t.used == nil {
		t.used = map[string]bool{}
		for _, u := range t.usages {
			if u != nil {
				for name := range u.files {
					t.used[path.Base(name)] = true
				}
			}
		}
	}
	return t.used
}

// holdLike holds the scripts that a name with unknown parts may mean. It notes a name without any
// known part, for a person to look at.
func (t *tree) holdLike(p, pattern string, line int) {
	if rest, ok := strings.CutPrefix(pattern, own); ok { // the reader's own folder is known
		pattern = path.Join("/", path.Dir(p)) + "/" + strings.TrimPrefix(rest, "/")
	} else if strings.Contains(pattern, "*") && !strings.ContainsAny(pattern, unknown+"/") { // *.sh usually means files beside the reader
		pattern = path.Join("/", path.Dir(p)) + "/" + pattern
	} else if !fixed(pattern) {
		t.unclear[Position{p, line}] = true
		return
	}
	for _, q := range t.meant(p, t.like(pattern)) {
		if q != p {
			t.hold(q, p, line, mayRead)
		}
	}
}

// meant returns the scripts that a file can mean by a pattern that matches scripts. A text for
// people means only scripts beside it.
func (t *tree) meant(p string, scripts []string) []string {
	if path.Ext(p) != ".md" {
		return scripts
	}
	return slices.DeleteFunc(slices.Clone(scripts), func(q string) bool { return !strings.HasPrefix(q, path.Dir(p)+"/") })
}

func always(string, string) bool { return true }

// holdNamed holds the scripts that are named in a text, which begins at line. counts reports
// whether a name in a line counts.
func (t *tree) holdNamed(p, text string, line int, why string, counts func(line, name string) bool) {
	hold := func(scripts []string) {
		for _, q := range scripts {
			t.hold(q, p, line, why)
		}
	}
	for l := range strings.Lines(text) {
		plain := withoutQuotes(l)
		for _, l := range slices.Compact([]string{l, plain}) {
			for _, name := range t.namesIn(l, true) {
				if counts(l, strings.TrimPrefix(name, "./")) {
					hold(t.named(p, name))
				}
			}
			for _, pattern := range globName.Get().FindAllString(l, -1) {
				if counts(l, pattern) {
					hold(t.meant(p, t.matching(pattern)))
				}
			}
			for _, name := range t.openNames(l) {
				if pattern := inserted.Get().ReplaceAllString(name, unknown); strings.Contains(path.Base(pattern), unknown) &&
					counts(l, name) {
					t.holdLike(p, pattern, line)
				}
			}
		}
		line++
	}
}

// openNames lists the names of scripts in a line into which a program inserts something.
func (t *tree) openNames(line string) []string {
	if !strings.ContainsAny(line, "{$%") || !strings.Contains(line, ".sh") && !strings.Contains(line, ".bash") {
		return nil
	}
	return openName.Get().FindAllString(line, -1)
}

var quotes = strings.NewReplacer(`"`, "", "'", "", `\`, "")

// withoutQuotes returns a line without quotes and escapes, as in "$D"/"a".sh.
func withoutQuotes(line string) string {
	return quotes.Replace(escapedRune.Get().ReplaceAllStringFunc(line, func(e string) string {
		n, _ := strconv.ParseUint(e[2:], 16, 16) // four hexadecimal digits
		return string(rune(n))
	}))
}

var (
	pathName     = words.Regexp(`[\w./@+-]*[\w@+-]`)
	globName     = words.Regexp(`[\w.-]+/[\w./*-]*\*[\w./*-]*`)
	variableName = words.Regexp(`\$\{?\w+\}?`)
	escapedRune  = words.Regexp(`\\u[0-9a-fA-F]{4}`)
	// inserted matches what a program inserts into a script's name: {x}.sh, ${x}.sh, $(x).sh,
	// $x.sh, %s.sh.
	inserted = words.Regexp(`\$?\{+[^{}]*\}+|\$\([^()]*\)|\$\w+|%[sv]`)
	openName = words.Regexp(`(?:[\w./-]|` + string(inserted) + `)*(?:` + string(inserted) + `)[\w.-]*\.(?:sh|bash)\b`)
)

// language returns the language of a file, as the ending of a file's name.
func language(p string) string {
	base := path.Base(p)
	switch {
	case base == "Makefile" || base == "makefile" || base == "GNUmakefile" || strings.HasSuffix(base, ".mk"):
		return ".make"
	case strings.HasPrefix(base, "Dockerfile") || strings.HasPrefix(base, "Containerfile"):
		return ".docker"
	}
	return path.Ext(base)
}

// program holds the scripts that settings or a program may read. A program reads each script that
// it starts, and settings read each script that they name as a command. Lists of files, build files
// and workflows read a script where one of their lines does.
func (t *tree) program(p, language, text string, line int) {
	switch language {
	case ".json", ".jsonc", ".json5", ".toml":
		if commandKey.Get().MatchString(text) {
			plain := permission.Get().ReplaceAllString(text, " ")
			t.holdNamed(p, plain, line, namesIt, always)
			t.holdFolders(p, plain, line)
			return
		}
		if strings.Contains(text, `"scripts"`) { // a package.json, whose scripts are command lines
			t.holdNamed(p, text, line, readsIt, func(line, name string) bool {
				return slices.ContainsFunc(jsonString.Get().FindAllString(line, -1),
					func(s string) bool { return strings.Contains(s, name) && captured(s, name) })
			})
		}
	case ".yml", ".yaml", ".make", ".docker", ".service", ".ini", ".cfg", ".conf", ".env", ".csv", ".tsv", ".xml",
		".lock", ".log", ".jsonl", ".sql":
		t.holdNamed(p, joinLines(text), line, readsIt, captured)
	case ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts",
		".tsx", ".jsx", ".py", ".rb", ".go", ".rs", ".java", ".kt", ".swift", ".c", ".cc", ".cpp", ".cs", ".php", ".lua", ".pl":
		if startsProgram.Get().MatchString(text) && (!inherits.Get().MatchString(text) || readsOutput.Get().MatchString(text)) {
			t.holdNamed(p, text, line, namesIt, isCode)
		}
	case ".md", ".txt", ".rst", ".adoc", ".markdown", ".html":
		t.holdNamed(p, text, line, readsIt, captured)
	default: // the language is unknown
		t.holdNamed(p, text, line, namesIt, always)
	}
}

var (
	// commandKey matches settings by which programs start others and read their output: hooks,
	// status lines, servers.
	commandKey = words.Regexp(`(?m)"(?:command|statusLine|apiKeyHelper|awsAuthRefresh|awsCredentialExport|` +
		`otelHeadersHelper)"\s*:|^\s*(?:command|notify)\s*=`)
	// lookup matches commands that run nothing in the folders that they are given.
	lookup     = words.Regexp(`\b(?:e?grep|rg|ls|du|wc|mkdir|rm|chmod)\s[^|;&()]*`)
	jsonString = words.Regexp(`"(?:[^"\\]|\\.)*"`)
	// permission matches a rule that allows a command and reads nothing: Bash(./x.sh:*).
	permission    = words.Regexp(`\bBash\((?:[^()"\\]|\\.)*\)`)
	startsProgram = words.Regexp("subprocess|popen|Popen|system\\(|\\bexec(?:Sync|File|FileSync|a|[lv]p?e?)?\\(|promi" +
		"sify\\(exec|spawn|child_process|" +
		"Command\\b|ProcessBuilder|Process\\(|shell_exec|passthru|proc_open|" +
		"getoutput|check_call|Open3|%x|\\bsh[.(`]|\\brun\\(|Deno\\.|Bun\\.|\\$`|`[^`\n]*\\.sh")
	// inherits matches a program that passes on its own stdout. If it does only that, it reads
	// nothing.
	inherits    = words.Regexp(`stdio:\s*['"]inherit['"]`)
	readsOutput = words.Regexp(`\bexec(?:Sync|File|FileSync)?\(|execa|spawnSync|\.stdout\b|['"]pipe['"]|stdio:\s*\[`)
	message     = words.Regexp(`^\s*(?:console\.\w+|print|println|log(?:ger|ging)?\.\w+|throw|raise)\b`)
	comment     = words.Regexp(`^\s*(?://|/?\*|#[^!]|--\s)`)
)

// isCode reports whether a line of a program is more than a comment or a message.
func isCode(line, _ string) bool {
	return !comment.Get().MatchString(line) && (!message.Get().MatchString(line) || startsProgram.Get().MatchString(line))
}

// holdFolders holds the scripts in folders that a command in settings names, as in run-parts FOLDER.
func (t *tree) holdFolders(p, text string, line int) {
	for l := range strings.Lines(text) {
		if l = lookup.Get().ReplaceAllString(withoutQuotes(l), " "); strings.Contains(l, "command") {
			for _, name := range pathName.Get().FindAllString(variableName.Get().ReplaceAllString(l, " "), -1) {
				if strings.Contains(name, "/") && t.folders[path.Base(name)] {
					for _, q := range t.matching(ending(name) + "/*") {
						t.hold(q, p, line, namesIt)
					}
				}
			}
		}
		line++
	}
}

// joinLines joins a line with the next one if a backslash, a bar or an open $( continues it. The
// number of lines stays the same.
func joinLines(text string) string {
	var out strings.Builder
	owed := 0
	for l := range strings.Lines(text) {
		l = strings.TrimRight(l, " \t\r\n")
		open := strings.LastIndex(l, "$(")
		continued := strings.HasSuffix(l, `\`) || strings.HasSuffix(l, "|") &&
			!strings.HasPrefix(strings.TrimSpace(l), "|") && !strings.HasSuffix(l, ": |") ||
			open >= 0 && !strings.Contains(l[open:], ")")
		out.WriteString(strings.TrimSuffix(l, `\`))
		if owed++; continued && owed < 50 {
			out.WriteByte(' ')
			continue
		}
		out.WriteString(strings.Repeat("\n", owed))
		owed = 0
	}
	return out.String()
}

// matching lists the scripts whose path ends as pattern says.
func (t *tree) matching(pattern string) (scripts []string) {
	for _, paths := range t.names {
		for _, p := range paths {
			parts, n := strings.Split(p, "/"), strings.Count(pattern, "/")+1
			end := strings.Join(parts[max(0, len(parts)-n):], "/")
			if ok, err := path.Match(pattern, end); ok && err == nil && t.isScript(p) {
				scripts = append(scripts, p)
			}
		}
	}
	return scripts
}

// namesIn lists what may be the name of a script in a line: a file's name, or a path that ends in
// one. A name without an ending counts only in a path, or in code.
func (t *tree) namesIn(line string, code bool) (names []string) {
	for _, name := range pathName.Get().FindAllString(variableName.Get().ReplaceAllString(line, " "), -1) {
		switch base := path.Base(name); {
		case len(t.names[base]) == 0:
		case path.Ext(base) != "" || strings.Contains(name, "/"):
			names = append(names, name)
		case code:
			names = append(names, "./"+name)
		}
	}
	return names
}

// page notes the scripts whose output is part of a page, or is read by commands that a page tells
// an agent to run. Running a script is not reading its output: that is what a report is for.
func (t *tree) page(p string) {
	s := skill.Parse(p, t.files[p])
	for _, part := range s.Parts {
		switch part.Kind {
		case skill.Header:
			if at := strings.Index(part.Source, "hooks:"); at >= 0 {
				t.holdNamed(p, part.Source[at:], part.Line+strings.Count(part.Source[:at], "\n"), namesIt, always)
			}
		case skill.Directive:
			t.holdNamed(p, part.Source, part.Line, onPage, always)
		}
	}
	t.captures(p)
}

// isProse reports whether a file with this ending is for people to read.
func isProse(ext string) bool {
	return ext == ".txt" || ext == ".rst" || ext == ".adoc" || ext == ".markdown" || ext == ".html"
}

// captures notes the scripts whose output a text for people reads. The text reads it by commands in
// its lines, by code in its fences, or by saying that a script prints JSON.
func (t *tree) captures(p string) {
	var fence, language string
	var code strings.Builder
	var spoken []string // the scripts that the text mentioned last
	line, begin := 0, 0
	for l := range strings.Lines(string(t.files[p])) {
		line++
		names := t.namesIn(l, false)
		for _, name := range names {
			if captured(l, name) || fence == "" && capturesOutput.Get().MatchString(l) {
				for _, q := range t.named(p, name) {
					t.hold(q, p, line, readsIt)
				}
			}
		}
		switch {
		case len(names) > 0:
			spoken = names
		case fence == "" && strings.HasPrefix(l, "#"):
			spoken = nil
		}
		if why := promises(l); fence == "" && why != "" {
			for _, name := range spoken {
				for _, q := range t.named(p, name) {
					t.hold(q, p, line, why)
				}
			}
		}
		switch m := fenceLine.Get().FindStringSubmatch(l); {
		case fence == "" && m != nil:
			fence, language, begin = m[1], strings.ToLower(m[2]), line
			code.Reset()
		case fence != "" && m != nil && strings.HasPrefix(m[1], fence) && m[2] == "":
			t.code(p, language, code.String(), begin)
			fence = ""
		case fence != "":
			code.WriteString(l)
		}
	}
}

var (
	fenceLine   = words.Regexp("^[ \t>]*(```+|~~~+)[ \t]*([^\\s`]*)")
	placeholder = words.Regexp(`<[\w .|/-]+>`)
	optional    = words.Regexp(`\[[\w -]*\|[\w |-]*\]|\[-[^\]]*\]`)
	prompt      = words.Regexp(`(?m)^[ \t]*[$%][ \t]`)
	// capturesOutput matches a program's call, in a text, that keeps the output of what it runs.
	capturesOutput = words.Regexp(`capture_output|check_output|getoutput|\b(?:exec|execFile|spawn)Sync\(`)
	printsJSON     = words.Regexp(`(?i)\b(?:returns?|outputs?|prints?|emits?)\b([^.]{0,30})\bJSON\b`)
)

// promises returns a reason to hold a script if a line of text says what it prints, or "".
func promises(line string) string {
	switch {
	case promisesJSON(line):
		return saysItJSON
	case promisesStdout(line):
		return saysItAll
	}
	return ""
}

// promisesJSON reports whether a line of text says that something prints JSON.
func promisesJSON(line string) bool {
	m := printsJSON.Get().FindStringSubmatch(line)
	return m != nil && !strings.HasPrefix(m[1], "-") && !strings.Contains(m[1], " no ") && !strings.Contains(m[1], "format")
}

// code holds the scripts that code in a text reads, as a file with this code would.
func (t *tree) code(p, language, code string, after int) {
	switch language {
	case "bash", "sh", "shell", "zsh", "console":
		if prompt.Get().MatchString(code) { // a session: commands after a prompt, and their output
			code = prompt.Get().ReplaceAllString(typed(code), "")
		}
		if file, err := parse(p, []byte(optional.Get().ReplaceAllString(placeholder.Get().ReplaceAllString(code, "x"), "x"))); err == nil {
			t.reads(p, understand(file), after)
		}
	case "", "text", "txt", "plaintext", "markdown", "md", "diff", "mermaid", "output", "log", "tree":
	case "javascript", "typescript", "python", "ruby", "rust":
		t.program(p, map[string]string{"javascript": ".js", "typescript": ".ts", "python": ".py", "ruby": ".rb",
			"rust": ".rs"}[language], code, after+1)
	case "makefile", "dockerfile":
		t.program(p, ".make", code, after+1)
	default:
		t.program(p, "."+language, code, after+1)
	}
}

// typed returns the commands that were typed in a session on a terminal. Its lines keep their
// numbers.
func typed(session string) string {
	var out strings.Builder
	continued := false
	for l := range strings.Lines(session) {
		if !continued && !prompt.Get().MatchString(l) {
			l = "\n"
		}
		continued = strings.HasSuffix(strings.TrimRight(l, "\r\n"), `\`)
		out.WriteString(l)
	}
	return out.String()
}

// captured reports whether a line of text may read the output of the script of this name. The name
// follows $( or <( or a backquote that begins a command, or precedes a pipe or a redirection. A bar
// in a table is a pipe only within a code span.
func captured(line, name string) bool {
	line = optional.Get().ReplaceAllString(placeholder.Get().ReplaceAllString(line, "x"), "x")
	for rest, at := line, 0; ; {
		i := strings.Index(rest, name)
		if i < 0 {
			return false
		}
		at += i
		before, after := line[:at], line[at+len(name):]
		if open := strings.LastIndexAny(before, "("); open > 0 && strings.IndexByte("$<", before[open-1]) >= 0 &&
			!strings.Contains(before[open:], ")") {
			return true
		}
		if assignedBackquote.Get().MatchString(before) {
			return true
		}
		if span, _, ok := strings.Cut(after, "`"); ok && strings.Count(before, "`")%2 == 1 {
			after = span
		} else if strings.HasPrefix(strings.TrimSpace(line), "|") {
			after = "" // a table
		}
		if pipeAfter.Get().MatchString(after) {
			return true
		}
		rest, at = line[at+len(name):], at+len(name)
	}
}

var (
	assignedBackquote = words.Regexp("\\w=\"?`[^`]*$")
	// pipeAfter matches up to the end of the command: | but not ||, > but not > /dev/null or >&2.
	pipeAfter = words.Regexp(`^[^|;&>]*(?:&[^&|;>]*)?(?:\|(?:[^|]|$)|(?:^|[^2])>>?\s*[^&>\s/]|(?:^|[^2])>>?\s*/[^d])`)
)
