package skillhand_test

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"io"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/skillhand/skillhand"

// rooms lists, for every room, the rooms it may know; an indented line goes on with the one above. Nothing imports upward.
const rooms = `
.: claude internal/activity internal/agents internal/claudecode/claudepage internal/files internal/find internal/here
    internal/proc internal/redact internal/render internal/session internal/shell internal/trust internal/words report
    report/verdict skill
check: internal/activity internal/agents internal/claudecode internal/claudecode/settings internal/doc internal/files
    internal/find internal/gate internal/here internal/markdown internal/shell/bind internal/term internal/words permit skill
claude: internal/files internal/jsonfind internal/proc internal/words
permit:
plugin:
report: internal/jsonfind internal/legacy
report/verdict: internal/files internal/proc report
schemas:
skill: internal/doc internal/files internal/markdown

internal/activity: internal/agents internal/claudecode internal/claudecode/settings internal/files internal/here
    internal/session internal/term internal/words report skill
internal/agents: internal/claudecode internal/term internal/words skill
internal/batch: internal/files
internal/batch/jobs: . claude internal/activity internal/agents internal/batch internal/claudecode internal/doc
    internal/files internal/here internal/proc internal/render internal/shell internal/term internal/trust
    internal/words report report/verdict
internal/claudecode: internal/doc internal/words
internal/claudecode/claudepage: internal/claudecode internal/claudecode/settings internal/files internal/find
    internal/proc internal/words permit
internal/claudecode/settings: internal/claudecode internal/doc internal/files
internal/cli: . claude internal/files internal/find internal/here internal/proc internal/term internal/trust
    internal/words
internal/cli/clitest: internal/cli
internal/doc: internal/words
internal/eval: . claude internal/activity internal/agents internal/batch internal/batch/jobs internal/claudecode
    internal/doc internal/files internal/find internal/gate internal/golden internal/here internal/proc
    internal/redact internal/term internal/trust internal/words skill
internal/files:
internal/find: internal/agents internal/claudecode internal/claudecode/settings internal/doc internal/files
    internal/term internal/words skill
internal/gate: internal/activity internal/claudecode internal/doc internal/files internal/here internal/session
    internal/words report
internal/golden: . internal/files internal/find internal/here internal/may internal/render internal/term skill
internal/here: internal/claudecode/settings internal/doc internal/files internal/find internal/session internal/trust
    internal/words
internal/jsonfind:
internal/legacy:
internal/lsp: check internal/claudecode internal/files internal/here internal/render schemas skill
internal/markdown:
internal/may: internal/claudecode internal/claudecode/settings internal/files internal/term permit
internal/mcp: . internal/files internal/here internal/redact internal/render internal/trust internal/watch
    internal/words skill
internal/migrate: internal/files internal/find internal/legacy internal/proc internal/render internal/shell
    internal/term internal/words permit report skill
internal/proc:
internal/redact: internal/jsonfind
internal/render: internal/files internal/redact internal/shell internal/words skill
internal/session: internal/files
internal/setup: check internal/activity internal/agents internal/claudecode internal/claudecode/settings
    internal/files internal/find internal/here internal/proc internal/redact internal/term internal/trust
    internal/words skill
internal/shell: internal/files internal/proc internal/shell/bind internal/shell/minibash internal/words
internal/shell/bind: internal/words
internal/shell/minibash: internal/proc internal/shell/bind internal/words
internal/term:
internal/trust: internal/files internal/find internal/proc internal/words skill
internal/watch: internal/files
internal/web: . check internal/activity internal/agents internal/batch internal/claudecode internal/eval
    internal/files internal/find internal/gate internal/redact internal/render internal/session internal/setup internal/shell
    internal/term internal/trust internal/watch internal/words skill
internal/words:

cmd/skillhand: . check claude internal/activity internal/agents internal/claudecode internal/claudecode/claudepage
    internal/cli internal/files internal/find internal/gate internal/golden internal/here internal/may internal/migrate
    internal/render internal/session internal/setup internal/shell internal/term internal/trust internal/words permit
    report report/verdict schemas skill

cmd/skillhand-server: . claude internal/activity internal/agents internal/batch internal/batch/jobs internal/cli
    internal/eval internal/files internal/gate internal/here internal/lsp internal/mcp internal/proc internal/redact
    internal/session internal/setup internal/shell internal/term internal/web skill

tools/bench: internal/activity internal/shell/bind report
tools/bench/corpus: check
tools/release: internal/claudecode internal/proc schemas

# For tests alone: no line above may name them.
internal/test: internal/claudecode internal/proc internal/shell/bind schemas
internal/test/fakeapi:
internal/test/realagent: internal/agents internal/test
internal/test/realclaude: internal/claudecode internal/proc internal/test internal/test/fakeapi
internal/test/realpostgres: internal/proc internal/test
`

// mayImport reads rooms.
func mayImport() map[string][]string {
	all := map[string][]string{}
	for line := range strings.Lines(strings.ReplaceAll(rooms, "\n    ", " ")) {
		name, list, ok := strings.Cut(strings.TrimSpace(line), ":")
		if ok && !strings.HasPrefix(line, "#") {
			all[name] = strings.Fields(list)
		}
	}
	return all
}

// A listed is a package as go list describes it.
type listed struct {
	ImportPath, Name, Dir string
	GoFiles, Imports      []string
}

func packages(t *testing.T) []listed {
	out, err := exec.Command("go", "list", "-json=ImportPath,Name,Dir,GoFiles,Imports", "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	var all []listed
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var pkg listed
		if err := dec.Decode(&pkg); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, pkg)
	}
	if len(all) < 5 {
		t.Fatalf("go list named %d packages", len(all))
	}
	return all
}

