package bind

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/skillhand/skillhand/internal/words"
)

const (
	asArgument = "pass it as an argument instead"
	putDashes  = "put -- before it, or ./ if it is a path"
)

// program judges the words of a program that the table knows.
func (s *scope) program(name string, args []field, in input) {
	if len(s.findings) > 0 {
		return
	}
	if s.starts(name); len(s.findings) > 0 {
		return
	}
	base := versionless(name)
	r, isReader := readers()[base]
	if !isReader {
		r, isReader = readers()[name]
		base = name
	}
	wrapper, wraps := wrappers()[name]
	switch {
	case name == "eval":
		s.shellCode(joined(args), nil, in, "eval")
	case name == "source" || name == ".":
		if len(args) > 0 {
			s.script(args[0], in, aShell, name)
		}
	case name == "trap" || name == "alias" || name == "bind" || name == "complete" || name == "compgen" || name == "compopt" || name == "enable" || name == "fc" || name == "hash":
		s.evaluator(name, args, in)
	case name == "unset" || name == "read" || name == "mapfile" || name == "readarray" || name == "getopts" || name == "wait" || name == "declare" || name == "typeset" || name == "local" || name == "export" || name == "readonly":
		s.namer(name, args, in)
	case name == "let":
		s.expanded("let")
	case name == "printf":
		s.printf(args)
	case name == "test" || name == "[":
		s.test(args)
	case name == "set":
		s.options(args, options{all: true}, "set")
	case shells()[base]:
		s.shell(base, args, in)
	case isReader:
		s.reader(base, r, args, in)
	case wraps:
		s.wrapper(name, wrapper.valued, wrapper.before, args, in)
	case joiners()[name].valued != "" || joiners()[name].code != "" || joiners()[name].skip > 0 || name == "batch" || name == "entr":
		s.joiner(name, args, in)
	case name == "git":
		s.git(args)
	case editors()[name]:
		s.editor(name, args, in)
	default:
		s.plain(name, args, in)
	}
}

// plain judges a program that reads no code of its own but may have options that do, and may start a shell.
func (s *scope) plain(name string, args []field, in input) {
	if opts, ok := risky()[name]; ok {
		s.options(args, opts, name)
	} else if opts, ok := risky()[versionless(name)]; ok {
		s.options(args, opts, name)
	}
	switch name {
	case "make", "gmake":
		s.makes(args, in)
	case "run-parts":
		for _, f := range args {
			s.script(f, in, aShell, name)
		}
	case "skillhand":
		if len(args) > 1 && args[0].lit() == "run" {
			s.script(args[1], in, aShell, name)
		}
	case "groff", "troff", "pic", "soelim", "gdb", "lldb":
		if name == "gdb" || slices.ContainsFunc(args, func(f field) bool { return strings.Contains(f.lit(), "U") }) {
			s.stdin(in, aScript, name)
		}
	case "go", "cargo", "uv", "poetry", "pipenv", "bundle", "pnpm", "yarn", "npm":
		s.runs(name, args, in)
	case "tar", "bsdtar":
		if len(args) > 0 && args[0].reached(s.vals) && !strings.ContainsAny(args[0].text(s.vals), "./-") {
			s.all(numbers, "tar's first word", whyOption, "write tar's options yourself")
		}
	}
	if packagers()[versionless(name)] {
		s.installs(name, args)
	}
	if name == "find" || name == "fd" || name == "fdfind" {
		s.executes(args, in)
	}
	for i, f := range args {
		base := programName(f.lit())
		dashes := i > 0 && args[i-1].lit() == "--" && args[0].lit() != "run" && args[0].lit() != "test" && args[0].lit() != "run-script" && args[0].lit() != "start"
		if carriers()[name] && (dashes || i > 0 && s.known(base)) {
			s.run(args[i:], in)
			return
		}
		// Whatever the program, sh -c among its arguments is a shell.
		if shells()[base] && slices.ContainsFunc(args[i+1:], func(f field) bool { t := f.lit(); return len(t) > 1 && t[0] == '-' && strings.HasSuffix(t, "c") }) {
			s.shell(base, args[i+1:], in)
			return
		}
	}
}

// known reports whether the table has a row by which a program reads code or runs others.
func (s *scope) known(name string) bool {
	_, isReader := readers()[versionless(name)]
	_, wraps := wrappers()[name]
	return isReader || wraps || shells()[name] || name == "eval" || name == "find"
}

// executes judges the commands that find -exec and fd -x run. {} is what was
// found: if a value says where to look or for what, it chooses.
func (s *scope) executes(args []field, in input) {
	first := slices.IndexFunc(args, func(f field) bool { return isExec(f.lit()) })
	if first < 0 {
		return
	}
	chooses := slices.ContainsFunc(args[:first], func(f field) bool { return f.reached(s.vals) })
	root := len(args) > 0 && args[0].reached(s.vals)
	for i := first; i < len(args); i++ {
		if !isExec(args[i].lit()) {
			continue
		}
		rest := args[i+1:]
		if end := slices.IndexFunc(rest, func(f field) bool { t := f.lit(); return t == ";" || t == "+" }); end >= 0 {
			rest = rest[:end]
		}
		i += len(rest) // what is in there is judged
		if chooses {
			rest = s.replaced(rest, "{}", bit{hole: true, open: true})
			for j, f := range rest {
				if !root && len(f.bits) > 0 && f.bits[0].open {
					rest[j].bits = append([]bit{{text: "./"}}, f.bits...) // no option
				}
			}
		}
		s.run(rest, in)
	}
}

