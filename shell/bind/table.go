package bind

import "sync"

// This table is what the judgement knows about programs: which read code, which
// run other programs, and by which options they do so without being asked.
// A program that is not here reads its arguments as it likes: that is the author's.
// The maps are made when first needed: most loads have no values in a command.

// A reader is a program that reads code again.
type reader struct {
	lang    lang
	code    string // one-letter flags whose word is code
	long    string // and long ones
	valued  string // one-letter flags that take a word, which is not the code
	operand bool   // without such a flag its first operand is code; else that is a file to run
	data    bool   // what follows the code is data: no options any more
}

// A lang says how values may stand in code.
type lang int

const (
	aShell  lang = iota // parsed and judged again
	aScript             // Python, JavaScript, SQL …
	aSed
	anAwk
)

var readers = sync.OnceValue(func() map[string]reader {
	return map[string]reader{
		"python": {lang: aScript, code: "c", valued: "WXm", data: true}, "pypy": {lang: aScript, code: "c", valued: "WXm", data: true},
		"perl": {lang: aScript, code: "eE", valued: "IMm"}, "ruby": {lang: aScript, code: "e", valued: "IrC"},
		"node": {lang: aScript, code: "ep", long: "eval print", valued: "rC"}, "nodejs": {lang: aScript, code: "ep", long: "eval print", valued: "rC"},
		"deno": {lang: aScript, long: "eval"}, "bun": {lang: aScript, code: "ep", long: "eval print"}, "tsx": {lang: aScript, code: "ep", long: "eval print"}, "ts-node": {lang: aScript, code: "ep", long: "eval print"},
		"php": {lang: aScript, code: "rBRE", long: "run", valued: "dcfz"}, "lua": {lang: aScript, code: "e", valued: "l"}, "tclsh": {lang: aScript}, "expect": {lang: aScript, code: "c"},
		"osascript": {lang: aScript, code: "e", valued: "l"}, "Rscript": {lang: aScript, code: "e"}, "R": {lang: aScript, code: "e"}, "julia": {lang: aScript, code: "eE", valued: "pLJ"},
		"guile": {lang: aScript, code: "c", valued: "Ll"}, "elixir": {lang: aScript, code: "e", long: "eval rpc-eval"}, "erl": {lang: aScript, long: "eval"}, "groovy": {lang: aScript, code: "e"}, "scala": {lang: aScript, code: "e"},
		"gdb": {lang: aScript, long: "ex eval-command"}, "mongosh": {lang: aScript, long: "eval"}, "mongo": {lang: aScript, long: "eval"}, "gnuplot": {lang: aScript, code: "e"}, "octave": {lang: aScript, long: "eval"},
		"psql": {lang: aScript, code: "c", long: "command", valued: "dhpUFRTPAv"}, "mysql": {lang: aScript, code: "e", long: "execute", valued: "huPDS"}, "mariadb": {lang: aScript, code: "e", long: "execute", valued: "huPDS"},
		"sqlite3": {lang: aScript, long: "cmd"}, "duckdb": {lang: aScript, code: "c", long: "cmd"}, "dc": {lang: aScript, code: "e", long: "expression"},
		"awk": {lang: anAwk, code: "e", long: "source", valued: "Fv", operand: true}, "gawk": {lang: anAwk, code: "e", long: "source", valued: "Fv", operand: true}, "mawk": {lang: anAwk, valued: "Fv", operand: true}, "nawk": {lang: anAwk, valued: "Fv", operand: true},
		"sed": {lang: aSed, code: "e", long: "expression", valued: "lE", operand: true}, "gsed": {lang: aSed, code: "e", long: "expression", valued: "l", operand: true},
	}
})

// shells run the text after -c, the file that is their first operand, or their input.
var shells = sync.OnceValue(func() map[string]bool {
	return set("bash sh dash zsh ksh ksh93 mksh ash rbash yash fish csh tcsh busybox pwsh powershell elvish nu xonsh")
})

// A joiner hands its words to a shell, from the first operand on; valued are flags with a word of their own.
type joiner struct {
	valued string
	skip   int    // operands before: ssh's host
	code   string // flags whose word is shell code
}

