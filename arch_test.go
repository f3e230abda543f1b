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
try: . agent agent/sight claude here history internal/atomicfile internal/cause internal/jsontree internal/jsregexp internal/junit internal/lazy
    internal/paths internal/redact internal/suite internal/term internal/yamlfile proc report settings skill trust
lsp: check claudecode here internal/paths render schemas skill
jobs: . agent batch batch/jobfile claude here history internal/atomicfile internal/cause internal/paths internal/term internal/words proc
    render report shell trust try verdict view
mcp/host: internal/atomicfile internal/lazy settings
mcp: . here internal/cause internal/lazy internal/loopback internal/paths internal/redact internal/watch render skill trust
.: agent claude claudepage here history internal/cause internal/paths internal/redact internal/words proc render report session shell skill trust
    verdict
agent: agent/sight claude internal/lazy
agent/sight: internal/term skill
batch:
batch/jobfile: agent batch claude internal/cause internal/jsontree internal/lazy internal/paths internal/yamlfile
bench: history report shell/bind
bench/corpus: check
check: agent/sight claudecode edit here internal/cause internal/config internal/jsontree internal/lazy internal/markdown internal/paths internal/suite
    internal/term internal/words permit scaffold settings shell/bind skill usage
claude: internal/cause internal/jsonfind internal/lazy proc
claudepage: claudecode internal/lazy internal/paths internal/words permit proc settings skill
claudecode: internal/jsontree internal/lazy
edit:
edit/disk: edit internal/atomicfile internal/cause skill
golden: . here internal/atomicfile internal/junit internal/paths internal/term render skill
here: internal/config internal/paths session settings skill trust
history:
migrate: edit internal/lazy internal/legacy internal/words permit render shell skill
migrate/disk: edit/disk internal/cause internal/lazy internal/paths internal/term migrate proc report skill
page: . agent/sight batch check claudecode edit/disk history internal/atomicfile internal/cause internal/lazy internal/loopback internal/paths internal/redact
    internal/term internal/watch render session shell skill trust try usage
permit:
plugin:
proc:
render: internal/atomicfile internal/cause internal/paths internal/redact internal/words shell skill
release: claudecode proc schemas
report: internal/jsonfind internal/legacy
scaffold: internal/cause skill
schemas:
session:
settings: claudecode internal/atomicfile internal/cause internal/jsontree internal/paths
shell: internal/cause internal/links internal/minibash internal/paths internal/words proc shell/bind
shell/bind: internal/lazy internal/words
skill: internal/cause internal/markdown internal/paths internal/yamlfile
trust: internal/atomicfile internal/cause internal/links internal/paths internal/words proc skill
verdict: internal/cause proc report
usage: here internal/atomicfile internal/paths internal/term skill
view: . claudecode here history internal/paths internal/term report session settings shell usage verdict

internal/atomicfile: internal/cause
internal/cause:
internal/cli: . claude here internal/atomicfile internal/lazy internal/term internal/words proc skill trust view
internal/cli/clitest: internal/cli
internal/config: internal/yamlfile skill
internal/doctor: agent check claudecode here internal/cause internal/paths internal/term internal/uninstall mcp/host proc settings skill trust
internal/jsonfind:
internal/jsontree:
internal/jsregexp:
internal/junit: internal/atomicfile
internal/lazy:
internal/legacy:
internal/links:
internal/loopback:
internal/markdown:
internal/minibash: internal/words proc shell/bind
internal/origin:
internal/paths:
internal/redact: internal/jsonfind
internal/reports: internal/cause report
internal/term:
internal/suite: internal/paths skill
internal/txtartest:
internal/uninstall: claudecode here internal/origin internal/paths internal/term mcp/host settings view
internal/upgrade: internal/atomicfile internal/origin
internal/watch: internal/paths
internal/words:
internal/yamlfile:

cmd/skillhand: . agent agent/sight check claude claudecode claudepage edit/disk golden here history internal/atomicfile internal/cause internal/cli
    internal/doctor internal/paths internal/reports internal/term internal/uninstall migrate migrate/disk render report scaffold schemas session shell
    skill trust usage verdict view
cmd/skillhand-server: . agent batch batch/jobfile claude here internal/atomicfile internal/cli internal/paths internal/term internal/upgrade jobs lsp
    mcp mcp/host page proc scaffold shell try

# For tests alone: no line above may name them.
internal/fakeapi:
internal/fakemodel:
internal/needs:
internal/npm: claudecode internal/needs proc
internal/fakeclaude: claudecode
internal/realclaude: claudecode internal/fakeapi internal/npm proc
internal/realagent: agent internal/npm
internal/realpostgres: internal/needs proc
internal/schematest: schemas
internal/shelltest: internal/needs proc shell/bind
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
			if imp == "os/exec" && name != "proc" && name != "bench" {
				t.Errorf("%s imports os/exec: only proc starts processes", pkg.ImportPath)
			}
		}
	}
}

// pure lists the rooms that take text and return values: they reach no files and no processes.
var pure = strings.Fields("claudecode edit permit report shell/bind internal/jsonfind internal/jsontree internal/legacy internal/markdown internal/words")

// noProcess lists the rooms that may read files, but from which no process can be started.
var noProcess = strings.Fields("check edit/disk settings skill")

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
		if by := reaches(name, path("proc"), map[string]bool{"here": true}); by != "" {
			t.Errorf("%s → proc", by)
		}
		if by := reaches(name, "os", map[string]bool{}); by != "" && slices.Contains(pure, name) {
			t.Errorf("%s → os", by)
		}
	}
}

var majorVersion = regexp.MustCompile(`/v[0-9]+$`)

// TestSignatures: importers see our types and those of the standard library alone.
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
		all = append(all, typ.Decl)
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
