package bind

import (
	"strings"
	"sync"
)

// This table is what the judgement knows about programs: which read code, which
// run other programs, and by which options they do so without being asked.
// A program that is not here reads its arguments as it likes: that is the author's.
//
// It is text, so that it can be read in one sitting: a line a row, columns
// between bars, as they would be typed (¦ is a bar). TestTable tries an attack on each row, and
// its ordinary twin. The maps are made when first needed: most loads have no
// values in a command.

// rows reads a table: for each of the names in the first column, the others.
func rows[T any](text string, row func(columns []string) T) map[string]T {
	m := map[string]T{}
	for line := range strings.Lines(text) {
		columns := strings.Split(line, "|")
		for i := range columns {
			columns[i] = strings.ReplaceAll(strings.TrimSpace(columns[i]), "¦", "|")
		}
		columns = append(columns, "", "", "", "", "")
		for name := range strings.FieldsSeq(columns[0]) {
			m[name] = row(columns[1:])
		}
	}
	return m
}

// A reader is a program that reads code again.
type reader struct {
	lang    lang
	code    string // flags whose word is code
	files   string // flags whose word is a file that runs
	data    string // flags whose word is data
	operand bool   // without such a flag its first operand is code; else that is a file to run
	rest    bool   // what follows the code is data: no options any more
}

// A lang says how values may stand in code.
type lang int

const (
	aShell  lang = iota // parsed and judged again
	aScript             // Python, JavaScript, SQL …
	aSed
	anAwk
)

// Code of theirs, the file that is their first operand, and their input are
// read as code. Plain text may stand in code, in quotes all that cannot end
// them; a file is below a folder of the author's.
//
//	attack: python3 -c "print('$0')" with ');import os…    twin: with hello world
const readerTable = `
python pypy ipython                       | script | -c                    | -m                            | -W -X | rest
perl                                      | script | -e -E                 | -I -M -m                      | -F
ruby                                      | script | -e                    | -I -r                         | -C -F -K
node nodejs tsx ts-node                   | script | -e -p --eval --print  | -r --require --import --loader --experimental-loader --env-file | -C --conditions
deno                                      | script | --eval eval              | -c --config --import-map      |
bun                                       | script | -e -p --eval --print  | -r --preload --config         | --cwd
php                                       | script | -r -B -R -E --run     | -d -c -f -z -S -t --file      |
lua luajit                                | script | -e                    | -l                            |
prove                                     | script |                       | -e --exec -I -M -P            | -j
tclsh wish pydoc dart                     | script |                       |                               |
swipl                                     | script | -g -t                 | -s -l -f -c                   |
expect                                    | script | -c                    | -f                            |
osascript                                 | script | -e                    | -l                            |
Rscript R                                 | script | -e                    | -f --file                     |
julia                                     | script | -e -E                 | -L -J --load                  | -p -t
guile                                     | script | -c                    | -L -l -s                      |
elixir iex                                | script | -e --eval --rpc-eval  | -r -S -pr --require           |
erl                                       | script | -eval                 | -s -run -pa                   |
groovy scala swift ghc ghci runghc ocaml  | script | -e                    | -cp -I -package               |
jshell jrunscript optscript js rhino qjs  | script | -e                    | -f -cp --class-path --startup --feedback -R |
gdb lldb                                  | script | -ex -eval-command -iex -o --one-line | -x --command -ix -s --source | -p --pid
gnuplot                                   | script | -e                    |                               |
octave                                    | script | --eval                | --path -p                     |
mongosh mongo                             | script | --eval                | -f --file                     | --host --port -u -p
psql                                      | script | -c --command          | -f --file                     | -d -h -p -U -F -R -T -P -v --dbname --host --port --username --set --variable
mysql mariadb                             | script | -e --execute          | --defaults-file --defaults-extra-file --pager --init-command --plugin-dir | -h -u -P -D -S --host --user --port --database
sqlite3 duckdb                            | script | -cmd -c               | -init                         | -separator -nullvalue
m4                                        | script | -D --define           | -I -R -F                      |
dc                                        | script | -e --expression       | -f --file                     |
nix-instantiate                           | script | -E --expr             | -I                            |
redis-cli                                 | script | --eval eval           |                               | -h -p -n -a -u --pattern --count
clojure clj bb racket raku kotlinc        | script | -e --eval --expr      | -f -l -cp -r --load           |
sbcl clisp ecl                            | script | --eval -x             | --load -i                     |
wp rails mix crystal mojo nim             | script | eval runner --eval -e --eval: | -r                            |
java                                      | script |                       | -jar -cp -classpath --class-path | -D -X
mlr                                       | script | put filter            | -f -s                         |
rename prename file-rename                | script | -e                    |                               |  | operand
awk mawk nawk original-awk                | awk    |                       | -f --file                     | -F -v -W --assign --field-separator | operand
gawk                                      | awk    | -e --source           | -f -i -l -E --file --include --load --exec | -F -v --assign --field-separator | operand
sed gsed                                  | sed    | -e --expression       | -f --file                     | -l --line-length | operand
`

