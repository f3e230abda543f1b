package setup

import (
	"fmt"
	"slices"
	"strings"

	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/term"
	"github.com/skillhand/skillhand/skill"
)

// A Present says what is here.
type Present struct {
	Program  func(name string) (path string, ok bool)
	Variable func(name string) bool
	Skill    func(name string) bool
	Agent    func(name string) bool
	Server   func(name string) bool // an MCP server; nil: unknown
}

// Look notes for each need whether it is here, and for a missing program how to get it.
func (n *Needs) Look(p Present) {
	each := func(list []Need, here func(name string) bool) {
		for i := range list {
			ok := here(list[i].Name)
			list[i].Here = &ok
		}
	}
	for i := range n.Programs {
		path, ok := p.Program(n.Programs[i].Name)
		n.Programs[i].Here, n.Programs[i].Path = &ok, path
		if !ok {
			n.Programs[i].Install = installCommands(n.Programs[i].Name)
		}
	}
	each(n.Variables, p.Variable)
	each(n.Skills, p.Skill)
	each(n.Agents, p.Agent)
	if p.Server != nil {
		each(n.Tools, func(tool string) bool {
			server, _, _ := strings.Cut(strings.TrimPrefix(tool, "mcp__"), "__")
			return p.Server(server)
		})
	}
}

// Missing returns the names of missing things that the skill cannot do without.
func (n *Needs) Missing() (names []string) {
	for _, list := range [][]Need{n.Programs, n.Variables, n.Skills, n.Agents, n.Tools} {
		for _, need := range list {
			if need.Here != nil && !*need.Here && !need.Optional {
				names = append(names, need.Name)
			}
		}
	}
	return names
}

// packageNames has the names of packages in apt, brew and npm, for programs whose package has
// another name or that one of the three lacks. "-" means that there is no package.
const packageNames = `
ag silversearcher-ag the_silver_searcher -
agent-browser - - agent-browser
actionlint - actionlint -
aws awscli awscli -
az - azure-cli -
bat bat bat -
bc bc bc -
biome - biome @biomejs/biome
bun - bun bun
cargo cargo rust -
clang clang llvm -
claude - - @anthropic-ai/claude-code
cmake cmake cmake -
codex - - @openai/codex
convert imagemagick imagemagick -
curl curl curl -
deno - deno deno
docker docker.io docker -
dot graphviz graphviz -
doctl - doctl -
eslint - - eslint
exiftool libimage-exiftool-perl exiftool -
fd fd-find fd -
ffmpeg ffmpeg ffmpeg -
ffprobe ffmpeg ffmpeg -
firebase - firebase-cli firebase-tools
flyctl - flyctl -
fzf fzf fzf -
gcc gcc gcc -
gcloud - google-cloud-sdk -
gemini - gemini-cli @google/gemini-cli
gh gh gh -
git git git -
glab - glab -
gitleaks gitleaks gitleaks -
go golang-go go -
golangci-lint - golangci-lint -
gpg gnupg gnupg -
helm - helm -
http httpie httpie -
hyperfine hyperfine hyperfine -
identify imagemagick imagemagick -
inkscape inkscape inkscape -
java default-jre openjdk -
jq jq jq -
just just just -
kubectl - kubectl -
lsof lsof lsof -
magick imagemagick imagemagick -
make make make -
mmdc - mermaid-cli @mermaid-js/mermaid-cli
mvn maven maven -
mysql default-mysql-client mysql-client -
nc netcat-openbsd netcat -
node nodejs node -
npm npm node -
npx npm node -
ollama - ollama -
openssl openssl openssl -
pandoc pandoc pandoc -
pdftoppm poppler-utils poppler -
pdftotext poppler-utils poppler -
perl perl perl -
php php php -
pip python3-pip python -
pip3 python3-pip python -
pipx pipx pipx -
playwright - - playwright
pnpm - pnpm pnpm
prettier - prettier prettier
psql postgresql-client libpq -
pytest python3-pytest - -
python python-is-python3 python -
python3 python3 python -
qpdf qpdf qpdf -
redis-cli redis-tools redis -
rg ripgrep ripgrep -
rsync rsync rsync -
ruby ruby ruby -
ruff - ruff -
rustc rustc rust -
shellcheck shellcheck shellcheck -
skillhand - - skillhand
soffice libreoffice libreoffice -
sqlite3 sqlite3 sqlite -
ssh openssh-client openssh -
supabase - supabase -
terraform - terraform -
tesseract tesseract-ocr tesseract -
tmux tmux tmux -
tree tree tree -
tsc - typescript typescript
tsx - - tsx
typst - typst -
unzip unzip unzip -
uv - uv -
uvx - uv -
vercel - vercel-cli vercel
wget wget wget -
wrangler - - wrangler
xmllint libxml2-utils libxml2 -
yarn yarnpkg yarn yarn
yq yq yq -
yt-dlp yt-dlp yt-dlp -
zip zip zip -
zsh zsh zsh -
`

// installCommands returns the commands that install a program; any one of them is enough. It
// returns nil if none is known.
func installCommands(program string) (commands []string) {
	for line := range strings.Lines(packageNames) {
		f := strings.Fields(line)
		if len(f) == 4 && f[0] == program {
			for i, how := range []string{"apt install ", "brew install ", "npm install -g "} {
				if f[i+1] != "-" {
					commands = append(commands, how+f[i+1])
				}
			}
		}
	}
	return commands
}