var joiners = sync.OnceValue(func() map[string]joiner {
	return map[string]joiner{
		"ssh": {"BbcDEeFIiJLlmOopQRSWw", 1, ""}, "watch": {"nq", 0, ""}, "parallel": {"jPaNnLsSI", 0, ""}, "su": {"sgG", 1, "c"}, "runuser": {"ugGs", 1, "c"}, "sg": {"", 1, "c"}, "script": {"EIOBTmo", 1, "c"},
		"at": {"qft", 1, ""}, "batch": {"", 0, ""}, "tmux": {"Lsfc", 0, "c"}, "screen": {"STcpsht", 0, ""}, "mosh": {"", 1, ""}, "rsh": {"l", 1, ""}, "hyperfine": {"wmMrpSNCnL", 0, ""}, "crontab": {"u", 0, ""}, "entr": {"", 0, ""}, "nodemon": {"ewi", 0, "x"}, "watchexec": {"ewif", 0, ""},
	}
})

// A wrapper runs the command that follows its own words; valued are flags with a
// word of their own, and before counts the operands that come first.
type wrapper struct {
	valued string
	before int
}

var wrappers = sync.OnceValue(func() map[string]wrapper {
	return map[string]wrapper{
		"exec": {"a", 0}, "command": {"", 0}, "builtin": {"", 0}, "env": {"uCS", 0}, "nohup": {"", 0}, "nice": {"n", 0}, "ionice": {"cnpt", 0}, "timeout": {"ks", 1}, "gtimeout": {"ks", 1}, "sudo": {"ughpCRTDrt", 0}, "doas": {"uC", 0},
		"stdbuf": {"ioe", 0}, "setsid": {"", 0}, "xargs": {"adEIJLnPRs", 0}, "chroot": {"", 1}, "unbuffer": {"", 0}, "strace": {"oepsEPSabIuX", 0}, "ltrace": {"oeslnaupx", 0}, "chrt": {"TPD", 1}, "taskset": {"", 1}, "time": {"fo", 0},
		"npx": {"pc", 0}, "bunx": {"p", 0}, "uvx": {"p", 0}, "pnpx": {"p", 0}, "setarch": {"", 0}, "fakeroot": {"lfs", 0}, "faketime": {"f", 1}, "gosu": {"", 1}, "su-exec": {"", 1}, "tini": {"pe", 0}, "dumb-init": {"r", 0},
		"pkexec": {"", 0}, "xvfb-run": {"nsefp", 0}, "dbus-run-session": {"", 0}, "caffeinate": {"tw", 0}, "systemd-run": {"uptGMHE", 0}, "nsenter": {"tSG", 0}, "unshare": {"SGRw", 0}, "start-stop-daemon": {"xpnuga", 0}, "prlimit": {"p", 0},
		"chpst": {"ueUbCmdoplrt01", 0}, "runcon": {"turl", 1}, "numactl": {"NCmip", 0}, "proot": {"rbwq", 0}, "firejail": {"", 0}, "bwrap": {"", 0}, "flock": {"wEc", 1}, "jobs": {"x", 0}, "busybox": {"", 0}, "sshpass": {"pfdePv", 0}, "rlwrap": {"", 0}, "setpriv": {"", 0}, "catchsegv": {"", 0}, "valgrind": {"", 0}, "perf": {"", 1}, "coproc": {"", 0},
		"linux64": {"", 0}, "linux32": {"", 0}, "i386": {"", 0}, "i686": {"", 0}, "x86_64": {"", 0}, "uname26": {"", 0}, "choom": {"np", 0}, "ssh-agent": {"atPE", 0}, "uclampset": {"mMp", 0}, "ts": {"", 0}, "eatmydata": {"", 0}, "torsocks": {"", 0}, "proxychains": {"f", 0}, "cpulimit": {"lpe", 0}, "schedtool": {"", 0}, "dbus-launch": {"", 0}, "gdbserver": {"", 1}, "chronic": {"", 0}, "ifne": {"", 0}, "setuidgid": {"", 1}, "softlimit": {"", 0}, "hwloc-bind": {"", 1}, "rtkit": {"", 0}, "waitfor": {"", 0}, "ccache": {"", 0}, "distcc": {"", 0}, "keychain": {"", 0}, "dotenvx": {"", 0}, "cross-env": {"", 0}, "nyc": {"", 0}, "c8": {"", 0}, "xvfb": {"", 0},
	}
})