var readers = sync.OnceValue(func() map[string]reader {
	langs := map[string]lang{"script": aScript, "awk": anAwk, "sed": aSed}
	return rows(readerTable, func(c []string) reader {
		return reader{langs[c[0]], c[1], c[2], c[3], c[4] == "operand", c[4] == "rest"}
	})
})

// shells run the text after -c, the file that is their first operand, or their input.
//
//	attack: bash -c "ls $0" with ; reboot    twin: with src
var shells = sync.OnceValue(func() map[string]bool {
	return set("bash sh dash zsh ksh ksh93 mksh ash rbash yash fish csh tcsh busybox toybox pwsh powershell elvish nu xonsh git-shell capsh")
})

// A joiner hands its words to a shell, from the first operand on.
type joiner struct {
	code   string // flags whose word is shell code
	valued string // flags with a word of their own
	skip   int    // operands before: ssh's host
	input  bool   // it reads code from its input as well
	each   bool   // each of its words is a command
}

// Plain words may stand in what they run, but not where a command's name does.
//
//	attack: ssh host "ls $0" with ; reboot    twin: with src
const joinerTable = `
ssh slogin rsh mosh autossh    |              | -B -b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w | 1 | input
watch viddy                    |              | -n -q --interval                                    | 0 |
parallel env_parallel sem      |              | -j -P -a -N -n -L -s -S -I -C --jobs --delay --timeout --halt --joblog --colsep --results --retries --load --memfree --env --workdir | 0 | input
niceload                       |              | -l -t -s                                            | 0 |
parset                         |              | -j                                                  | 1 |
su                             | -c --command | -s -g -G                                            | 1 | input
runuser                        | -c --command | -g -G -s                                            | 1 | input
sg newgrp                      | -c           |                                                     | 1 | input
script scriptlive              | -c --command | -E -I -O -B -T -m -o                                | 1 | input
at                             |              | -q -f -t                                            | 1 | input
batch                          |              |                                                     | 0 | input
crontab                        |              | -u                                                  | 0 | input
screen                         | -X           | -S -T -c -p -s -h -t                                | 0 |
hyperfine                      | -p -c --prepare --setup --cleanup | -w -m -M -r -S -N -n -L        | 0 |
entr                           | -s           |                                                     | 0 |
nodemon                        | -x --exec    | -e -w -i                                            | 0 |
watchexec                      |              | -e -w -i -f                                         | 0 |
dpkg-architecture              | -c --command | -a -A -t -T                                         | 0 |
pg_virtualenv debconf          |              | -o -f -p -v                                         | 0 |
pssh parallel-ssh clush pdsh   |              | -h -H -l -w -t -o -e                                | 0 |
concurrently                   |              | -n -c -k                                            | 0 | each
`

var joiners = sync.OnceValue(func() map[string]joiner {
	return rows(joinerTable, func(c []string) joiner {
		return joiner{c[0], c[1], int(c[2][0] - '0'), c[3] == "input", c[3] == "each"}
	})
})

// A wrapper runs the command that follows its own words.
type wrapper struct {
	before int    // operands that come first
	valued string // flags with a word of their own
}