func isExec(flag string) bool {
	switch flag {
	case "-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch":
		return true
	}
	return false
}

// makes judges make: its file, its variables, which its recipes paste into a shell, and its targets.
func (s *scope) makes(args []field, in input) {
	const instead = "check the value first, or pass it by a file"
	if s.deeds.exports && !s.all(plainMany, "make, which pastes variables into a shell", whyCode, instead) {
		return
	}
	for i, f := range args {
		before := ""
		if i > 0 {
			before = args[i-1].lit()
		}
		text, lead := f.lit(), f.lead()
		key, _, assigns := strings.Cut(lead, "=")
		file := before == "-f" || before == "--file" || before == "--makefile"
		switch {
		case file && text == "-", strings.HasPrefix(text, "-f-"), strings.HasSuffix(text, "file=-"), strings.Contains(text, "/dev/stdin"):
			s.stdin(in, aScript, "make")
			if s.deeds.exports {
				s.all(numbers, "make", whyCode, instead)
			}
		case file, strings.HasPrefix(lead, "-f"), strings.HasPrefix(lead, "--file="), strings.HasPrefix(lead, "--makefile="):
			s.script(f, in, aScript, "make")
		case !f.reached(s.vals):
		case before == "-C" || before == "--directory" || before == "-j":
			s.all(inFolder, "make "+before, whyCode, "write the folder yourself")
		case assigns && (key == "SHELL" || key == ".SHELLFLAGS" || isSetting(key)):
			s.all(never, "make "+key+"=", whySetting, "set "+key+" to a text of your own")
		case assigns:
			s.pasted(f, plainWords, "make "+key+"=, which recipes paste into a shell", instead)
		case f.open():
			s.all(aTarget, "make", whyCode, "check the target's name first")
		case !aTarget.holds(f.text(s.vals)):
			s.report(f.values(s.vals)[0], "make", whyCode, "check the target's name first")
		}
		if len(s.findings) > 0 {
			return
		}
	}
}

// installs judges what a package manager is to install: a package by its name,
// not a folder or an address whose scripts would run.
func (s *scope) installs(name string, args []field) {
	sub := ""
	if i := slices.IndexFunc(args, func(f field) bool { return !strings.HasPrefix(f.lead(), "-") }); i >= 0 {
		sub = args[i].lit()
	}
	switch sub {
	case "install", "add", "i", "create", "init", "ci", "link", "download", "wheel", "require":
		for _, f := range args {
			if f.reached(s.vals) && !s.all(aPackage, name+" "+sub, whyCode, "name the package yourself") {
				return
			}
		}
	case "":
		if len(args) > 0 && args[0].reached(s.vals) && name != "go" && name != "cargo" {
			s.all(numbers, name+"'s subcommand", whyName, "write the subcommand yourself")
		}
	}
}

// runs judges go run, poetry run, npm exec and the like, whose operand is what runs.
func (s *scope) runs(name string, args []field, in input) {
	if len(args) < 2 {
		return
	}
	switch sub := args[0].lit(); {
	case sub == "exec" || sub == "dlx" || sub == "x" || sub == "run" && name != "npm" && name != "pnpm" && name != "yarn" && name != "cargo":
		for _, f := range args[1:] {
			if t := f.lit(); strings.HasPrefix(t, "-") {
				continue
			}
			if f.reached(s.vals) {
				s.script(f, in, aScript, name+" "+sub)
			}
			return
		}
	}
}

// editor judges an editor's commands: vim -c, emacs --eval, and what ed reads.
func (s *scope) editor(name string, args []field, in input) {
	s.options(args, options{all: true, also: "+ ! ("}, name)
	for i, f := range args {
		command := strings.HasPrefix(f.lead(), "+") || strings.HasPrefix(f.lead(), "-")
		if i > 0 {
			switch args[i-1].lit() {
			case "-c", "--cmd", "-S", "-s", "-u", "--eval", "-eval", "-f", "-l", "--load":
				command = true
			}
		}
		if command && f.reached(s.vals) && !s.all(numbers, name+"'s command", whyCode, asArgument) {
			return
		}
	}
	if in.open {
		k := plainMany
		if s.deeds.change.other || s.deeds.change.escapes {
			k = numbers
		}
		s.all(k, name+"'s input", whyCode, asArgument)
	}
}