// options are those by which a program runs other programs, or writes where it is told.
type options struct {
	long  string // GNU's: also shortened, also with =
	short string // one letter, also joined to others
	words string // whole words with one dash, and what they begin
	also  string // words that begin so
	all   bool   // any option at all
	runs  string // those of one letter that take a program, or code
}

// choosing are the long options that take a program, or code: there a value is neither.
var choosing = sync.OnceValue(func() map[string]bool {
	return set("diff-program compress-program filter to-command checkpoint-action use-compress-program rsh-command rmt-command info-script new-volume-script rsh rsync-path pager pre hostname-bin html preprocessor use-askpass unzip-command strip-program script-shell node-options post-renderer photo-viewer upload-pack receive-pack exec exec-batch exec-path open-files-in-pager extcmd init-hook load-plugins lua-filter pdf-engine plugin config-file option eval init-script call shell engine execute init-command ssh server client entrypoint rulesdir parser require setupFiles runner chooser shell-arg command editor-cmd diff-cmd diff3-cmd python-executable git config-env pre-invoke post-invoke status-logger")
})

// compiler are the options of gcc and its kind.
var compiler = options{words: "-wrapper -fplugin -B -specs --specs -o -Xclang -Xlinker -Wl -fuse-ld -load -iplugindir -imacros -save-temps -dumpdir -MF -x", also: "@"}