// What they run is judged as if they were not there.
//
//	attack: timeout 5 $0 with reboot    twin: timeout 5 grep "$0" f
const wrapperTable = `
exec                                              | 0 | -a
command builtin nohup setsid unbuffer setarch     | 0 |
linux64 linux32 i386 i686 x86_64 uname26 time     | 0 | -f -o
env                                               | 0 | -u -C -S --unset --chdir
nice                                              | 0 | -n --adjustment
ionice                                            | 0 | -c -n -p -t
timeout gtimeout                                  | 1 | -k -s --kill-after --signal
sudo                                              | 0 | -u -g -h -p -C -R -T -D -r -t --user --group
doas                                              | 0 | -u -C
stdbuf                                            | 0 | -i -o -e --input --output --error
xargs                                             | 0 | -a -d -E -I -J -L -n -P -R -s --arg-file --delimiter --max-args --max-procs --max-lines --max-chars
chroot faketime gosu su-exec setuidgid hwloc-bind gdbserver logsave | 1 |
perf                                              | 1 | -o -e -F -i -p -t -C --output --event
strace ltrace                                     | 0 | -o -e -p -s -E -P -S -a -b -I -u -X -l -n -x
chrt                                              | 1 | -T -P -D
taskset                                           | 1 |
npx bunx uvx pnpx                            | 0 | -p -c --package --call
fakeroot fakeroot-sysv fakeroot-tcp               | 0 | -l -f -s
tini                                              | 0 | -p -e
dumb-init                                         | 0 | -r
pkexec dbus-run-session dbus-launch arch xcrun firejail bwrap rlwrap setpriv catchsegv valgrind coproc ts eatmydata torsocks | 0 |
schedtool chronic ifne softlimit ccache distcc keychain cross-env nyc c8 xvfb rtkit waitfor | 0 |
memusage sotruss not not-14 heaptrack systemd-cat systemd-inhibit unshare kstart k5start | 0 |
gpg-agent mispipe pee tsp env-cmd bear scan-build uftrace ftrace tsocks dockerize reflex apptrace | 0 |
rr py-spy samply wait-for-it.sh wait-for-it wait-for onchange | 1 | -o --output -t
gprofng                                           | 2 |
xvfb-run                                          | 0 | -n -s -e -f -p
caffeinate                                        | 0 | -t -w
systemd-run                                       | 0 | -u -p -t -G -M -H -E
nsenter                                           | 0 | -t -S -G
start-stop-daemon                                 | 0 | -x -p -n -u -g -a
prlimit                                           | 0 | -p
chpst                                             | 0 | -u -e -U -b -C -m -d -o -p -l -r -t
runcon                                            | 1 | -t -u -r -l
numactl                                           | 0 | -N -C -m -i -p
proot                                             | 0 | -r -b -w -q
flock                                             | 1 | -w -E -c
jobs                                              | 0 | -x
sshpass                                           | 0 | -p -f -d -e -P -v
choom                                             | 0 | -n -p
ssh-agent                                         | 0 | -a -t -P -E
uclampset                                         | 0 | -m -M -p
proxychains proxychains4                          | 0 | -f
cpulimit                                          | 0 | -l -p -e
xterm zutty x-terminal-emulator gnome-terminal kitty alacritty | 0 |
ld.so ld-linux.so ld-linux-x86-64.so              | 0 | --library-path --preload --argv0
`

var wrappers = sync.OnceValue(func() map[string]wrapper {
	return rows(wrapperTable, func(c []string) wrapper { return wrapper{int(c[0][0] - '0'), c[1]} })
})

// options are those by which a program runs other programs, or writes where it
// is told. --long is one of GNU's, also shortened and with =; -x is a letter,
// also joined to others; what ends with * is how a word begins; * alone is any option.
type options struct {
	runs   string // as an option's word, a value is no more than a number, or with ~ a word
	writes string // the author may name the file by a value
	but    string // options that pass, though others do not
}