// options judges every word that a value can be, against a program's options.
func (s *scope) options(args []field, o options, place string) {
	for i, f := range args {
		if f.lit() == "--" {
			return
		}
		if i > 0 && f.lit() != "" && isFileFlag(args[i-1].lit()) && s.written(f.lit()) && !s.all(plainOnly, place+" "+args[i-1].lit()+" "+f.lit()+", which the line writes", whyOption, "write the options yourself") {
			return
		}
		if (i > 0 && f.reached(s.vals) && o.chooses(args[i-1].lit()) && !strings.Contains(f.lead(), "=") || f.reached(s.vals) && strings.HasSuffix(f.lead(), "=") && o.chooses(strings.TrimSuffix(f.lead(), "="))) &&
			!s.all(numbers, "an option of "+place+" that names a program", whyName, "name the program yourself") {
			return
		}
		if text := f.text(s.vals); len(f.values(s.vals)) > 0 && o.has(text) {
			s.report(f.values(s.vals)[0], "an option of "+place, whyOption, putDashes)
			return
		}
		if lead := f.lead(); f.open() && (lead == "" || lead[0] == '-') {
			var c change
			for _, x := range f.bits {
				c = c.or(x.change)
			}
			k := noKind
			switch {
			case o == (options{}):
			case c.other || c.escapes:
				k = wordOnly
			case c.replaces:
				k = spelled
			}
			if !s.all(k, "an option of "+place, whyOption, putDashes) {
				return
			}
			if i := s.option(o, c.cut, place); i >= 0 {
				s.report(i, "an option of "+place, whyOption, putDashes)
				return
			}
		}
	}
}

// isFileFlag recognises options whose word is a file of options.
func isFileFlag(flag string) bool {
	switch flag {
	case "-K", "--config", "-T", "--files-from", "-f", "--from-file", "-i", "--input-file", "--rcfile", "-F":
		return true
	}
	return false
}

// option returns the first value that has one of a program's options in it, or -1.
func (s *scope) option(o options, cut bool, place string) int {
	key := fmt.Sprint("an option of ", place, cut)
	i, known := s.first[key]
	if !known {
		i = slices.IndexFunc(s.vals, func(v value) bool { return !v.place && o.within(v, cut) })
		s.first[key] = i
	}
	return i
}

// chooses reports whether an option that the author wrote takes a program, or code.
func (o options) chooses(word string) bool {
	long, ok := strings.CutPrefix(word, "--")
	if !ok {
		return len(word) > 1 && word[0] == '-' && (len(word) == 2 && strings.Contains(o.runs, word[1:]) || slices.Contains(strings.Fields(o.words), word) && word != "-o" && word != "-x" && word != "-out")
	}
	return len(long) > 2 && slices.ContainsFunc(strings.Fields(o.long), func(l string) bool { return strings.HasPrefix(l, long) && choosing()[l] })
}

// within reports whether a value has such an option in it, at the start of any
// part that splitting could make a word; anywhere, if the line cuts it on the way.
func (o options) within(v value, cut bool) bool {
	for i := range v.data {
		if (i == 0 || cut && v.data[i] == '-' || !isNameChar(v.data[i-1])) && o.has(v.data[i:]) {
			return true
		}
	}
	return slices.ContainsFunc(v.words, o.has)
}

func isNameChar(c byte) bool {
	return c == '_' || c == '-' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// has reports whether a word is one of the options, in full, shortened, or joined to others.
func (o options) has(word string) bool {
	for prefix := range strings.FieldsSeq(o.also) {
		if strings.HasPrefix(word, prefix) {
			return true
		}
	}
	for w := range strings.FieldsSeq(o.words) {
		if strings.HasPrefix(word, w) {
			return true
		}
	}
	if len(word) < 2 || word[0] != '-' || aNumber(word) {
		return false
	}
	if o.all {
		return word != "--"
	}
	if long, ok := strings.CutPrefix(word, "--"); ok {
		long, _, _ = strings.Cut(long, "=")
		for l := range strings.FieldsSeq(o.long) {
			if long != "" && strings.HasPrefix(l, long) {
				return true
			}
		}
		return false
	}
	for _, c := range word[1:] {
		if strings.ContainsRune(o.short, c) {
			return true
		}
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9') {
			return false // an option's own word begins here
		}
	}
	return false
}

// git judges git by its subcommand.
func (s *scope) git(args []field) {
	for i := 0; i < len(args); i++ {
		f := args[i]
		text := f.lit()
		switch {
		case text == "-c" || text == "--exec-path" || text == "--config-env":
			if i++; i < len(args) && args[i].reached(s.vals) && !strings.Contains(args[i].lead(), "=") {
				s.all(never, "git -c", whySetting, "name the setting yourself: git -c user.name=…")
				return
			} else if i < len(args) && args[i].reached(s.vals) && !strings.HasPrefix(args[i].lead(), "user.") {
				s.all(numbers, "git -c", whySetting, "keep such settings out of the command")
			}
		case text == "-C" || text == "--git-dir" || text == "--work-tree" || text == "--namespace":
			i++
			if i < len(args) && args[i].many && !s.all(plainOnly, "git", whyOption, "put the value in double quotes") {
				return
			}
		case strings.HasPrefix(text, "-"):
		case text == "":
			if f.reached(s.vals) {
				s.all(wordOnly, "git's subcommand", whyName, "write the subcommand yourself")
			}
			return
		default:
			opts, known := riskyGit()[text]
			if !known {
				opts = options{long: "output export-marks"} // which many have from git diff
			}
			s.options(args[i+1:], opts, "git "+text)
			s.gitRuns(text, args[i+1:])
			return
		}
	}
}

