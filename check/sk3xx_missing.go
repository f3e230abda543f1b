package check

import (
	"bytes"
	"io/fs"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/words"
)

// installed lists programs that people install themselves, and that skills ask for facts.
var installed = strings.Fields(`act aws az bat bun cargo cargo-audit circleci claude codex composer deno docker doctl exiftool fd ffmpeg ffprobe firebase flyctl
	fzf gcloud gemini gh gitleaks glab go golangci-lint helm heroku hyperfine identify jira jq kubectl linear magick mvn mysql node npm npx ollama pandoc pdfinfo
	pdftotext php pip pip3 pipx pnpm podman poetry psql pulumi redis-cli rg ruby ruff rustc semgrep shellcheck sqlite3 stripe supabase terraform tmux tree tsc uv
	uvx vercel wrangler xmllint yarn yq yt-dlp`)

// honest matches words of a fallback which say that there is no answer, or that somebody has to do something.
var honest = words.Regexp(`(?i)\bn/?a\b|\b(un|not |in)?available|\b(not|isn't|never) (found|installed|set|configured|running|present|here|there|accessible|detected|authenticated|logged)` +
	`|missing|unknown|fail|err(or)?\b|could ?n[o']t|cannot|can't|unable|requires?\b|install|skip|warn|\?|unreachable|offline|invalid|needs?\b|disabled|down\b`)

// missingAsAnswer reports a command whose errors nobody sees, and whose failure becomes an answer: that of a program which is not
// installed too.
func missingAsAnswer(p *pass) {
	for _, d := range p.doc.directives {
		if d.program == nil {
			continue
		}
		for _, m := range maskedPrograms(d.program) {
			if p.doc.showsMissing(m.program) {
				continue
			}
			f := p.at(d, from(m.or), to(m.or), "if %s is not installed, the agent reads %s, because /dev/null hides the error", m.program, m.answer())
			f.Help = m.help()
		}
	}
	if p.doc.file.Kind != Skill || !files.IsFile(p.doc.file.Path) {
		return
	}
	p.scripts(func(file string, mode fs.FileMode) {
		src, err := files.ReadFile(file)
		if !isShellFile(file) || err != nil || len(src) > maxScript || !bytes.Contains(src, []byte("/dev/null")) {
			return
		}
		program, err := words.Parse(string(src))
		if err != nil {
			return
		}
		for _, m := range maskedPrograms(program) {
			f := p.beside(file, src, int(m.or.Pos().Line()), "if %s is not installed, the script takes %s for the answer, because /dev/null hides the error",
				m.program, m.answer())
			f.Help = m.help()
			p.severe(f, Info)
		}
	})
}

// A masked is a call of a program whose absence becomes an answer.
type masked struct {
	program string
	text    string // the answer
	or      syntax.Node
}

func (m masked) answer() string { return `"` + clip(m.text, 40) + `"` }

func (m masked) help() string {
	return "look for " + m.program + " first (command -v " + m.program + "), or have the fallback say that " + m.program + " may be missing"
}

// showsMissing reports whether another directive of the page says, or ends with an error, if a program is missing.
func (d *document) showsMissing(program string) bool {
	return slices.ContainsFunc(d.directives, func(x *directive) bool {
		return x.program != nil && (slices.Contains(shown(x.program), program))
	})
}

// maskedPrograms returns the programs of a text whose absence becomes an answer, where the text shows it nowhere.
func maskedPrograms(program *syntax.File) (all []masked) {
	visible := shown(program)
	first := map[string]*syntax.CallExpr{} // what follows the first call may depend on it
	syntax.Walk(program, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 0 && first[name(call)] == nil {
			first[name(call)] = call
		}
		return true
	})
	syntax.Walk(program, func(n syntax.Node) bool {
		or, ok := n.(*syntax.BinaryCmd)
		if !ok || or.Op != syntax.OrStmt {
			return true
		}
		last := lastOf(or.X)
		asked, said := callOf(last), callOf(or.Y)
		if asked == nil || said == nil || or.X.Negated || !hidesErrors(last) {
			return true
		}
		what := name(asked)
		text, ok := printed(said)
		if !ok || !slices.Contains(installed, what) || first[what] != asked || slices.Contains(visible, what) || strings.Contains(strings.ToLower(text), what) ||
			strings.TrimSpace(text) == "" || honest.Get().MatchString(text) {
			return true
		}
		all = append(all, masked{what, text, or})
		return true
	})
	return all
}

// printed returns what echo or printf prints, if that is plain.
func printed(call *syntax.CallExpr) (string, bool) {
	if n := name(call); n != "echo" && n != "printf" {
		return "", false
	}
	var all []string
	for _, w := range call.Args[1:] {
		text, ok := words.Literal(w)
		if !ok {
			return "", false
		}
		all = append(all, text)
	}
	return strings.Join(all, " "), true
}

// shown returns the programs of a text whose absence somebody sees: it looks for them, asks for their version, or calls them where
// errors are seen. A function of the text is none.
func shown(program *syntax.File) (all []string) {
	quiet := map[*syntax.CallExpr]bool{}
	syntax.Walk(program, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.FuncDecl:
			if n.Name != nil {
				all = append(all, n.Name.Value)
			}
		case *syntax.Stmt:
			if hidesErrors(n) {
				syntax.Walk(n, func(n syntax.Node) bool {
					if call, ok := n.(*syntax.CallExpr); ok {
						quiet[call] = true
					}
					return true
				})
			}
		case *syntax.CallExpr:
			if len(n.Args) == 0 {
				break
			}
			list := args(n)
			switch what := name(n); {
			case slices.Contains([]string{"command", "which", "type", "hash"}, what):
				all = append(all, list...)
			case !quiet[n], slices.Contains(list, "--version"), slices.Contains(list, "-v"), slices.Contains(list, "version"):
				all = append(all, what)
			}
			if !quiet[n] {
				all = append(all, list...) // require jq, need_cmd jq
			}
		case *syntax.WordIter:
			for _, w := range n.Items {
				all = append(all, words.Lit(w)) // for c in jq curl; do command -v $c …
			}
		}
		return true
	})
	return all
}

// hidesErrors reports whether what a statement writes to stderr goes nowhere.
func hidesErrors(s *syntax.Stmt) bool {
	null := false
	for _, r := range s.Redirs {
		to := words.Lit(r.Word)
		fd := ""
		if r.N != nil {
			fd = r.N.Value
		}
		switch {
		case r.Op == syntax.RdrOut && fd == "2", r.Op == syntax.RdrAll, r.Op == syntax.AppAll:
			if to == "/dev/null" {
				return true
			}
		case r.Op == syntax.RdrOut && (fd == "" || fd == "1"):
			null = to == "/dev/null"
		case r.Op == syntax.DplOut && fd == "2" && to == "1" && null:
			return true
		}
	}
	return false
}