// A value may be any other option.
//
//	attack: git grep $0 with -nOreboot    twin: with -n
const optionTable = `
find                 | -exec* -ok*                                   | -delete* -fprint* -fls* -files0-from*
fd fdfind            | --exec --exec-batch -x -X                     |
rg                   | --pre --hostname-bin                          |
ag ack bat delta     | --pager --ackrc --diff-so-fancy               |
fzf sk               | * --bind --preview --execute --become --history --listen | | -q* --query* -f* --filter* -m --multi -i +i -e --exact --height* --reverse -1 -0
tar                  | --to-command --checkpoint-action --use-compress-program --rsh-command --rmt-command --info-script --new-volume-script --checkpoint -I -F | --index-file --listed-incremental --one-top-level --transform --volno-file -g
bsdtar               | --use-compress-program --to-command -I        |
cpio                 | --rsh-command                                 | -F -O --file
zip                  | --unzip-command -TT*                          | -T*
unzip 7z             |                                               | -d -o
rsync                | --rsh --rsync-path --config --daemon -e -M --remote-option | --log-file --write-batch --only-write-batch --backup-dir
ssh slogin           | -o -F -J -E -S -I -w                          |
scp                  | -o -S -F -J -D                                |
sftp                 | -o -S -F -J -D -b -s                          |
mosh                 | --ssh --server --client                       |
ssh-keygen ssh-add   | -D -s                                         | -f
sort                 | --compress-program                            | --output -o -T
shuf iconv           |                                               | --output -o
diff3 sdiff          | --diff-program                                | --output -o
csplit               |                                               | --prefix -f
split                | --filter                                      |
less                 | --lesskey-src --lesskey-file --tag -k -t -T +* !* | --log-file --LOG-FILE -o -O
more                 | +* !*                                         |
man                  | --pager --html --config-file --preprocessor -P -H -C -p |
gs                   | * -sOutputFile* -o -c -f                      |
nano                 | --rcfile -f --speller -s --operatingdir       |
curl                 | --config -K --engine --proxy-engine           | --output -o --output-dir --remote-name --remote-name-all --remote-header-name -O -J --create-dirs --upload-file -T --dump-header -D --cookie-jar -c --trace --trace-ascii --trace-ids --stderr --netrc-file --hsts --alt-svc --etag-save --libcurl
wget                 | --use-askpass --execute -e --config --input-file -i | --output-document -O --output-file -o --append-output -a --directory-prefix -P --post-file --body-file --save-cookies
aria2c               | * --on-download-complete --conf-path          |
install              | --strip-program                               |
make gmake           | *                                             | | -j* -n -k -s -B -i -q -w --dry-run --silent --quiet --keep-going --always-make --jobs* --no-print-directory --trace -d
ninja                | -f -t                                         | -C
cmake                | -P* -E* -C* -DCMAKE_C_COMPILER* -DCMAKE_CXX_COMPILER* -DCMAKE_MAKE_PROGRAM* -DCMAKE_TOOLCHAIN_FILE* -DCMAKE_PROJECT_* | -D* -G* -T*
npm                  | --script-shell --node-options --globalconfig --userconfig --call --shell --git -c --init-module --editor --viewer --browser | --prefix --cache --logs-dir
pnpm                 | --script-shell --shell-emulator --config --pnpmfile --shell-mode -c |
yarn                 | --script-shell --use-yarnrc                   | --cwd
pip pip3 uv          | --editor --log --global-option --config-settings --editable -C -e --python | --index-url -i --extra-index-url --find-links -f --target -t --prefix --root
docker podman nerdctl | --entrypoint | --privileged --volume --mount --device --cap-add --security-opt --volumes-from -v --config --context -H --host
kubectl oc           |                                               | --kubeconfig --profile-output --cache-dir
gofmt                |                                               | -cpuprofile*
helm                 | --post-renderer                               | --kubeconfig
terraform tofu       | -chdir*                                       |
ansible ansible-playbook ansible-console | * -a --args -m --module-name -e --extra-vars -i -M --module-path |
gh glab hub          | --upload-pack --receive-pack -oProxyCommand*  |
cargo                | --config -Z                                   | +*
go                   | -exec* -toolexec* -vettool* -overlay* -ldflags* -gcflags* -asmflags* -modfile* --exec* --toolexec* --vettool* | -C* -o*
rustc                | -C -Z --codegen --sysroot --linker            | --out-dir -o
javac jar jdb jlink jpackage mvnDebug kotlin | * -cp -classpath --class-path -jar -agentlib* -agentpath* -javaagent* -XX* -processorpath -processor @* |
gcc cc g++ c++ c99 c89 tcc cpp clang clang++ gfortran | -wrapper* -fplugin* -B* -specs* --specs* -Xclang* -Xlinker* -Wl* -fuse-ld* -load* -iplugindir* -x* @* | -o* -imacros* -save-temps* -dumpdir* -MF*
ld gold as nm ar ranlib objdump | -plugin* --plugin* -T* @*                     | -o*
opt llc lli          | -load* --load* -extra-module* -dlopen*        | -o*
bash                 | *                                             |
php                  | * -d                                          |
sqlite3 duckdb       | * -cmd -init                                  |
psql                 |                                               | --command -c --file -f --variable -v --set --output -o --log-file -L
mysql mariadb        | --pager --init-command --defaults-file --defaults-extra-file --plugin-dir | --tee --execute -e
pg_dump pg_dumpall   |                                               | --file -f
pg_ctl initdb postgres | * -o -c -p -D                               |
skillhand claude     | *                                             | | --full --json --strict
gpg gpg2 gpgsm       | --photo-viewer --exec-path --keyserver-options --load-extension --agent-program --dirmngr-program --pinentry-program --options | --output -o --homedir
openssl              | -engine* -provider* -config* -provider-path*  | -out*
crontab parallel env_parallel sem watch tmux screen xargs gdb lldb valgrind ffmpeg mutt | * |
convert magick identify mogrify composite montage | * ¦* @* msl:* mvg:* ephemeral:* |
latex pdflatex xelatex lualatex tex pdftex latexmk | * \* ¦* -e -pdflatex |
patch                | --ed --get -e -g                              | --output -o
ctags                | --options --_* --langdef --mline-regex --optlib-dir | -f -o
apt apt-get apt-cache aptitude | --option --config-file -o -c        |
dpkg                 | --admindir --root --instdir --pre-invoke --post-invoke --status-logger | -R
dpkg-buildpackage debuild | *                                        |
rpm                  | --eval --define --pipe --root --load --macros -E |
groff troff pic nroff eqn | -U -P -L -X -M -F                        |
tcpdump              | -z -Z                                         | -w
nmap                 | --script --datadir --servicedb                | -o
pandoc               | --filter --lua-filter --pdf-engine --data-dir --defaults --metadata-file -F -L -d --to~ -t~ --template | --output -o
yq                   |                                               | --inplace -i
jq                   |                                               | --from-file --library-path -f -L
dot                  |                                               | -o -O
protoc buf           | --plugin --descriptor_set_in                  | --go_out
xmllint              | --load-trace                                  | --output
pytest py.test       | --pdbcls --config-file --override-ini --import-mode -p -c -o | --rootdir --confcutdir --basetemp --junitxml --junit-xml --log-file
pylint               | --load-plugins --init-hook --rcfile           | --output
tox nox              | --override --noxfile -x -f -c --conf          |
playwright cypress   | --config -c                                   |
mypy                 | --config-file --python-executable             |
flake8               | --config --append-config                      | --output-file
eslint               | --rulesdir --resolve-plugins-relative-to --config --parser --plugin --format~ -c -f~ | --output-file -o
prettier stylelint   | --plugin --config --plugin-search-dir --custom-syntax --custom-formatter |
jest vitest          | --config --setupFiles --setupFilesAfterEnv --transform --runner --testEnvironment~ --globalSetup --reporters~ -c | --rootDir --root -r
exiftool             | -if* -config* -p*                             |
blender              | --python-expr --python -P                     |
wrk locust asciidoctor k6 | -s -f -r --locustfile --require --template-dir -T --script |
rspec cucumber       | --require --options -r -O -I                  |
mocha                | --require --config --file --reporter~ --ui~ -r -R~ -u~ |
tsc                  |                                               | --project --outFile --outDir
webpack vite rollup esbuild | --config -c --plugin -p                |
gradle gradlew       | --init-script --build-file --settings-file --include-build -I -b -c | --project-dir -p -D
mvn mvnw             | --settings --toolchains -s* -t* -gs* -Dexec.* | --file -f* -D* | -DskipTests* -Dtest=* -Dmaven.test.skip* -DskipITs* -Dsurefire.*
ant rake scons waf bazel meson | *                                   |
just                 | --justfile --shell --shell-arg --command --chooser --set --working-directory -f -c -d |
task                 | --taskfile --dir -t -d                        |
pre-commit           | --config -c --ref                             |
xdg-open open mimeopen sensible-browser sensible-editor sensible-pager | * |
chromium google-chrome firefox code code-insiders op logrotate dnsmasq sphinx-build expect | * |
hg                   | --config --cwd --repository -R                |
svn                  | --config-option --editor-cmd --diff-cmd --diff3-cmd --config-dir |
ftp lftp telnet sendmail lynx w3m mail mailx nc ncat socat dc | * -e -c EXEC:* SYSTEM:* SHELL:* exec:* system:* shell:* |
dd                   |                                               | of=*
date                 |                                               | --set -s
hexdump              |                                               | -f
ip tc bridge         | -batch* -b* -force*                           |
debugfs              | * -R -f                                       |
redis-server nginx httpd | * -c -g -C                                |
msgfilter msgexec    | *                                             |
`

