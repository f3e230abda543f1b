package bind

import (
	"regexp"
	"strings"
	"sync"
)

// runs says what values may be if a program's own text runs what it is given;
// nil if it does not. evaluate: text of any kind becomes code or a file to run,
// so only numbers. start: other programs, so words as well.
func runs(text string, l lang, name string) *kind {
	switch l {
	case aSed:
		if sedRuns().MatchString(text) {
			return &numbers
		}
		return nil
	case anAwk:
		bare := awkStrings().ReplaceAllString(text, `""`)
		if awkRuns().MatchString(bare) {
			return &numbers
		}
		return nil
	}
	switch {
	case evaluates().MatchString(text), languages()[name] != nil && languages()[name].MatchString(safeOpen().ReplaceAllString(text, "")):
		return &numbers
	case startsOthers().MatchString(text), name == "python" && strange(text, pythonImport(), quietPython()), name == "node" && strange(text, nodeRequire(), quietNode()):
		return &wordOnly
	}
	return nil
}

// strange reports whether a program uses a module that is not among those known to run nothing.
func strange(text string, imports *regexp.Regexp, quiet map[string]bool) bool {
	for _, m := range imports.FindAllStringSubmatch(text, -1) {
		for module := range strings.SplitSeq(strings.Join(m[1:], ""), ",") {
			module = strings.Fields(module + " x")[0]
			module, _, _ = strings.Cut(module, ".")
			if !quiet[strings.TrimPrefix(module, "node:")] && !strings.HasSuffix(m[1], ".json") {
				return true
			}
		}
	}
	return false
}

var (
	// Names by which languages read text as code, or load files as code.
	evaluates = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\b(eval\w*|exec|compile|Function|GeneratorFunction|AsyncFunction|importlib|__import__|__builtins__|builtins|globals|runpy|run_path|run_module|timeit|cProfile|profile|pickle|cPickle|marshal|shelve|dill|joblib|yaml\.load|unsafe_load|code|codeop|pdb|bdb|doctest|unittest|imp|zipimport|runInThisContext|runInNewContext|runInContext|compileFunction|vm|constructor|unserialize|include|include_once|require_once|assert|create_function|call_user_func\w*|preg_replace|loadstring|dofile|loadfile|instance_eval|class_eval|module_eval|instance_exec|getattr|setattr|attrgetter|methodcaller|ctypes|Worker|createRequire)\b|\bimport\s*\(|\brequire\s*\(\s*[^'"\s]|\brequire\s*\(\s*["'][^"']*["']?\s*\+`)
	})
	// Names by which they start other programs.
	startsOthers = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("\\b(system|exec\\w*|popen\\w*|posix_spawn\\w*|spawn\\w*|fork\\w*|subprocess|child_process|qx|shell_exec|passthru|proc_open|open2|open3|pty|multiprocessing|webbrowser|cluster)\\b|`|\\.shell|\\.system|\\\\!|(?i:program)\\b|\\bos\\.(startfile|exec|spawn|posix)|%x|\\bos\\.execute\\b|^\\s*(shell|!)")
	})
	// What one language alone has.
	languages = sync.OnceValue(func() map[string]*regexp.Regexp {
		return map[string]*regexp.Regexp{
			"perl":   regexp.MustCompile(`\b(do|require|use\s+lib|syscall|sysopen)\b\s*[$({"']|\bopen\b|/[a-z]*e[a-z]*\s*(;|$|\})|\(\?\{|\(\?\?`),
			"ruby":   regexp.MustCompile(`\b(open|send|public_send|load|require|require_relative|IO|Kernel|PTY|Process|Marshal|YAML|ERB|binding)\b`),
			"php":    regexp.MustCompile(`\b(require|include|system|exec|popen|mail|assert|array_map|usort)\b`),
			"sqlite": regexp.MustCompile(`(?i)\b(edit|load_extension|writefile|fts3_tokenizer)\s*\(|^\s*\.(system|shell|import|load|once|output|read|open)\b`),
			"lua":    regexp.MustCompile(`\b(load|require|io\.popen|os\.execute|package)\b`),
		}
	})
	// Perl's open with a mode of its own runs nothing.
	safeOpen = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\bopen\s*\(?\s*(my\s+)?[$\w{}]+\s*,\s*["'][<>]+(:\w+(\([\w-]*\))?)?["']\s*,`)
	})
	pythonImport = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?m)(?:^|[;:"'\s])(?:from\s+([\w.]+)|import\s+([\w., ]+))`)
	})
	quietPython = sync.OnceValue(func() map[string]bool {
		return set("x sys json re os datetime pathlib csv math collections itertools functools urllib textwrap string hashlib base64 time random statistics glob tomllib html uuid difflib locale unicodedata platform io operator decimal fractions calendar argparse shlex pprint enum typing dataclasses fnmatch struct binascii codecs zlib gzip ast secrets tempfile shutil configparser xml email heapq bisect copy stat getpass socket http ssl zoneinfo yaml toml requests numpy pandas as")
	})
	nodeRequire = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?:require\s*\(\s*|from\s+|import\s+)["']([^"']+)["']`)
	})
	quietNode = sync.OnceValue(func() map[string]bool {
		return set("fs path url util os crypto querystring assert events fs/promises zlib http https readline stream buffer string_decoder timers perf_hooks")
	})
	awkStrings = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"(\\.|[^"\\])*"|(^|[~(,{;!&|])\s*/(\\.|[^/\\\n])*/`) })
	awkRuns    = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`system\s*\(|(^|[^|])\|&?\s*([^|\s]|$)|@load|@include|@\w+\(`)
	})
	sedRuns = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\s*[0-9$,]*\s*e(\s|$)|[;{}\n]\s*[0-9$,]*\s*e(\s|$)|[/|,#@][gpimIM0-9]*e[gpimIM0-9]*(\s|;|$|\})`)
	})
)

