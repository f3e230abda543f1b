package bind

import (
	"regexp"
	"slices"
	"strings"
	"sync"
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
	joiner, joins := joiners()[name]
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
		s.options(args, options{runs: "*"}, "set")
	case shells()[base]:
		s.shell(base, args, in)
	case isReader && !(base == "bun" && len(args) > 0 && listed("x exec add install i create pm link", args[0].lit())):
		s.reader(base, r, args, in)
	case wraps:
		s.wrapper(name, wrapper.valued, wrapper.before, args, in)
	case terminals()[name]:
		s.terminal(name, args, in)
	case joins:
		s.joiner(name, joiner, args, in)
	case name == "git":
		s.git(args)
	case gitCommand(name) != "":
		s.git(append([]field{{bits: []bit{{text: gitCommand(name)}}}}, args...))
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
		s.make(args, in)
	case "gh", "glab", "hub":
		s.hosts(name, args)
	case "scp", "rsync":
		for _, f := range args {
			if f.reached(s.vals) && strings.Contains(f.text(s.vals), ":") && !s.all(plainMany, name, whyCode, "write the other machine's path yourself") {
				return
			}
		}
	case "sbt":
		for _, f := range args {
			if f.reached(s.vals) && !s.all(anOperand, name, whyCode, "write its command yourself") {
				return
			}
		}
	case "just", "task":
		for _, f := range args {
			if f.reached(s.vals) && !s.all(plainMany, name+", which pastes it into a shell", whyCode, "check the value first, or pass it by a file") {
				return
			}
		}
	case "ansible-playbook":
		for i, f := range args {
			if i == 0 || !strings.HasPrefix(args[i-1].lit(), "-") {
				s.script(f, in, aScript, name)
			}
		}
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
		if len(args) == 0 {
			break
		}
		if args[0].reached(s.vals) && !strings.ContainsAny(args[0].text(s.vals), "./-") {
			s.all(numbers, "tar's first word", whyOption, "write tar's options yourself")
		}
		if text := args[0].lit(); !strings.HasPrefix(text, "-") && strings.ContainsAny(text, "IF") && joined(args[1:]).reached(s.vals) { // tar cIf zstd a.tar
			s.all(anOperand, "tar's program", whyChoice, "name the program with --use-compress-program=")
		}
	}
	if name == "uniq" || name == "xxd" || name == "split" {
		s.apart(name, args)
	}
	if name == "curl" {
		s.curlConfig(args, in)
	}
	if packagers()[versionless(name)] {
		s.installs(name, args)
	}
	if name == "find" || name == "fd" || name == "fdfind" {
		s.executes(args, in)
	}
	if talkers()[name] && (in.open || in.code != nil && in.code.reached(s.vals)) {
		s.spoken(name, in)
	}
	carrier, carries := carriers()[name]
	if carries {
		s.carrier(name, carrier, args, in)
	}
	s.codeWords(name, args)
	if len(s.findings) > 0 {
		return
	}
	for i, f := range args {
		base := programName(f.lit())
		dashes := i > 0 && args[i-1].lit() == "--" && args[0].lit() != "run" && args[0].lit() != "test" && args[0].lit() != "run-script" && args[0].lit() != "start"
		if carries && (dashes || i > 0 && s.known(base) && !listed(carrier.verbs, base)) {
			s.run(args[i:], in)
			return
		}
		// Whatever the program, a shell or an interpreter among its words may run.
		if r, isReader := readers()[versionless(base)]; !listing()[name] && (shells()[base] || isReader) || shells()[base] && slices.ContainsFunc(args[i+1:], isDashC) {
			if isReader {
				s.reader(versionless(base), r, args[i+1:], in)
			} else {
				s.shell(base, args[i+1:], in)
			}
			return
		}
	}
}

// apart judges a program that reads one operand and writes another: one value may not be both.
func (s *scope) apart(name string, args []field) {
	seen := map[int]bool{}
	for _, f := range args {
		if strings.HasPrefix(f.text(s.vals), "-") {
			continue
		}
		for _, i := range f.values(s.vals) {
			if seen[i] {
				s.report(i, "an operand that "+name+" writes", whyOption, "put the value in double quotes")
				return
			}
			seen[i] = true
		}
	}
}