var risky = sync.OnceValue(func() map[string]options { return rows(optionTable, asOptions) })

func asOptions(c []string) options { return options{c[0], c[1], c[2]} }

// git has its own, by subcommand; those of "git" stand before it. Addresses of
// the form ext::… and fd::… run what they name.
const gitTable = `
git            | --exec-path --config-env -c                          |
grep           | --open-files-in-pager -O                             |
clone          | --upload-pack --config --template -u -c ext::* fd::* |
fetch pull     | --upload-pack ext::* fd::*                           | --output
ls-remote      | --upload-pack --exec ext::* fd::*                    |
push           | --receive-pack --exec ext::* fd::*                   |
remote submodule | ext::* fd::* foreach*                              |
fetch-pack     | --exec --upload-pack ext::* fd::*                    |
send-pack      | --exec --receive-pack ext::* fd::*                   |
archive        | --exec --remote ext::*                               | --output -o
rebase         | --exec -x --strategy~ -s~                            |
merge          | --strategy~ -s~                                      | --output
difftool       | --extcmd --tool~ -x -t~                              |
mergetool      | --tool~ -t~                                          |
bisect         | run*                                                 |
init           | --template                                           |
log diff show diff-tree diff-index diff-files range-diff whatchanged reflog stash | | --output
format-patch   |                                                      | --output --output-directory -o
commit tag notes | --template -t                                      | --output
cat-file       | --textconv --filters                                 |
config filter-branch send-email instaweb help svn p4 daemon credential hook remote-ext remote-fd merge-index for-each-repo web--browse cvsimport cvsserver archimport quiltimport shell upload-pack receive-pack http-backend fast-import maintenance var gui citool imap-send request-pull merge-one-file mergetool--lib sh-setup credential-store credential-cache scalar fsmonitor--daemon | * |
status add branch checkout switch restore reset rev-parse rev-list describe shortlog blame ls-files ls-tree for-each-ref cherry-pick revert rm mv clean worktree merge-base name-rev count-objects symbolic-ref update-ref cherry check-ignore apply am hash-object verify-commit show-ref show-branch sparse-checkout gc fsck bundle rerere | | --output --export-marks
`