// basics come with every system that has a shell, so they are not listed as needs.
var basics = strings.Fields(`awk basename bash cat chmod chown cksum cmp comm cp cut date dd df diff dirname du env expr file find fold getent grep egrep fgrep
	gzip gunzip head hostname id install join kill ln ls md5sum mkdir mkfifo mktemp mv nl nohup od paste pgrep pkill printenv ps readlink realpath rm
	rmdir sed seq sh sha1sum sha256sum sleep sort split stat tac tail tar tee time timeout touch tr tree tty uname uniq wc which who whoami xargs yes`)

// Compatibility returns a text for the frontmatter with the programs and variables that the skill
// cannot do without, or "".
func (n *Needs) Compatibility() string {
	var names []string
	for _, list := range [][]Need{n.Programs, n.Variables} {
		for _, need := range list {
			if !need.Optional && !slices.Contains(basics, need.Name) {
				names = append(names, need.Name)
			}
		}
	}
	if names == nil {
		return ""
	}
	text := "Requires " + strings.Join(names, ", ")
	if len(n.Hosts) > 0 {
		text += "; uses the network"
	}
	return text
}

// maxCompatibility is how many characters the specification allows.
const maxCompatibility = 500

// Write returns the change of the SKILL.md that adds its needs to compatibility, or nil if they are
// there already.
func (n *Needs) Write() (*files.Edit, error) {
	text := n.Compatibility()
	if text == "" {
		return nil, fmt.Errorf("%s: nothing to write: it needs nothing that a system does not have", n.File)
	}
	if len(text) > maxCompatibility {
		return nil, fmt.Errorf("%s: compatibility would have %d characters, at most %d are allowed", n.File, len(text), maxCompatibility)
	}
	src := n.front.src
	front := skill.Parse(n.File, src).Front
	edit := &files.Edit{Before: src}
	switch f, ok := front.Field("compatibility"); {
	case front.Broken != "":
		return nil, fmt.Errorf("%s: the frontmatter is not YAML: %s", n.File, front.Broken)
	case ok && f.Value == text:
		return nil, nil
	case ok:
		edit.After = slices.Concat(src[:f.ValueOffset], []byte(text), src[f.ValueEnd:])
	default:
		d, ok := front.Field("description")
		if !ok {
			return nil, fmt.Errorf("%s: there is no frontmatter with a description to write beside", n.File)
		}
		at := d.Offset
		edit.After = slices.Concat(src[:at], []byte("compatibility: "+text+"\n"), src[at:])
	}
	if got := skill.Parse(n.File, edit.After).Front; got.Compatibility != text || got.Description != front.Description {
		return nil, fmt.Errorf("%s: compatibility cannot be written there: write it yourself: %s", n.File, text)
	}
	return edit, nil
}

// A Kind has the needs of one kind that people read of: without the programs that every system has, if they are here.
type Kind struct {
	Name  string
	Needs []Need
}

// Kinds lists what people read of.
func (n *Needs) Kinds() []Kind {
	programs := slices.DeleteFunc(slices.Clone(n.Programs), func(p Need) bool { return p.Status() == "here" && slices.Contains(basics, p.Name) })
	return []Kind{
		{"program", programs}, {"variable", n.Variables}, {"package", n.Packages}, {"skill", n.Skills},
		{"agent", n.Agents}, {"mcp tool", n.Tools}, {"host", n.Hosts},
	}
}

// Status says in a word whether it is here.
func (n Need) Status() string {
	switch {
	case n.Here == nil:
		return "unknown"
	case *n.Here:
		return "here"
	case n.Optional:
		return "optional"
	}
	return "missing"
}

// Where says what uses it.
func (n Need) Where() string {
	where := fmt.Sprintf("%s:%d", n.Uses[0].File, n.Uses[0].Line)
	if len(n.Uses) > 1 {
		where += fmt.Sprintf(" and %d more", len(n.Uses)-1)
	}
	return where
}

// Text returns what people read, in lines of so many columns.
func (n *Needs) Text(columns int, paint func(code, text string) string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s\n", n.Skill, term.Near(n.File))
	colors := map[string]string{"unknown": "2", "here": "32", "optional": "33", "missing": "31"}
	for _, kind := range n.Kinds() {
		for _, need := range kind.Needs {
			status, why := need.Status(), need.Where()
			if need.Path != "" {
				why = need.Path + "  (" + why + ")"
			}
			if len(need.Install) > 0 {
				why += "; get it: " + strings.Join(need.Install, " | ")
			}
			fmt.Fprintf(&b, "  %-9s %s %s%-20s  ", kind.Name, paint(colors[status], status), strings.Repeat(" ", 8-len(status)), need.Name)
			b.WriteString(strings.TrimLeft(term.Hang(strings.Repeat(" ", 43), why, columns), " "))
		}
	}
	for _, u := range n.Unread {
		fmt.Fprintf(&b, "  unread    %s:%d: %s\n", u.File, u.Line, u.Why)
	}
	if strings.Count(b.String(), "\n") == 1 {
		b.WriteString("  needs nothing that a system does not have\n")
	}
	return b.String()
}

// Row returns a line of a table of skills.
func (n *Needs) Row() string {
	missing := n.Missing()
	status := "ok"
	if len(missing) > 0 {
		status = "missing " + strings.Join(missing, ", ")
	}
	var own []string
	for _, p := range n.Programs {
		if !slices.Contains(basics, p.Name) {
			own = append(own, p.Name)
		}
	}
	return fmt.Sprintf("%-28s %-40s %s\n", n.Skill, strings.Join(own, " "), status)
}