// fitsSed reports whether a value does no harm where it stands in sed's program.
func fitsSed(said, before, behind string) (instead string, ok bool) {
	if strings.Trim(said, "0123456789,") == "" && said != "" {
		return "", true
	}
	state, d := sedState(before)
	switch state {
	case sedPattern:
		if strings.IndexByte(behind, d) < 0 {
			return "", false
		}
		if strings.IndexByte(said, d) >= 0 {
			return "choose a delimiter that is not in the value, such as s|…|…| or \\|…|", false
		}
		return "", between(said, d)
	case sedText:
		return "", !strings.ContainsAny(said, "\\\n\r")
	}
	return "", false
}

// Where in sed's program a text ends.
const (
	sedCommand = iota // where a command, an address or a flag would stand
	sedPattern        // between delimiters
	sedText           // in what a, i and c put in
)

// sedState finds out where in its program a value stands: only between
// delimiters and in a text to put in is it nothing but text.
func sedState(code string) (state int, delimiter byte) {
	for i := 0; i < len(code); i++ {
		c := code[i]
		parts := 0
		switch {
		case c == 's' || c == 'y':
			if i++; i >= len(code) {
				return sedCommand, 0
			}
			parts, delimiter = 2, code[i]
		case c == '/':
			parts, delimiter = 1, c
		case c == '\\' && i+1 < len(code):
			i++
			parts, delimiter = 1, code[i]
		case c == 'a' || c == 'i' || c == 'c':
			end := strings.IndexByte(code[i:], '\n')
			if end < 0 {
				return sedText, 0
			}
			if strings.HasSuffix(code[:i+end], "\\") { // the text is on the next line
				rest := strings.IndexByte(code[i+end+1:], '\n')
				if rest < 0 {
					return sedText, 0
				}
				end += 1 + rest
			}
			i += end
		case strings.IndexByte("rwRWe:btTq", c) >= 0 && i+1 < len(code) && code[i+1] == ' ' || c == '#' || c == ':':
			end := strings.IndexByte(code[i:], '\n')
			if end < 0 {
				end = strings.IndexByte(code[i:], ';')
			}
			if end < 0 || c == '#' || c == 'e' {
				return sedCommand, 0
			}
			i += end
		}
		if parts == 0 {
			continue
		}
		if delimiter == '\\' || delimiter == '\n' || isNameChar(delimiter) {
			return sedCommand, 0
		}
		for i++; parts > 0; i++ {
			switch {
			case i >= len(code):
				return sedPattern, delimiter
			case code[i] == '\\':
				i++
			case code[i] == '[' && delimiter != '[': // a delimiter in brackets is text to some, an end to others
				if end := strings.IndexByte(code[i:], ']'); end < 0 || strings.IndexByte(code[i:i+end], delimiter) >= 0 {
					return sedCommand, 0
				}
			case code[i] == delimiter:
				parts--
			}
		}
		i--
		for i+1 < len(code) && strings.IndexByte("gpiImM0123456789", code[i+1]) >= 0 && c != '/' && c != '\\' {
			i++
		}
		if i+1 < len(code) && (code[i+1] == 'w' || code[i+1] == 'e') && c == 's' {
			return sedCommand, 0
		}
	}
	return sedCommand, 0
}