// curlConfig judges settings that curl reads: a line of them can say where it writes.
func (s *scope) curlConfig(args []field, in input) {
	for i, f := range args {
		flag := f.lit()
		file := field{}
		switch {
		case flag == "--config" || len(flag) > 1 && flag[1] != '-' && flag[0] == '-' && strings.HasSuffix(flag, "K"):
			if i+1 < len(args) {
				file = args[i+1]
			}
		case strings.HasPrefix(flag, "-") && strings.HasSuffix(flag, "K-"):
			file = field{bits: []bit{{text: "-"}}}
		default:
			continue
		}
		input := file.lit() == "-" && (in.open || in.code != nil && in.code.reached(s.vals))
		if (input || s.holds(file)) && !s.all(aWordOrPath, "curl's settings", whyOption, "give the address as an argument") {
			return
		}
	}
}

// carrier judges a program that runs a command by one of its subcommands.
func (s *scope) carrier(name string, c carrier, args []field, in input) {
	const instead = "write the command yourself, and pass the value as a word of it"
	verb, sub, before, own := false, false, c.before, false
	for i := 0; i < len(args) && len(s.findings) == 0; i++ {
		f := args[i]
		text := f.lit()
		switch {
		case listed(c.code, text) && i+1 < len(args):
			s.shellCode(joined(args[i+1:]), nil, in, name)
			return
		case listed(c.valued, text):
			i++
		case !verb && listed(c.verbs, text):
			verb, own = true, text == "run" && c.before > 0
		case text == "--" && verb:
			s.run(args[i+1:], in)
			return
		case strings.HasPrefix(f.lead(), "-") || text == "compose":
		case !verb:
			if f.reached(s.vals) && !sub && (f.open() || verbs()[firstWord(f.text(s.vals))] || listed(c.verbs, firstWord(f.text(s.vals)))) {
				s.all(numbers, name+"'s subcommand", whyChoice, "write the subcommand yourself")
			}
			if sub || f.reached(s.vals) || packagers()[name] {
				return // some other subcommand
			}
			sub = true // docker compose, ip netns
		case listed(c.verbs, text): // fly ssh console
		case before > 0:
			before--
			if own = own && !f.reached(s.vals) && !isBare(text); f.reached(s.vals) && f.many && !s.all(anOperand, name, whyName, instead) {
				return
			}
		case own && f.reached(s.vals): // an argument for the program of the author's image
			return
		case c.joins:
			s.shellCode(joined(args[i:]), nil, in, name)
			return
		default:
			s.run(args[i:], in)
			return
		}
	}
}

// isBare recognises images that are a system or a language and no program: what follows is the command's name.
func isBare(image string) bool {
	name, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(image, "docker.io/"), "library/"), ":")
	name, _, _ = strings.Cut(name, "@")
	return bareImages()[name]
}

var bareImages = sync.OnceValue(func() map[string]bool {
	return set("alpine ubuntu debian fedora centos rockylinux almalinux amazonlinux archlinux busybox bash node python ruby perl php golang rust gcc openjdk eclipse-temurin maven gradle")
})

func firstWord(s string) string {
	word, _, _ := strings.Cut(strings.TrimSpace(s), " ")
	return word
}

// codeWords judges the words of flags that most programs take for code, and
// what a program keeps to run later: its configuration, its aliases.
func (s *scope) codeWords(name string, args []field) {
	row, known := risky()[name]
	known = known && !listed(row.runs, "*")
	if listing()[name] && !known || strings.HasPrefix(name, "./") || passing()[name] || cutting()[name] {
		return
	}
	keeps := false
	for i, f := range args {
		if !f.reached(s.vals) {
			keeps = keeps || i == 0 && (f.lit() == "config" || f.lit() == "configure" || f.lit() == "alias" || f.lit() == "plugin" || f.lit() == "pkg" || f.lit() == "set" || f.lit() == "set-script" || f.lit() == "env")
			continue
		}
		before := ""
		if i > 0 {
			before = args[i-1].lit()
		}
		lead, _, joined := strings.Cut(f.lead(), "=")
		flag := !known && listed(codeFlags, before) || strings.HasPrefix(before, "--") && listed(codeFlags, before) || joined && strings.HasPrefix(lead, "--") && listed(codeFlags, lead)
		if keeps && args[0].lit() == "pkg" && joined && !strings.Contains(lead, "script") {
			continue // description=…
		}
		if (flag || keeps) && !s.all(aName, name+" "+before, whyCode, "write it yourself, or "+asArgument) {
			return
		}
	}
}