// gitRuns judges the subcommands that run commands.
func (s *scope) gitRuns(sub string, args []field) {
	for i, f := range args {
		switch t := f.lit(); {
		case (t == "--exec" || t == "-x") && sub == "rebase", t == "run" && sub == "bisect", t == "foreach" && sub == "submodule", (t == "--extcmd" || t == "-x") && sub == "difftool", strings.HasSuffix(t, "-filter") && sub == "filter-branch":
			s.shellCode(joined(args[i+1:]), nil, input{}, "git "+sub)
			return
		case (strings.HasPrefix(f.lead(), "--exec=") && sub == "rebase") && f.reached(s.vals):
			s.shellCode(after(f, "--exec="), nil, input{}, "git "+sub)
		case sub == "config" && i == len(args)-1 && i > 0 && f.reached(s.vals) && !quietKey(args[i-1].lit()):
			s.all(wordOnly, "git config", whySetting, "set only user.* and the like to a value")
		}
	}
}

// quietKey recognises settings of git that run nothing.
func quietKey(key string) bool {
	section, _, _ := strings.Cut(strings.ToLower(key), ".")
	switch section {
	case "user", "author", "committer", "init", "color", "branch", "push", "pull", "i18n", "advice", "blame", "log", "status", "help":
		return true
	}
	return strings.HasPrefix(key, "--") // --get and its kind
}

// after returns a field without the text that it begins with.
func after(f field, text string) field {
	bits := slices.Clone(f.bits)
	bits[0].text = strings.TrimPrefix(bits[0].text, text)
	return field{bits: bits, many: f.many}
}

// wrapper judges a program that runs another: its own words, then the command, wherever that begins.
func (s *scope) wrapper(name, valued string, before int, args []field, in input) {
	if (name == "command") && len(args) > 0 && (args[0].lit() == "-v" || args[0].lit() == "-V") {
		return // only asks where a command is
	}
	replace := ""
	for i := 0; i < len(args); i++ {
		f := args[i]
		text := f.lit()
		_, isLit := f.literal()
		switch {
		case strings.HasPrefix(text, "-"):
			if isCode(name, text) {
				if i+1 < len(args) {
					s.shellCode(args[i+1], args[i+2:], in, name)
				}
				return
			}
			if i+1 < len(args) && name == "xargs" && (text == "-a" || text == "--arg-file") {
				in.open = args[i+1].reached(s.vals) || s.reads(args[i+1].lit())
			}
			if i+1 < len(args) && (text == "-C" || text == "--chdir" || text == "-D") && (name == "env" || name == "sudo") && args[i+1].reached(s.vals) {
				s.deeds.moves = true
			}
			if name == "xargs" && strings.HasPrefix(text, "-I") {
				if replace = text[2:]; replace == "" && i+1 < len(args) {
					replace = args[i+1].lit()
				}
			}
			if len(text) == 2 && strings.Contains(valued, text[1:]) || strings.HasPrefix(text, "--") && !strings.Contains(text, "=") && longTakes(name, text) {
				i++
				if i < len(args) && args[i].reached(s.vals) && !s.all(noPipe, name+" "+text, whyCode, "write it yourself") {
					return
				}
				if i < len(args) && args[i].reached(s.vals) && args[i].many && !s.all(wordOnly, name, whyName, "put the value in double quotes") {
					return
				}
			}
		case strings.Contains(f.lead(), "=") && !strings.HasPrefix(f.lead(), "-") && !strings.Contains(strings.SplitN(f.lead(), "=", 2)[0], "/") && (name == "env" || name == "sudo" || name == "doas" || name == "systemd-run"):
			key, _, _ := strings.Cut(f.lead(), "=")
			s.open[key] = s.open[key] || f.reached(s.vals)
			if f.reached(s.vals) && (isSetting(key) || f.many && !s.all(plainOnly, name, whyName, "put the value in double quotes")) {
				s.all(never, name+" "+key+"=", whySetting, "set "+key+" to fixed text")
				return
			}
		case f.reached(s.vals):
			if before > 0 {
				before--
				if s.all(anOperand, name, whyName, "put the value after the command's name") {
					continue
				}
				return
			}
			s.run(args[i:], in)
			return
		case isLit && before > 0:
			before--
		default:
			rest := args[i:]
			if name == "xargs" && in.open {
				rest = s.appended(rest, replace, in)
			}
			s.run(rest, in)
			return
		}
	}
	if name == "xargs" || name == "env" || name == "command" || name == "exec" || name == "time" || name == "nohup" || name == "nice" {
		return
	}
	s.stdin(in, aShell, name)
}

// isCode reports whether a wrapper's flag takes shell code.
func isCode(name, flag string) bool {
	return name == "npx" && (flag == "-c" || flag == "--call") || name == "flock" && (flag == "-c" || flag == "--command") || name == "env" && (flag == "-S" || flag == "--split-string")
}

// longTakes reports whether a wrapper's long flag takes the next word: those of
// timeout, nice and the like all do, but for a few.
func longTakes(name, flag string) bool {
	switch flag {
	case "--foreground", "--preserve-status", "--verbose", "--null", "--no-run-if-empty", "--ignore-environment", "--preserve-env", "--login", "--non-interactive", "--yes", "--no-install", "--quiet", "--interactive", "--stdin", "--set-home", "--":
		return false
	}
	return name == "timeout" || name == "sudo" || name == "xargs" || name == "nice" || name == "stdbuf" || name == "env"
}