// quietGit are git's other subcommands. What is neither there nor here is an alias or a program of somebody's.
var quietGit = sync.OnceValue(func() map[string]bool {
	return set("annotate check-attr check-mailmap check-ref-format checkout-index column commit-graph commit-tree diagnose fast-export fmt-merge-msg get-tar-commit-id index-pack interpret-trailers mailinfo mailsplit merge-file merge-tree mktag mktree multi-pack-index pack-objects pack-redundant pack-refs patch-id prune prune-packed read-tree refs repack replace repo show-index stage stripspace unpack-file unpack-objects update-index update-server-info verify-pack verify-tag version write-tree backfill replay lfs flow")
})

// anyGit has the options of all subcommands together.
var anyGit = sync.OnceValue(func() options {
	var all options
	for _, o := range riskyGit() {
		if o.runs != "*" {
			all.runs += " " + o.runs
		}
		all.writes += " " + o.writes
	}
	return all
})

// gitCommand returns the subcommand that a program of git's own is: grep of git-grep.
func gitCommand(name string) string {
	sub, ok := strings.CutPrefix(name, "git-")
	if _, known := riskyGit()[sub]; ok && (known || quietGit()[sub]) {
		return sub
	}
	return ""
}

var riskyGit = sync.OnceValue(func() map[string]options { return rows(gitTable, asOptions) })