var risky = sync.OnceValue(func() map[string]options {
	return map[string]options{
		"find": {words: "-exec -ok -delete -fprint -fls -files0-from"}, "fd": {long: "exec exec-batch", short: "xX"}, "fdfind": {long: "exec exec-batch", short: "xX"},
		"tar": {long: "to-command checkpoint-action use-compress-program rsh-command rmt-command info-script new-volume-script index-file listed-incremental checkpoint one-top-level transform volno-file", short: "IFg", runs: "IF"}, "bsdtar": {long: "use-compress-program to-command", short: "I"},
		"rsync": {long: "rsh rsync-path config daemon", short: "eM", runs: "e"}, "scp": {short: "oSFJD", runs: "oSF"}, "sftp": {short: "oSFJDb", runs: "oSFb"}, "ssh": {short: "oFEJ", runs: "oF"}, "mosh": {long: "ssh server client"},
		"sort": {long: "compress-program output", short: "oT"}, "shuf": {long: "output", short: "o"}, "iconv": {long: "output", short: "o"}, "sdiff": {long: "diff-program output", short: "o"}, "diff3": {long: "diff-program"}, "csplit": {long: "prefix", short: "f"}, "split": {long: "filter"}, "rg": {long: "pre hostname-bin"}, "ag": {long: "pager"}, "ack": {long: "pager ackrc"},
		"less": {long: "log-file LOG-FILE lesskey-src", short: "oOkTt", also: "+ !"}, "more": {also: "+ !"}, "man": {long: "pager html config-file preprocessor", short: "PHCp", runs: "PH"},
		"nano": {long: "rcfile", short: "f"},
		"curl": {long: "config output output-dir remote-name remote-name-all remote-header-name create-dirs upload-file dump-header cookie-jar trace trace-ascii trace-ids engine proxy-engine stderr netrc-file hsts alt-svc etag-save libcurl", short: "KoOTDcJ"},
		"wget": {long: "use-askpass output-document output-file append-output execute input-file config directory-prefix post-file body-file save-cookies", short: "OoaeiP"},
		"zip":  {long: "unzip-command", short: "T"}, "install": {long: "strip-program"}, "make": {all: true}, "gmake": {all: true}, "ninja": {short: "Cft"}, "npm": {long: "script-shell node-options prefix globalconfig userconfig call shell git", short: "c"}, "pnpm": {long: "script-shell shell-emulator"}, "yarn": {long: "script-shell cwd"},
		"docker": {long: "entrypoint privileged volume mount device cap-add security-opt volumes-from", short: "v"}, "podman": {long: "entrypoint privileged volume mount device cap-add security-opt volumes-from", short: "v"}, "kubectl": {long: "kubeconfig"}, "helm": {long: "post-renderer kubeconfig"},
		"cargo": {long: "config", also: "+"}, "go": {words: "-exec -toolexec -vettool -overlay -ldflags -gcflags -modfile --exec --toolexec --vettool"}, "java": {all: true, also: "@"}, "psql": {long: "command file output log-file variable set", short: "cfoLv"}, "mysql": {long: "execute pager tee init-command defaults", short: "e"}, "mariadb": {long: "execute pager tee init-command defaults", short: "e"}, "sqlite3": {all: true}, "duckdb": {all: true},
		"ssh-keygen": {short: "D"}, "pip": {long: "global-option config-settings editable", short: "Ce"}, "pip3": {long: "global-option config-settings editable", short: "Ce"}, "bash": {all: true}, "php": {all: true}, "skillhand": {all: true}, "gpg": {long: "photo-viewer exec-path keyserver-options output load-extension", short: "o"}, "openssl": {words: "-engine -provider -out -config"}, "crontab": {all: true}, "parallel": {all: true}, "watch": {all: true}, "tmux": {all: true}, "screen": {all: true}, "xargs": {all: true}, "patch": {long: "output get posix ed", short: "oeg"}, "ctags": {long: "options"}, "mutt": {all: true},
		"gcc": compiler, "cc": compiler, "g++": compiler, "c++": compiler, "c99": compiler, "c89": compiler, "tcc": compiler, "cpp": compiler, "clang": compiler, "clang++": compiler, "gfortran": compiler, "rustc": {short: "oCZ", long: "codegen out-dir sysroot"}, "ld": {words: "-plugin --plugin -o -T", short: "o"},
		"apt-get": {long: "option config-file", short: "oc", runs: "oc"}, "apt": {long: "option config-file", short: "oc", runs: "oc"}, "apt-cache": {long: "option config-file", short: "oc", runs: "oc"}, "dpkg": {long: "admindir root instdir pre-invoke post-invoke status-logger", short: "R"}, "rpm": {long: "eval define pipe root load macros", short: "E"},
		"groff": {short: "UPLXMF"}, "gdb": {all: true}, "lldb": {all: true}, "valgrind": {all: true}, "tcpdump": {short: "zwZ", runs: "z"}, "nmap": {long: "script datadir servicedb", short: "o"}, "pandoc": {long: "filter lua-filter output pdf-engine data-dir defaults to", short: "oFLdt"}, "yq": {long: "inplace", short: "i"}, "dot": {short: "oO"}, "protoc": {long: "plugin"}, "xmllint": {long: "output load-trace"}, "ffmpeg": {all: true}, "convert": {all: true},
		"pytest": {long: "rootdir confcutdir config-file override-ini basetemp junitxml junit-xml log-file import-mode", short: "pco", runs: "p"}, "pylint": {long: "load-plugins init-hook rcfile output"}, "mypy": {long: "config-file python-executable"}, "flake8": {long: "config append-config output-file"}, "eslint": {long: "rulesdir resolve-plugins-relative-to config parser plugin format output-file", short: "cfo"}, "prettier": {long: "plugin config plugin-search-dir"}, "jest": {long: "config setupFiles setupFilesAfterEnv transform runner testEnvironment globalSetup reporters rootDir", short: "c"}, "mocha": {long: "require config file reporter ui", short: "rRu", runs: "r"}, "vitest": {long: "config root", short: "cr"}, "tsc": {long: "outFile outDir project"}, "webpack": {long: "config", short: "c"},
		"cmake": {short: "PECDGT"}, "gradle": {long: "init-script build-file settings-file project-dir include-build", short: "IbcpD"}, "mvn": {long: "file settings toolchains", short: "fstD"}, "ant": {all: true}, "rake": {all: true}, "just": {long: "justfile shell shell-arg command chooser set working-directory", short: "fcd"}, "task": {long: "taskfile dir", short: "td"}, "terraform": {words: "-chdir -out"}, "ansible-playbook": {all: true}, "ansible": {all: true}, "dc": {all: true}, "jq": {long: "from-file library-path", short: "fL"}, "xdg-open": {all: true}, "sphinx-build": {all: true}, "chromium": {all: true}, "google-chrome": {all: true}, "code": {all: true}, "op": {all: true}, "logrotate": {all: true}, "dnsmasq": {all: true}, "fzf": {all: true}, "bat": {long: "pager"}, "delta": {long: "pager"}, "hg": {long: "config cwd repository", short: "R"}, "svn": {long: "config-option editor-cmd diff-cmd diff3-cmd config-dir"}, "ftp": {all: true}, "telnet": {all: true}, "dd": {also: "of="}, "date": {long: "set", short: "s"}, "7z": {short: "o"}, "unzip": {short: "d"}, "expect": {all: true}, "hexdump": {short: "f"}, "pg_dump": {short: "f", long: "file"}, "mail": {short: "SE"}, "sendmail": {all: true}, "lynx": {all: true}, "w3m": {all: true}, "ip": {words: "-batch -b"}, "nc": {short: "ec", long: "exec sh-exec"}, "ncat": {short: "ec", long: "exec sh-exec lua-exec"}, "socat": {all: true, also: "EXEC: SYSTEM: SHELL: exec: system: shell:"},
	}
})