// appended returns the command of xargs with what it reads put in.
func (s *scope) appended(fs []field, replace string, in input) []field {
	more := bit{hole: true, open: true, change: in.change}
	if replace == "" {
		return append(slices.Clone(fs), field{bits: []bit{more}, many: true})
	}
	return s.replaced(fs, replace, more)
}

// replaced returns fields with something put in for a text.
func (s *scope) replaced(fs []field, replace string, more bit) []field {
	var list []field
	for _, f := range fs {
		var bits []bit
		for _, x := range f.bits {
			parts := []string{x.text}
			if !x.hole && x.value == 0 {
				parts = strings.Split(x.text, replace)
			}
			for i, part := range parts {
				if i > 0 {
					bits = append(bits, more)
				}
				if part != "" || x.hole || x.value > 0 {
					y := x
					y.text = part
					bits = append(bits, y)
				}
			}
		}
		list = append(list, field{bits: bits, many: f.many})
	}
	return list
}

// joiner judges a program that hands its words to a shell.
func (s *scope) joiner(name string, args []field, in input) {
	row := joiners()[name]
	s.options(args, risky()[name], name)
	skip := row.skip
	for i := 0; i < len(args) && len(s.findings) == 0; i++ {
		f := args[i]
		text := f.lit()
		switch {
		case name == "parallel" && strings.HasPrefix(text, ":::"):
			return // what follows is data
		case len(text) > 1 && text[0] == '-' && (row.code != "" && strings.HasSuffix(text, row.code) || text == "--command" || text == "--exec"):
			if i+1 < len(args) {
				s.shellCode(args[i+1], nil, in, name)
			}
			i++
		case strings.HasPrefix(f.lead(), "-") && f.reached(s.vals):
			s.all(numbers, name, whyCode, asArgument)
		case len(text) > 1 && text[0] == '-':
			if len(text) == 2 && strings.Contains(row.valued, text[1:]) {
				i++
			}
		case skip > 0:
			skip--
			if f.reached(s.vals) {
				s.all(anOperand, name, whyOption, "write it yourself")
			}
		default:
			rest := args[i:]
			if end := slices.IndexFunc(rest, func(f field) bool { return strings.HasPrefix(f.lit(), ":::") }); end >= 0 && name == "parallel" {
				rest = rest[:end]
			}
			s.shellCode(joined(rest), nil, in, name)
			if name == "parallel" || name == "entr" {
				return
			}
			return
		}
	}
	if name == "parallel" || name == "at" || name == "batch" || name == "crontab" || name == "ssh" || name == "su" || name == "script" {
		s.stdin(in, aShell, name)
	}
}

// evaluator judges those commands of bash that read their words as code.
func (s *scope) evaluator(name string, args []field, in input) {
	for i, f := range args {
		if !f.reached(s.vals) && name != "trap" {
			continue
		}
		switch {
		case name == "trap" && (i == 0 || i == 1 && args[0].lit() == "--"):
			s.shellCode(f, nil, in, "trap")
		case name == "alias" && strings.Contains(f.lead(), "="):
			_, text, _ := strings.Cut(f.lead(), "=")
			s.shellCode(after(f, strings.TrimSuffix(f.lead(), text)), nil, in, "alias")
		case name == "trap":
		default:
			s.all(numbers, name, whyCode, asArgument)
		}
	}
}

// namer judges those commands that take the names of variables. The texts of read's own options are none.
func (s *scope) namer(name string, args []field, in input) {
	if name != "read" && name != "unset" && slices.ContainsFunc(args, func(f field) bool { t := f.lit(); return strings.HasPrefix(t, "-") && strings.ContainsAny(t, "inaA") }) {
		s.expanded(name)
	}
	for i, f := range args {
		before := ""
		if i > 0 {
			before = args[i-1].lit()
		}
		if strings.HasPrefix(name, "map") || name == "readarray" {
			if before == "-C" {
				s.shellCode(f, nil, in, name)
			}
		}
		if name != "unset" && integers()[strings.SplitN(f.lead(), "=", 2)[0]] {
			s.expanded(name + " " + f.lead())
		}
		if key, _, ok := strings.Cut(f.lead(), "="); ok && !strings.Contains(key, "[") && !isSetting(key) {
			continue // export "NAME=$0"
		}
		if isSetting(f.lit()) && name != "unset" && name != "export" && in.open {
			s.all(never, name+" "+f.lit(), whySetting, "read into a variable of your own")
			return
		}
		text := name == "read" && (strings.HasPrefix(f.lead(), "-p") || slices.Contains([]string{"-p", "-d", "-i", "-t", "-n", "-N", "-u"}, before))
		if f.reached(s.vals) && (!text || f.many) {
			s.names(name)
			return
		}
		if strings.Contains(f.text(s.vals), "[") && !f.reached(s.vals) {
			s.expanded(name)
		}
	}
}