// editors run commands of their own, and those that they read: numbers and plain words there.
//
//	attack: vim -c "$0" f with !reboot    twin: vim -c "$0" f with 12
var editors = sync.OnceValue(func() map[string]bool {
	return set("vim vi nvim ex view vimdiff gvim gview rvim rview nvimdiff vimtutor ed red emacs emacsclient kak joe jed mg pico helix hx editor")
})

// talkers have commands of their own for what they read: plain words.
//
//	attack: ftp <<< "$0" with !reboot    twin: with get f
var talkers = sync.OnceValue(func() map[string]bool { return set("ftp lftp sftp tftp telnet mail mailx s-nail mutt ntalk irb pry") })

// terminals type what they are given into a shell, or run it: a word, a number.
//
//	attack: tmux send-keys "$0" with reboot;    twin: tmux kill-session -t "$0" with main
var terminals = sync.OnceValue(func() map[string]bool { return set("tmux zellij byobu xdotool wtype ydotool") })

// packagers install packages, whose scripts run: a package's name.
//
//	attack: npm install "$0" with ./x    twin: with lodash
var packagers = sync.OnceValue(func() map[string]bool {
	return set("npm pnpm yarn bun pip pipx uv poetry gem cargo go composer conda brew apt apt-get aptitude dpkg")
})

// runningModules are Python's own modules that run what they are given: a number, a file below a folder of the author's.
//
//	attack: python3 -m timeit "$0" with __import__…    twin: python3 -m json.tool "$0" with a.json
var runningModules = sync.OnceValue(func() map[string]bool {
	return set("timeit code runpy inspect unittest cProfile profile trace pdb doctest pydoc asyncio pickle pickletools bdb idlelib zipapp this test coverage IPython ipython bpython viztracer memory_profiler line_profiler kernprof debugpy pyinstrument scalene celery gunicorn uvicorn flask nuitka PyInstaller")
})

// A carrier runs commands in some other place, by one of its subcommands.
type carrier struct {
	verbs  string // after which a command follows
	before int    // operands that come first: docker exec CONTAINER
	valued string // flags with a word of their own
	code   string // flags whose word is shell code
	joins  bool   // it hands the words to a shell
}