func isDashC(f field) bool {
	t := f.lit()
	return len(t) > 1 && t[0] == '-' && strings.HasSuffix(t, "c")
}

// terminal judges a program that types what it is given into a shell.
func (s *scope) terminal(name string, args []field, in input) {
	for i, f := range args {
		k := wordOnly
		if i > 0 && listed("-t -s -n", args[i-1].lit()) {
			k = anOperand // a session's name
		}
		if f.reached(s.vals) && !s.all(k, name, whyCode, "type it yourself") {
			return
		}
		if i > 0 && args[i-1].lit() == "-f" {
			s.script(f, in, aShell, name)
		}
		if _, isLit := f.literal(); isLit && strings.Contains(f.lit(), " ") {
			s.shellCode(f, nil, in, name)
		}
	}
}

// hosts judges gh and its kind: aliases and extensions are code, and what follows -- are git's options, or ssh's.
func (s *scope) hosts(name string, args []field) {
	sub := ""
	for i, f := range args {
		switch {
		case sub == "" && f.reached(s.vals) && !hostWords()[f.text(s.vals)]:
			s.all(never, name+"'s subcommand", whyChoice, "write the subcommand yourself")
		case (sub == "alias" || sub == "config" || sub == "extension" || sub == "ext") && f.reached(s.vals):
			s.all(numbers, name+" "+sub, whyCode, "write it yourself")
		case f.text(s.vals) == "--":
			s.options(args[i+1:], options{runs: "*"}, name)
			return
		case sub == "" && !strings.HasPrefix(f.lead(), "-"):
			sub = f.text(s.vals)
		}
		if len(s.findings) > 0 {
			return
		}
	}
}

var hostWords = sync.OnceValue(func() map[string]bool {
	return set("pr issue run repo release workflow search api label gist status browse auth project ruleset secret variable cache org mr ci")
})

// known reports whether the table has a row by which a program reads code or runs others.
func (s *scope) known(name string) bool {
	_, isReader := readers()[versionless(name)]
	_, wraps := wrappers()[name]
	_, joins := joiners()[name]
	return isReader || wraps || joins || shells()[name] || name == "eval" || name == "find"
}

// executes judges the commands that find -exec and fd -x run. {} is what was
// found: if a value says where to look or for what, it chooses.
func (s *scope) executes(args []field, in input) {
	first := slices.IndexFunc(args, func(f field) bool { return isExec(f.lit()) })
	if first < 0 {
		return
	}
	chooses := slices.ContainsFunc(args[:first], func(f field) bool { return f.reached(s.vals) })
	chooses = chooses || s.deeds.files()
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

// make judges make: its file, its variables, which its recipes paste into a shell, and its targets.
func (s *scope) make(args []field, in input) {
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
		if s.deeds.exports && strings.HasPrefix(text, "--eval") && !s.all(numbers, "make --eval", whyCode, instead) {
			return
		}
		key, _, assigns := strings.Cut(lead, "=")
		if i := strings.IndexByte(lead, 'f'); i > 1 && lead[0] == '-' && lead[1] != '-' && strings.Trim(lead[1:i], "knsBiqwdr") == "" { // -kf -
			if i+1 < len(lead) {
				text, lead = "-f"+strings.TrimPrefix(text, lead[:i+1]), "-f"+lead[i+1:]
			} else {
				continue
			}
		}
		if i := strings.IndexByte(before, 'f'); i > 1 && before[0] == '-' && before[1] != '-' && i == len(before)-1 {
			before = "-f"
		}
		file := before == "-f" || before == "--file" || before == "--makefile"
		switch {
		case file && text == "-", strings.HasPrefix(text, "-f-"), strings.HasSuffix(text, "file=-"), strings.Contains(text, "/dev/"):
			s.stdin(in, aScript, "make")
			if s.deeds.exports {
				s.all(numbers, "make", whyCode, instead)
			}
		case file, strings.HasPrefix(lead, "-f"), strings.HasPrefix(lead, "--file="), strings.HasPrefix(lead, "--makefile="):
			s.script(f, in, aScript, "make")
		case !f.reached(s.vals):
		case before == "-C" || before == "--directory" || before == "-j":
			s.all(inFolder, "make "+before, whyCode, "write the folder yourself")
		case assigns && strings.HasSuffix(key, "!"):
			s.all(numbers, "make "+key+"=", whyCode, instead)
		case assigns && (key == "SHELL" || key == ".SHELLFLAGS" || isSetting(key) && key != "ENV"):
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

// quietFlags are the usual ones of package managers.
const quietFlags = "-q -U -D -g -y -E --quiet --upgrade --save-dev --dev --global --yes --user --save --save-exact --no-cache-dir --exact --optional --frozen-lockfile --no-save --legacy-peer-deps"

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
			if f.reached(s.vals) && !listed(quietFlags, f.text(s.vals)) && (f.open() || !aPackage.holds(f.text(s.vals))) && !s.all(aPackage, name+" "+sub, whyCode, "name the package yourself") {
				return
			}
		}
	case "":
		if len(args) > 0 && args[0].reached(s.vals) && name != "go" && name != "cargo" && (args[0].open() || verbs()[args[0].text(s.vals)] || !aWord(args[0].text(s.vals))) {
			s.all(numbers, name+"'s subcommand", whyChoice, "write the subcommand yourself")
		}
	}
}