// TestRooms keeps the direction of imports as docs/architecture.md draws it.
func TestRooms(t *testing.T) {
	may := mayImport()
	for _, pkg := range packages(t) {
		name := room(pkg.ImportPath)
		allowed, known := may[name]
		if !known {
			t.Errorf("%s: a new room: say here what it may import", pkg.ImportPath)
		}
		for _, other := range allowed {
			if !slices.Contains(pkg.Imports, path(other)) {
				t.Errorf("%s does not import %s: take it off the list", pkg.ImportPath, other)
			}
		}
		for _, imp := range pkg.Imports {
			if strings.HasPrefix(imp, module) && !slices.Contains(allowed, room(imp)) {
				t.Errorf("%s imports %s", pkg.ImportPath, imp)
			}
			if imp == "os/exec" && name != "internal/proc" && name != "tools/bench" {
				t.Errorf("%s imports os/exec: only proc starts processes", pkg.ImportPath)
			}
		}
	}
}

// pure lists the rooms that take text and return values: they reach no files and no processes.
var pure = strings.Fields("internal/claudecode internal/doc internal/jsonfind internal/legacy " +
	"internal/markdown internal/shell/bind internal/words permit report")

// noProcess lists the rooms that may read files, but from which no process can be started.
var noProcess = strings.Fields("check internal/agents internal/claudecode/settings internal/files skill")

// TestReach keeps pure rooms pure, and the others of those lists away from proc, also through rooms that they import.
func TestReach(t *testing.T) {
	imports := map[string][]string{}
	for _, pkg := range packages(t) {
		imports[room(pkg.ImportPath)] = pkg.Imports
	}
	var reaches func(from, what string, seen map[string]bool) string
	reaches = func(from, what string, seen map[string]bool) string {
		for _, imp := range imports[from] {
			if imp == what {
				return from
			}
			if next := room(imp); imports[next] != nil && !seen[next] {
				seen[next] = true
				if by := reaches(next, what, seen); by != "" {
					return from + " → " + by
				}
			}
		}
		return ""
	}
	for _, name := range slices.Concat(pure, noProcess) {
		if imports[name] == nil {
			t.Errorf("%s: no such room", name)
		}
		// here knows where programs are, which proc looks up; what it hands out starts none.
		if by := reaches(name, path("internal/proc"), map[string]bool{"internal/here": true}); by != "" {
			t.Errorf("%s → proc", by)
		}
		if by := reaches(name, "os", map[string]bool{}); by != "" && slices.Contains(pure, name) {
			t.Errorf("%s → os", by)
		}
	}
}

var majorVersion = regexp.MustCompile(`/v[0-9]+$`)

// TestSignatures: importers see our types and those of the standard library alone. A name of our own for a type of an
// internal package is one of ours.
func TestSignatures(t *testing.T) {
	for _, pkg := range packages(t) {
		if pkg.Name == "main" || strings.Contains(pkg.ImportPath, "/internal/") {
			continue
		}
		fset := token.NewFileSet()
		var files []*ast.File
		imports := map[string]string{}
		for _, name := range pkg.GoFiles {
			f, err := parser.ParseFile(fset, filepath.Join(pkg.Dir, name), nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
			for _, imp := range f.Imports {
				path, _ := strconv.Unquote(imp.Path.Value)
				name := filepath.Base(majorVersion.ReplaceAllString(path, ""))
				if imp.Name != nil {
					name = imp.Name.Name
				}
				imports[name] = path
			}
		}
		exported, err := doc.NewFromFiles(fset, files, pkg.ImportPath) // without bodies, and without what is not exported
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range declarations(exported) {
			ast.Inspect(decl, func(n ast.Node) bool {
				if sel, ok := n.(*ast.SelectorExpr); ok {
					if x, ok := sel.X.(*ast.Ident); ok && foreign(imports[x.Name]) {
						t.Errorf("%s: %s.%s is exported to importers", fset.Position(sel.Pos()), imports[x.Name], sel.Sel.Name)
					}
				}
				return true
			})
		}
	}
}

// declarations are what a package exports.
func declarations(p *doc.Package) (all []ast.Node) {
	funcs := func(list []*doc.Func) {
		for _, f := range list {
			all = append(all, f.Decl.Type)
		}
	}
	values := func(lists ...[]*doc.Value) {
		for _, list := range lists {
			for _, v := range list {
				for _, spec := range v.Decl.Specs {
					if typ := spec.(*ast.ValueSpec).Type; typ != nil {
						all = append(all, typ)
					}
				}
			}
		}
	}
	funcs(p.Funcs)
	values(p.Consts, p.Vars)
	for _, typ := range p.Types {
		if spec, ok := typ.Decl.Specs[0].(*ast.TypeSpec); !ok || !spec.Assign.IsValid() {
			all = append(all, typ.Decl)
		}
		funcs(typ.Funcs)
		funcs(typ.Methods)
		values(typ.Consts, typ.Vars)
	}
	return all
}

// foreign reports whether a package is neither the standard library's nor one that we export.
func foreign(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return strings.Contains(first, ".") && !strings.HasPrefix(path, module) || strings.HasPrefix(path, module+"/internal/")
}

func path(room string) string {
	if room == "." {
		return module
	}
	return module + "/" + room
}

func room(path string) string {
	if path == module {
		return "."
	}
	return strings.TrimPrefix(path, module+"/")
}