// What stands there is judged as a command; a value is no subcommand that runs things.
//
//	attack: docker exec app $0 with reboot    twin: docker exec "$0" ls with app
const carrierTable = `
docker podman nerdctl     | exec run       | 1 | -e -w -u -v -p --env --workdir --user --volume --publish --name --network --mount -l --label -f --file --env-file --entrypoint --platform --rm-after -h --hostname -m --memory --cpus |
kubectl oc                | exec run debug | 1 | -n --namespace -c --container -f --context --image -l |
direnv sops limactl multipass nomad | exec shell ssh exec-env exec-file | 1 |   |
conda mamba micromamba pixi lerna rtx dotenvx guix minikube consul netlify firebase colima | run exec shell ssh dev:exec emulators:exec | 0 | -n --name -p --prefix --cwd    |
uv poetry pipenv pdm hatch rye bundle pipx mise asdf | run exec x | 0 | --with --python -p --env-file --directory -e | -c
npm pnpm yarn bun         | exec dlx x     | 0 | -p --package --filter -C --dir -w --workspace | -c --call
nix nix-shell devbox      | develop shell run | 0 | -p -I --packages               | -c --command --run
coverage celery           | run            | 0 | --source --omit -a             |
doppler op dotenv chamber aws-vault vercel railway infisical | run exec | 0 | -e -p -c --env-file | --command
vagrant                   | ssh            | 1 |                                | -c --command
adb heroku flyctl fly eb cf | shell ssh run exec console | 0 | -a --app -n -d -u -s | -C -c --command -e | joins
lxc incus toolbox distrobox flatpak wsl gcloud aws az | shell ssh run exec ssm | 0 | -a --app -n -d -u --user | -c --command -e
ip                        | exec           | 1 |                                |
machinectl                | shell          | 1 |                                |
salt salt-call            | cmd.run cmd.shell | 0 |                             | | joins
pre-commit                | try-repo       | 0 |                                |
cmd cmd.exe               | /c /C /k /K    | 0 |                                |
django-admin manage.py    | shell runserver | 0 |                               | -c --command
cargo                     | watch          | 0 | -w -i                          | -x -s
go                        | tool           | 0 |                                |
stack cabal opam rustup nvm pyenv rbenv volta fnm | exec run x | 0 | --version --using | 
`

var carriers = sync.OnceValue(func() map[string]carrier {
	return rows(carrierTable, func(c []string) carrier { return carrier{c[0], int(c[1][0] - '0'), c[2], c[3], c[4] == "joins"} })
})

// verbs are the subcommands, of whatever program, by which it runs what it is given, or keeps it to be run.
//
//	attack: kubectl $ARGUMENTS with exec pod -- reboot    twin: with get pods
var verbs = sync.OnceValue(func() map[string]bool {
	return set("exec eval run-script explore shell ssh x dlx runner console tinker debug edit config configure alias plugin plugins extension ext hook apply attach cp try-repo create init install add link global set publish pack rebuild explore source script repl")
})

// codeFlags are flags whose word most programs read as code, or run: for one that is not in this table, plain text.
//
//	attack: sometool --exec "$0" with rm -r x    twin: with build
const codeFlags = "-e -c -E -x --eval --exec --execute --command --cmd --run --code --expression --shell --call --hook --pre --post --pager --editor --on-change -execute -if"

// listing are programs among whose words the name of another is only a word.
var listing = sync.OnceValue(func() map[string]bool {
	return set("echo printf grep egrep fgrep rg ag ack cat ls which command type whereis man apropos whatis test [ basename dirname cp mv ln rm mkdir touch chmod head tail wc sort uniq cut tr diff cmp git gh glab apt apt-get aptitude apt-cache dpkg brew pip pip3 npm pnpm yarn bun cargo gem conda pgrep pkill killall kill ps case for return exit cd file stat du tee join paste comm seq date find jq yq curl wget skillhand claude set shift local export declare readonly unset read systemctl service journalctl code mise asdf pyenv nvm rustup volta hash help info tldr cheat docker podman kubectl " +
		"arch b2sum base32 base64 basenc chgrp chown cksum df dir du expand expr factor fmt fold groups hostid id kill link logname md5sum mktemp nl nproc numfmt od pathchk pr printenv ptx pwd readlink realpath rmdir sha1sum sha224sum sha256sum sha384sum sha512sum shuf sleep stty sum sync tac truncate tsort tty uname unexpand unlink users vdir who whoami yes " +
		"xxd hexdump strings column colrm look rev ul zcat zgrep gzip gunzip bzip2 bunzip2 xz unxz zstd tree locate lsof top free vmstat uptime ping dig host nslookup ss ifconfig netstat traceroute whois lsblk nm objdump readelf size ldd ar iconv dos2unix colordiff cloc tokei scc shellcheck shfmt hadolint yamllint markdownlint black ruff isort pyright gofmt goimports golangci-lint staticcheck rustfmt " +
		"true false : sed awk bc")
})