// git has its own, by subcommand; those of "" stand before it.
var riskyGit = sync.OnceValue(func() map[string]options {
	return map[string]options{
		"":      {long: "exec-path config-env", short: "c"},
		"grep":  {long: "open-files-in-pager", short: "O", runs: "O"},
		"clone": {long: "upload-pack config template", short: "uc", runs: "uc", also: "ext:: fd::"}, "fetch": {long: "upload-pack", also: "ext:: fd::"}, "pull": {long: "upload-pack", also: "ext:: fd::"},
		"ls-remote": {long: "upload-pack exec", also: "ext:: fd::"}, "push": {long: "receive-pack exec", also: "ext:: fd::"}, "remote": {also: "ext:: fd::"}, "submodule": {also: "ext:: fd::", words: "foreach"}, "fetch-pack": {long: "exec upload-pack"}, "send-pack": {long: "exec receive-pack"},
		"archive": {long: "exec output remote", short: "o"}, "rebase": {long: "exec", short: "x"}, "difftool": {long: "extcmd tool", short: "xt"}, "mergetool": {long: "tool", short: "t"}, "bisect": {words: "run"}, "filter-branch": {all: true}, "send-email": {all: true}, "instaweb": {all: true}, "init": {long: "template"}, "config": {all: true},
		"log": {long: "output"}, "diff": {long: "output"}, "show": {long: "output"}, "format-patch": {long: "output output-directory", short: "o"}, "diff-tree": {long: "output"}, "diff-index": {long: "output"}, "help": {all: true}, "svn": {all: true}, "p4": {all: true}, "daemon": {all: true},
	}
})

// editors run commands of their own, and those that they read.
var editors = sync.OnceValue(func() map[string]bool {
	return set("vim vi nvim ex view vimdiff gvim gview rvim rview nvimdiff vimtutor ed red emacs emacsclient kak joe jed mg pico helix hx")
})

// packagers install packages, whose scripts run.
var packagers = sync.OnceValue(func() map[string]bool {
	return set("npm pnpm yarn bun pip pipx uv poetry gem cargo go composer conda brew apt apt-get")
})

// runningModules are Python's own modules that run what they are given.
var runningModules = sync.OnceValue(func() map[string]bool {
	return set("timeit code runpy unittest cProfile profile trace pdb doctest pydoc asyncio pickle pickletools bdb idlelib zipapp this test coverage IPython ipython bpython viztracer memory_profiler line_profiler kernprof debugpy pyinstrument scalene celery gunicorn uvicorn flask nuitka PyInstaller")
})

// carriers run commands in some other place: what stands behind their own words is judged too.
var carriers = sync.OnceValue(func() map[string]bool {
	return set("docker podman nerdctl kubectl oc uv poetry pipenv pdm hatch rye bundle conda mamba micromamba mise asdf direnv nix nix-shell devbox pnpm yarn npm bun doppler op dotenv chamber aws-vault vagrant lxc incus toolbox distrobox flatpak wsl heroku fly gcloud ansible vercel railway")
})