// runs judges go run, poetry run, npm exec and the like, whose operand is what runs.
func (s *scope) runs(name string, args []field, in input) {
	if len(args) < 2 {
		return
	}
	switch sub := args[0].lit(); {
	case sub == "node" && (name == "yarn" || name == "pnpm"):
		s.run(args, in)
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
	s.options(args, options{runs: "* +* !* (*"}, name)
	for i, f := range args {
		if s.deeds.exports && (strings.ContainsAny(f.lit(), "!$") || strings.Contains(f.lit(), "exe")) || in.code != nil && s.deeds.exports && strings.Contains(in.code.lit(), "!") {
			s.all(numbers, name+"'s command", whyCode, asArgument)
			return
		}
		if i > 0 && name != "ed" && name != "red" && listed("-S -s -u --load -l", args[i-1].lit()) && f.lit() != "" && s.written(f.lit()) {
			s.script(f, in, aShell, name)
		}
		command := strings.HasPrefix(f.lead(), "+") || strings.HasPrefix(f.lead(), "-")
		if i > 0 {
			switch args[i-1].lit() {
			case "-c", "--cmd", "-S", "-s", "-u", "--eval", "-eval", "-f", "-l", "--load":
				command = true
			case "-e":
				command = strings.HasPrefix(name, "emacs")
			}
		}
		if command && f.reached(s.vals) && !s.all(numbers, name+"'s command", whyCode, asArgument) {
			return
		}
	}
	if in.open {
		s.spoken(name, in)
	}
}

// spoken judges what a program reads that has commands of its own: !reboot.
func (s *scope) spoken(name string, in input) {
	k := plainMany
	if s.deeds.change.other || s.deeds.change.escapes {
		k = numbers
	}
	s.all(k, name+"'s input", whyCode, asArgument)
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
				s.all(aSwitch, "git -c", whySetting, "keep such settings out of the command")
			}
			if i < len(args) {
				if key, _, ok := strings.Cut(args[i].lead(), "="); ok && !quietKey(key) && s.holds(after(args[i], key+"=")) {
					s.all(numbers, "git -c "+key+", which may lead to a file that the line writes", whySetting, "keep such settings out of the command")
				}
				if _, code, ok := strings.Cut(args[i].lit(), "="); ok && strings.ContainsAny(code, " /!") {
					s.shellCode(field{bits: []bit{{text: strings.TrimPrefix(code, "!")}}}, nil, input{}, "git -c")
				}
			}
			if s.deeds.exports && text == "--config-env" {
				s.all(aSwitch, "git "+text, whySetting, "keep such settings out of the command")
			}
		case strings.HasPrefix(f.lead(), "--config-env=") || strings.HasPrefix(f.lead(), "--exec-path="):
			if f.reached(s.vals) || s.deeds.exports {
				s.all(aSwitch, "git "+f.lead(), whySetting, "keep such settings out of the command")
			}
		case text == "-C" || text == "--git-dir" || text == "--work-tree" || text == "--namespace":
			i++
			if i < len(args) && args[i].many && !s.all(plainOnly, "git", whyOption, "put the value in double quotes") {
				return
			}
		case strings.HasPrefix(text, "-"):
		case text == "" && (f.open() || riskyGit()[f.text(s.vals)] == options{} || listed(riskyGit()[f.text(s.vals)].runs, "*")):
			if f.reached(s.vals) {
				s.all(wordOnly, "git's subcommand", whyChoice, "write the subcommand yourself")
			}
			return
		default:
			text := f.text(s.vals)
			opts, known := riskyGit()[text]
			if !known && quietGit()[text] {
				opts = options{writes: "--output --export-marks"} // which many have from git diff
			} else if !known {
				opts = anyGit() // an alias stands for any other
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
		case sub == "remote-ext" && f.reached(s.vals):
			s.all(numbers, "git "+sub, whyCode, "write the command yourself")
			return
		case t == "run" && sub == "bisect":
			s.run(args[i+1:], input{})
			return
		case (t == "--exec" || t == "-x") && sub == "rebase", t == "foreach" && sub == "submodule", (t == "--extcmd" || t == "-x") && sub == "difftool", strings.HasSuffix(t, "-filter") && sub == "filter-branch":
			s.shellCode(joined(args[i+1:]), nil, input{}, "git "+sub)
			return
		case (strings.HasPrefix(f.lead(), "--exec=") && sub == "rebase") && f.reached(s.vals):
			s.shellCode(after(f, "--exec="), nil, input{}, "git "+sub)
		case sub == "config" && i == len(args)-1 && i > 0 && (f.reached(s.vals) || s.holds(f) || s.runsWritten(f.lit())) && !quietKey(args[i-1].lit()):
			s.all(aSwitch, "git config", whySetting, "set only user.* and the like to a value")
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
	in.open = in.open || name == "xargs" && s.deeds.files() // what it reads may name such a file
	replace := ""
	vague := false // where the command begins cannot be told: a flag that is not known may have a word of its own
	for i := 0; i < len(args); i++ {
		f := args[i]
		text := f.lit()
		_, isLit := f.literal()
		switch {
		case strings.HasPrefix(text, "-"):
			vague = vague || strings.HasPrefix(text, "--") && !strings.Contains(text, "=") && !listed(valued, text) && !listed(wordless, text)
			if isCode(name, text) {
				if i+1 < len(args) {
					s.shellCode(joined(args[i+1:]), nil, in, name)
				}
				return
			}
			if name == "env" && splits().MatchString(f.lead()) {
				s.shellCode(joined(append([]field{after(f, f.lead()[:strings.IndexAny(f.lead()+"=", "S=")+1])}, args[i+1:]...)), nil, in, name)
				return
			}
			if i+1 < len(args) && name == "xargs" && (text == "-a" || text == "--arg-file") {
				in.open = s.holds(args[i+1])
			}
			if i+1 < len(args) && (text == "-C" || text == "--chdir" || text == "-D") && (name == "env" || name == "sudo") && args[i+1].reached(s.vals) {
				s.deeds.moves = true
			}
			if name == "xargs" {
				replace = replacement(text, args[i+1:], replace)
			}
			if listed(valued, text) || len(text) > 2 && text[1] != '-' && !listed(valued, text[:2]) && listed(valued, "-"+text[len(text)-1:]) {
				i++
				if i < len(args) && strings.HasPrefix(args[i].lit(), "|") {
					s.shellCode(after(args[i], "|"), nil, in, name+" "+text) // strace -o
				}
				if i < len(args) && args[i].reached(s.vals) && !s.all(noPipe, name+" "+text, whyCode, "write it yourself") {
					return
				}
				if i < len(args) && args[i].reached(s.vals) && args[i].many && !s.all(wordOnly, name, whyName, "put the value in double quotes") {
					return
				}
			}
		case strings.Contains(f.lead(), "=") && !strings.HasPrefix(f.lead(), "-") && !strings.Contains(strings.SplitN(f.lead(), "=", 2)[0], "/") && (name == "env" || name == "sudo" || name == "doas" || name == "systemd-run" || name == "cross-env" || name == "env-cmd"):
			key, _, _ := strings.Cut(f.lead(), "=")
			if f.reached(s.vals) {
				s.open[key], s.opened[key] = true, true
			}
			if !s.setting(key, after(f, key+"="), true) {
				return
			}
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
		case isLit && strings.HasSuffix(text, "/"): // a folder: bwrap --bind / /
		default:
			rest := args[i:]
			if name == "xargs" && in.open {
				rest = s.appended(rest, replace, in)
			}
			s.run(rest, in)
			s.hidden(rest, in)
			if base := programName(text); !vague || listing()[base] || inTable(base) || strings.Contains(text, "/") || len(s.findings) > 0 {
				return
			}
		}
	}
	if name == "xargs" || name == "env" || name == "command" || name == "exec" || name == "time" || name == "nohup" || name == "nice" {
		return
	}
	s.stdin(in, aShell, name)
}

// splits recognises env's -S, also behind other letters.
var splits = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^-[0iv]*S|^--s[a-z-]*=`) })

// wordless are the long flags of such programs that have no word of their own.
const wordless = "-- --foreground --preserve-status --verbose --null --no-run-if-empty --ignore-environment --preserve-env --login --non-interactive --yes --no-install --quiet --interactive --stdin --set-home --wait --fork --shared --exclusive --nonblock --unlock --no-fork --ctty --all --no-new-privs --user --net --mount --pid --ipc --uts --follow-forks --trace-children --once --bun --offline --package-lock"

// replacement returns what xargs replaces by what it reads: -I{}, -i, --replace=@.
func replacement(flag string, rest []field, before string) string {
	if name, text, set := strings.Cut(flag, "="); strings.HasPrefix(name, "--rep") {
		if set {
			return text
		}
		return "{}"
	}
	i := strings.IndexAny(flag, "iI")
	if strings.HasPrefix(flag, "--") || i < 1 || strings.Trim(flag[1:i], "0rtxpo") != "" {
		return before
	}
	text := flag[i+1:]
	switch {
	case text == "" && flag[i] == 'i':
		return "{}"
	case text == "" && len(rest) > 0:
		return rest[0].lit()
	}
	return text
}

// hidden judges the shells and interpreters among a wrapper's words, in case
// the command began later than it seemed: a flag may have had a word of its own.
func (s *scope) hidden(rest []field, in input) {
	if first := programName(rest[0].lit()); listing()[first] || strings.HasPrefix(first, "./") || inTable(first) && first != "." {
		return
	}
	for i, f := range rest[1:] {
		base := programName(f.lit())
		if _, isReader := readers()[versionless(base)]; isReader || shells()[base] {
			s.run(rest[i+1:], in)
		}
	}
}

// isCode reports whether a wrapper's flag takes shell code.
func isCode(name, flag string) bool {
	return name == "npx" && (flag == "-c" || flag == "--call") || name == "flock" && (flag == "-c" || flag == "--command") || name == "env" && (flag == "--split-string" || splits().MatchString(flag) && strings.HasSuffix(flag, "S"))
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
func (s *scope) joiner(name string, row joiner, args []field, in input) {
	s.options(args, risky()[name], name)
	in.open = in.open || takesLines()[name] && s.deeds.files() // what it reads may name such a file
	skip, vague := row.skip, false
	for i, f := range args {
		if i > 0 && args[i-1].lit() == "-F" && strings.HasPrefix(f.lit(), "/dev/") && (in.open || in.code != nil && in.code.reached(s.vals)) {
			s.all(numbers, name+" -F", whyCode, "write its settings yourself")
		}
	}
	for i := 0; i < len(args) && len(s.findings) == 0; i++ {
		f := args[i]
		text := f.lit()
		switch {
		case strings.HasPrefix(text, ":::") && name != "ssh":
			s.parallel(name, nil, args[i:])
			if strings.HasPrefix(text, "::::") {
				s.stdin(in, aShell, name)
			}
			return
		case len(text) > 1 && text[0] == '-' && (listed(row.code, text) || text[1] != '-' && listed(row.code, "-"+text[len(text)-1:])):
			if i+1 < len(args) {
				s.shellCode(joined(args[i+1:]), nil, in, name)
			}
			i = len(args)
		case strings.HasPrefix(f.lead(), "-") && f.reached(s.vals):
			s.all(numbers, name, whyCode, asArgument)
		case len(text) > 1 && text[0] == '-':
			vague = vague || strings.HasPrefix(text, "--") && !strings.Contains(text, "=") && !listed(row.valued, text)
			if text == "-a" && i+1 < len(args) {
				in = input{open: s.holds(args[i+1])}
			}
			if listed(row.valued, text) || text[1] != '-' && listed(row.valued, "-"+text[len(text)-1:]) {
				i++
			}
			if text == "-u" && name == "runuser" { // then it runs the words that follow
				if i += 2; i < len(args) && args[i].lit() == "--" {
					i++
				}
				s.run(args[min(i, len(args)):], in)
				return
			}
		case text == "-" && name == "crontab":
			if in.open || in.code != nil && in.code.reached(s.vals) {
				s.all(numbers, "crontab", whyCode, "write the command yourself")
			}
			s.stdin(in, aShell, name)
			return
		case text == "-": // a login shell
		case skip > 0:
			skip--
			if f.reached(s.vals) {
				s.all(anOperand, name, whyOption, "write it yourself")
			}
		case row.each:
			s.shellCode(f, nil, in, name)
		default:
			rest := args[i:]
			if vague && !inTable(programName(text)) && !listing()[programName(text)] && joined(rest).reached(s.vals) && !s.all(numbers, name, whyCode, asArgument) {
				return // the word before may be a flag's
			}
			if end := slices.IndexFunc(rest, func(f field) bool { return strings.HasPrefix(f.lit(), ":::") }); end >= 0 {
				s.parallel(name, rest[:end], rest[end:])
				rest = rest[:end]
			} else if in.open && takesLines()[name] {
				s.parallel(name, rest, []field{{bits: []bit{{hole: true, open: true}}}})
			}
			s.shellCode(joined(rest), nil, in, name)
			if name != "su" && name != "runuser" {
				return
			}
		}
	}
	if row.input {
		s.stdin(in, aShell, name)
	}
}

// takesLines are those that put each line of their input behind their words.
var takesLines = sync.OnceValue(func() map[string]bool { return set("parallel env_parallel sem parset") })

// parallel judges what GNU parallel puts into its command: it quotes that for
// the shell, so it is the command that must allow it as a word.
func (s *scope) parallel(name string, command, items []field) {
	if !slices.ContainsFunc(items, func(f field) bool { return f.reached(s.vals) || s.holds(f) }) {
		return
	}
	const instead = "write the command yourself, and keep the value as a word of it"
	more := bit{hole: true, open: true}
	code := slices.ContainsFunc(command, func(f field) bool { return strings.ContainsAny(f.lit(), " ;|&$`()=") })
	switch {
	case len(command) == 0:
		s.all(never, name, whyName, instead)
	case code:
		s.all(wordOnly, name, whyCode, instead)
	case slices.ContainsFunc(command, func(f field) bool { return strings.Contains(f.lit(), "{}") }):
		s.run(s.replaced(command, "{}", more), input{})
	default:
		s.run(append(slices.Clone(command), field{bits: []bit{more}, many: true}), input{})
	}
}