// printf judges printf's -v, which names a variable.
func (s *scope) printf(args []field) {
	if len(args) == 0 {
		return
	}
	switch text := args[0].lit(); {
	case strings.HasPrefix(text, "-v"):
		if len(args) > 1 && integers()[args[1].lit()] {
			s.expanded("printf -v " + args[1].lit())
		}
		if len(args) > 2 && isSetting(args[1].lit()) && slices.ContainsFunc(args[2:], func(f field) bool { return f.reached(s.vals) }) {
			s.all(never, "printf -v "+args[1].lit(), whySetting, "print into a variable of your own")
			return
		}
		if len(args) > 1 && (args[1].reached(s.vals) || strings.Contains(args[1].text(s.vals), "[")) || strings.Contains(text, "[") {
			s.names("printf -v")
		}
	case args[0].reached(s.vals):
		if s.nameFlag {
			s.expanded("printf -v")
		}
	}
}

// test judges -v, which names a variable, and values that could become it.
func (s *scope) test(args []field) {
	operator := func(t string) bool { return t == "-v" || t == "-R" }
	literal := slices.ContainsFunc(args, func(f field) bool { return operator(f.lit()) })
	value := s.nameFlag && slices.ContainsFunc(args, func(f field) bool { return f.reached(s.vals) })
	if literal || value {
		s.expanded("test -v")
	}
}

// shell judges what a shell runs: the text after -c, a file, or its input.
func (s *scope) shell(name string, args []field, in input) {
	if name == "busybox" && len(args) > 0 {
		s.run(args, in)
		return
	}
	for i := 0; i < len(args); i++ {
		f := args[i]
		text, isLit := f.literal()
		switch {
		case !isLit && f.reached(s.vals):
			s.script(f, in, aShell, name)
			return
		case text == "--":
			if i+1 < len(args) {
				s.script(args[i+1], in, aShell, name)
				return
			}
		case len(text) > 1 && (text[0] == '-' || text[0] == '+') && text[1] != '-':
			switch {
			case strings.Contains(text, "c") || text == "-Command":
				for i++; i < len(args); i++ {
					if t := args[i].lit(); !strings.HasPrefix(t, "-") && !strings.HasPrefix(t, "+") || t == "-" {
						s.shellCode(args[i], args[i+1:], in, name+" -c")
						return
					}
				}
				return
			case text == "-n":
				return // it only reads the file
			case strings.Contains(text, "s"):
				s.options(args[i+1:], options{all: true}, name)
				s.nested(in, args[i+1:], name)
				return
			case text == "-o" || text == "-O" || text == "+o" || text == "+O":
				i++
			}
		case text == "--version" || text == "--help":
			return
		case text == "--command":
			if i+1 < len(args) {
				s.shellCode(args[i+1], args[i+2:], in, name)
			}
			return
		case text == "--rcfile" || text == "--init-file":
			if i++; i < len(args) {
				s.script(args[i], in, aShell, name)
			}
		case strings.HasPrefix(text, "--"):
		case text == "-":
		default:
			s.script(f, in, aShell, name)
			return
		}
	}
	s.nested(in, nil, name)
}

// nested judges a shell that reads its code from its input.
func (s *scope) nested(in input, args []field, name string) {
	if in.code != nil {
		s.shellCode(*in.code, args, input{}, name+"'s input")
		return
	}
	s.stdin(in, aShell, name)
}

// script judges a file that is run.
func (s *scope) script(f field, in input, l lang, name string) {
	const instead = "run a file of your own, and pass the value as an argument"
	text, known := f.literal()
	switch {
	case len(f.values(s.vals)) > 0 && !s.chosen(f):
		s.report(f.values(s.vals)[0], "the file that "+name+" runs", whyCode, instead)
	case f.open():
		s.all(numbers, "the file that "+name+" runs", whyCode, instead)
	case known && (text == "/dev/stdin" || text == "/dev/fd/0" || text == "-"):
		s.stdin(in, l, name)
	case known && (strings.HasPrefix(text, "/dev/") || strings.HasPrefix(text, "/proc/")) && text != "/dev/null":
		s.all(numbers, text, whyCode, instead) // whatever was opened there
	case !known && len(s.deeds.writes) > 0:
		s.all(numbers, "the file that "+name+" runs", whyCode, instead)
	case known && s.deeds.moves && !strings.HasPrefix(text, "/") && text != "":
		s.all(never, text+" in a folder that a value chooses", whyCode, "write the folder yourself, or begin its path with a folder of yours")
	case known && s.written(text):
		s.all(numbers, text+", which the line writes", whyCode, instead)
	}
}

// stdin judges a program that reads its code from its input.
func (s *scope) stdin(in input, l lang, name string) {
	switch {
	case in.code != nil && l == aShell:
		s.shellCode(*in.code, nil, input{}, name+"'s input")
	case in.code != nil:
		s.langCode(*in.code, l, name)
	case in.open:
		s.all(numbers, name+"'s input", whyCode, asArgument)
	}
}

// shellCode judges text that a shell parses again, with args as its $1 and the
// following. A value there is pasted, so it must be plain; then the text is
// judged as a line of its own.
func (s *scope) shellCode(f field, args []field, in input, place string) {
	if !s.pasted(f, plainWords, place, asArgument) || len(s.findings) > 0 {
		return
	}
	var b strings.Builder
	for _, x := range f.bits {
		switch {
		case x.value > 0:
			b.WriteString("${" + s.Vars[x.value-1].Name + "}")
		case x.hole:
			b.WriteString("${" + s.prefix + "hole}")
		default:
			b.WriteString(x.text)
		}
	}
	file, err := words.Parse(b.String())
	if err != nil || s.depth >= maxDepth {
		if len(f.values(s.vals)) > 0 {
			s.all(numbers, place, whyCode, asArgument)
		}
		return
	}
	inner := &scope{judge: s.judge, depth: s.depth + 1, open: cloneOpen(s.open), fed: in.open}
	inner.positional = s.positional && (place == "eval" || place == "trap") || slices.ContainsFunc(args, func(f field) bool { return f.reached(s.vals) })
	outer := [3]any{s.assigns, s.funcs, s.inputs}
	inner.look(file)
	s.assigns, s.funcs, s.inputs = outer[0].(map[string]bool), outer[1].(map[string]bool), outer[2].(inputs)
}