// evaluator judges those commands of bash that read their words as code.
func (s *scope) evaluator(name string, args []field, in input) {
	if (name == "fc" && s.deeds.state) || name == "compgen" && s.deeds.exports {
		s.all(numbers, name, whyCode, asArgument)
	}
	for i, f := range args {
		if !f.reached(s.vals) && name != "trap" && name != "alias" {
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
			flags, _, joined := strings.Cut(f.lead(), "C") // -C, -tC, -C"echo $0"
			switch {
			case strings.HasPrefix(before, "-") && strings.HasSuffix(before, "C"):
				s.shellCode(f, nil, in, name)
			case joined && strings.HasPrefix(flags, "-"):
				s.shellCode(after(f, flags+"C"), nil, in, name)
			}
		}
		if name != "unset" && integers()[strings.SplitN(f.lead(), "=", 2)[0]] {
			s.expanded(name + " " + f.lead())
		}
		if key, _, ok := strings.Cut(f.lead(), "="); ok && !strings.Contains(key, "[") {
			if !isSetting(key) {
				continue // export "NAME=$0"
			}
			if !s.setting(key, after(f, key+"="), true) {
				return
			}
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
		if _, known := args[min(1, len(args)-1)].literal(); !known && slices.ContainsFunc(args[1:], func(f field) bool { return f.reached(s.vals) }) {
			s.setByName("printf -v")
		}
		if len(args) > 1 && (args[1].reached(s.vals) || strings.Contains(args[1].text(s.vals), "[")) || strings.Contains(text, "[") {
			s.names("printf -v")
		}
	case strings.HasPrefix(args[0].lead(), "-v"):
		s.names("printf -v")
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
	value := slices.ContainsFunc(args, func(f field) bool {
		return f.open() && s.nameFlag || len(f.values(s.vals)) > 0 && operator(f.text(s.vals))
	})
	if literal || value {
		s.expanded("test -v")
	}
}