func cloneOpen(m map[string]bool) map[string]bool {
	c := make(map[string]bool, len(m))
	for k := range m {
		c[k] = true
	}
	return c
}

// pasted judges the values that stand in code. One that came by a detour could be all of it.
func (s *scope) pasted(f field, harmless func(string) bool, place, instead string) bool {
	if f.open() && !s.all(numbers, place, whyCode, instead) {
		return false
	}
	for _, x := range f.bits {
		if x.value > 0 && !harmless(x.said(s.vals)) {
			s.report(x.value-1, place, whyCode, s.hint(x.value-1, place, instead))
			return false
		}
	}
	return true
}

// hint says how to write it: $1 may well be awk's own.
func (s *scope) hint(i int, place, instead string) string {
	written := s.vals[i].written
	if len(written) == 2 && written[0] == '$' && '0' <= written[1] && written[1] <= '9' {
		return `write \` + written + ` if you mean the program's own; else ` + instead
	}
	return instead
}

// reader judges an interpreter: its code, its file, or its input, and options that bring more code.
func (s *scope) reader(name string, r reader, args []field, in input) {
	given := false
	for i := 0; i < len(args) && len(s.findings) == 0; i++ {
		f := args[i]
		text, isLit := f.literal()
		flag := f.lead()
		switch {
		case isLit && text == "--":
			if i+1 < len(args) && !given {
				s.operand(name, r, args[i+1], in)
			}
			return
		case isLit && text == "-":
			s.stdin(in, r.lang, name)
			return
		case isLit && r.codeFlag(text, name):
			given = true
			if i++; i < len(args) {
				s.langCode(args[i], r.lang, name)
			}
			if r.data {
				return
			}
		case r.codeJoined(flag) && f.reached(s.vals):
			given = true
			s.langCode(f, r.lang, name)
		case r.operand && (strings.HasPrefix(flag, "--file=") || strings.HasPrefix(flag, "-f") && len(flag) > 2):
			given = true
			from := strings.TrimPrefix(flag, "-f")
			if _, file, ok := strings.Cut(flag, "="); ok {
				from = file
			}
			s.script(after(f, strings.TrimSuffix(flag, from)), in, r.lang, name)
		case isLit && (text == "-f" || text == "--file" || text == "--init-file" || text == "-init") && (r.operand || r.lang == aScript && name != "php"):
			given = true
			if i++; i < len(args) {
				s.script(args[i], in, r.lang, name)
			}
		case isLit && (text == "--version" || text == "--help" || text == "-V" || text == "-h" && r.lang == aScript && len(args) == 1 || text == "-v" && len(args) == 1):
			return
		case isLit && (text == "--check" || text == "-l" && name == "php" || text == "-n" && name == "ruby" && len(args) == 1):
			return // it only reads the file
		case isLit && len(text) == 2 && text[0] == '-' && strings.Contains(r.valued, text[1:]):
			i++
			if i < len(args) && strings.Contains("mMrI", text[1:]) && r.lang == aScript {
				s.script(args[i], in, r.lang, name) // a module, which runs
				s.module(args[i].lit(), args[i+1:], in)
			}
			if i < len(args) && args[i].many && args[i].reached(s.vals) && !s.all(wordOnly, name, whyCode, "put the value in double quotes") {
				return
			}
			if text == "-m" && r.data {
				return // a module: the rest is data
			}
		case len(flag) >= 2 && flag[0] == '-' && strings.Contains(r.valued, flag[1:2]) && flag[1] != '-' && !(r.lang == aScript && strings.Contains("mMrI", flag[1:2])):
			if f.many && f.reached(s.vals) && !s.all(plainOnly, name, whyCode, "put the value in double quotes") {
				return
			}
		case len(flag) > 1 && flag[0] == '-':
			if f.reached(s.vals) {
				s.all(numbers, "an option of "+name, whyOption, asArgument)
			}
		default:
			if !given && r.operand {
				given = true
				s.langCode(f, r.lang, name)
				continue
			}
			if !given && (name == "sqlite3" || name == "duckdb" || name == "psql" || name == "mysql" || name == "mariadb") {
				s.database(name, r, args[i:], in)
				return
			}
			if !given && text == "run" && (name == "deno" || name == "bun") {
				continue
			}
			if !given {
				s.operand(name, r, f, in)
				return // the rest is data
			}
			s.options([]field{f}, options{all: true}, name)
			s.perl(name, f, args)
		}
	}
	if !given {
		s.stdin(in, r.lang, name)
	}
}

// module judges python -m: some modules run what they are given.
func (s *scope) module(name string, args []field, in input) {
	if !runningModules()[name] {
		return
	}
	for _, f := range args {
		if f.reached(s.vals) && (f.open() || !s.chosen(f)) {
			s.all(numbers, "python -m "+name, whyCode, "run a file of your own, and pass the value as an argument")
			return
		}
	}
	s.stdin(in, aScript, "python -m "+name)
}

// database judges what follows a database's name: for sqlite3 that is code.
func (s *scope) database(name string, r reader, args []field, in input) {
	s.options(args, risky()[name], name)
	if name == "sqlite3" || name == "duckdb" {
		for _, f := range args[1:] {
			s.langCode(f, r.lang, name)
		}
	}
	if name != "sqlite3" || len(args) == 1 {
		for i, f := range args {
			if t := f.lit(); (t == "-c" || t == "-e" || t == "--command" || t == "--execute") && i+1 < len(args) {
				s.langCode(args[i+1], r.lang, name)
			}
		}
		s.stdin(in, r.lang, name)
	}
}

// operand judges the first operand: a file to run.
func (s *scope) operand(name string, r reader, f field, in input) {
	s.script(f, in, r.lang, name)
}

// perl opens the operands of -n and -p, and runs one that has a pipe in it.
func (s *scope) perl(name string, f field, args []field) {
	if name != "perl" && name != "ruby" || !f.reached(s.vals) {
		return
	}
	s.all(noPipe, name, whyCode, "give it the file as its input: < file")
}

func (r reader) codeFlag(text, name string) bool {
	if len(text) > 1 && text[0] == '-' && text[1] != '-' {
		return strings.ContainsAny(text[len(text)-1:], r.code) || slices.Contains(strings.Fields(r.long), text[1:])
	}
	return strings.HasPrefix(text, "--") && slices.Contains(strings.Fields(r.long), text[2:]) || name == "deno" && text == "eval"
}

// codeJoined recognises -e… and --expression=… with the code in the same word.
func (r reader) codeJoined(flag string) bool {
	if len(flag) < 2 || flag[0] != '-' {
		return false
	}
	if flag[1] != '-' {
		return strings.ContainsAny(flag[1:2], r.code)
	}
	name, _, ok := strings.Cut(flag[2:], "=")
	return ok && slices.ContainsFunc(strings.Fields(r.long), func(l string) bool { return strings.HasPrefix(l, name) })
}

// langCode judges code of another language.
func (s *scope) langCode(f field, l lang, name string) {
	place := name + "'s program"
	whole := f.text(s.vals)
	var own strings.Builder // the author's part
	for _, x := range f.bits {
		if x.value == 0 {
			own.WriteString(x.text)
		}
	}
	if tame := runs(own.String(), l, versionless(name)); tame != nil {
		if !s.all(*tame, place+", which runs things", whyCode, "check the value in the program first") {
			return
		}
	}
	if f.open() && !s.all(numbers, place, whyCode, asArgument) {
		return
	}
	at := 0
	for _, x := range f.bits {
		if x.value == 0 {
			at += len(x.text)
			if x.hole {
				at++
			}
			continue
		}
		said := x.said(s.vals)
		before, behind := whole[:at], whole[at+len(said):]
		at += len(said)
		if instead, ok := s.fits(said, before, behind, l); !ok {
			if instead == "" {
				instead = s.hint(x.value-1, place, asArgument)
			}
			s.report(x.value-1, place, whyCode, instead)
			return
		}
	}
}

// fits reports whether a value does no harm where it stands in code, and if not, how to write it.
func (s *scope) fits(said, before, behind string, l lang) (instead string, ok bool) {
	if aNumber(said) {
		return "", true
	}
	simple := !strings.ContainsAny(before+behind, "\n`")
	switch l {
	case aSed:
		return fitsSed(said, before, behind)
	case anAwk:
		if q, ok := openQuote(before); ok && simple && q == '"' {
			return "", strings.IndexByte(behind, q) >= 0 && inQuotes(said, q)
		}
		if awkRegex().MatchString(before) && simple && strings.Contains(behind, "/") {
			return "", between(said, '/')
		}
		return "", plainText(said) && !strings.Contains(said, "/")
	}
	if q, ok := openQuote(before); ok && simple && !strings.ContainsAny(before, "#\\") && !strings.Contains(before, "//") && !strings.Contains(before, "'''") && !strings.Contains(before, `"""`) && strings.IndexByte(behind, q) >= 0 {
		return "", inQuotes(said, q)
	}
	// In code of several lines, plain words between quotes of one line.
	line := before[strings.LastIndexByte(before, '\n')+1:]
	if q, ok := openQuote(line); ok && !strings.Contains(line, "#") && strings.IndexByte(strings.SplitN(behind, "\n", 2)[0], q) >= 0 && plainWords(said) {
		return "", true
	}
	return "", plainText(said) && said != "" && !strings.HasPrefix(said, ".")
}

var awkRegex = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(^|[~!({;,&|])\s*/[^/\\]*$`) })

// openQuote returns the quote that is open at the end of code.
func openQuote(code string) (byte, bool) {
	var quote byte
	for i := 0; i < len(code); i++ {
		switch c := code[i]; {
		case c == '\\':
			i++
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		case c == quote:
			quote = 0
		}
	}
	return quote, quote != 0
}
