package bind

// table has a row a line: what a program does with its words, the names of programs, and for each the options
// that a value may be or be the word of, with a sign for what the word is (see option). An option that is not
// listed passes no value. Properties: ops:KIND is what operands are, in:KIND what it reads, no-- means that --
// ends nothing. A program that is not here is the author's own.
const table = `
data | echo true false : cat tac ls dir vdir which whereis whatis apropos basename dirname realpath readlink pwd cp mv ln rm rmdir mkdir touch chmod chown chgrp head wc cut tr grep egrep fgrep cmp comm paste join nl fold fmt expand unexpand column rev seq yes expr factor numfmt od hexdump strings stat du df id whoami groups users hostname uname nproc arch tty printenv sleep kill pgrep pkill killall ps top uptime free md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum base64 base32 basenc tsort truncate mktemp mkfifo sync link unlink pathchk logname who tput clear cd pushd popd dirs shift exit return break continue umask ulimit times jobs disown fg bg caller help suspend logout cal ncal bc ping host nslookup dig getent locale lsof lscpu lsblk vmstat figlet cowsay toilet lolcat banner gzip gunzip zcat bzip2 bunzip2 bzcat xz unxz xzcat tee notify-send pbcopy pbpaste xclip wl-copy uuidgen sha3sum jp tomlq ascii

call | eval source . trap alias bind complete compgen compopt enable fc hash history let set shopt unset read mapfile readarray getopts wait declare typeset local export readonly printf test [ dd command type busybox toybox

shell | bash sh dash zsh ksh ksh93 mksh ash rbash yash fish csh tcsh pwsh powershell elvish nu xonsh git-shell capsh es rc cmd osh ysh oil murex posh loksh

tool | sort | -r -n -u -f -h -V -R -c -C -d -b -g -i -m -M -s -z -k= -t= -S= -o> --reverse --unique --numeric-sort --human-numeric-sort --version-sort --ignore-case --key= --field-separator= --output> --stable --check
tool | tree | -L= -a -d -f -I= -P= -h -s -D -J -X -C -n --dirsfirst --gitignore --noreport --prune --du -i -p -u -g -F -q -N --filelimit=
tool | file | -b -i -L -k -z -s --mime --mime-type --brief --mime-encoding
tool | shuf | -n= -e -i= -r -z --head-count= --echo
tool | sdiff diff3 | -s -w= -l -i
tool | cloc tokei scc | --by-file --json --csv --md --exclude-dir= --include-lang= --quiet -f= --format= --sort= -s=
tool | zstd zstdcat zgrep zless dos2unix unix2dos say | -d -c -q -v -n -i -l
tool | install | -d -v -m= -D -t= ops:never
tool | json.tool | --indent= --sort-keys --compact --tab --no-ensure-ascii --json-lines ops:data2
tool | uniq | -c -d -u -i -D -f= -s= -w= --count --repeated --unique ops:data2
tool | xxd | -p -r -u -b -i -l= -s= -c= -g= ops:data2
tool | tail | -n= -c= -f -F -q -v -r --lines= --bytes= --follow +*
tool | date | -u -d= -I -R -r= +* --date= --utc --iso-8601 --rfc-3339= -Iseconds -f=
tool | diff colordiff | -u -r -q -N -b -w -B -i -a -y -s -U= -c -C= -x= -W= -I= -L= --brief --recursive --unified= --side-by-side --color --color= --stat --suppress-common-lines --exclude= --label= --strip-trailing-cr
tool | less more most | -N -S -R -F -X -i -n -r -E -s -M
tool | man info | -k -f ops:word
tool | rg ag ack | -n -i -l -w -F -c -v -S -s -o -L -u -U -H -h -p -0 -A= -B= -C= -t= -T= -g= -e= -m= -d= -j= -M= -r= -G= --type= --type-not= --glob= --files --files-with-matches --files-without-match --hidden --no-ignore --json --count --ignore-case --smart-case --word-regexp --fixed-strings --line-number --no-heading --heading --context= --max-count= --max-depth= --multiline --sort= --stats --vimgrep --color= --color --no-filename --only-matching --pcre2 -P --trim --iglob= --regexp= --replace= --passthru --column --debug --invert-match
tool | fd fdfind | -e= -t= -H -I -d= -E= -a -s -i -g -F -L -p -0 -l -u -1 --extension= --type= --hidden --no-ignore --max-depth= --exclude= --glob --full-path --absolute-path -x! -X! --exec! --exec-batch!
tool | bat batcat | -n -p -l= -r= -A --style= --language= --line-range= --plain --number --color=
tool | eza exa lsd delta glow mdcat | -l -a -h -T -L= -R -1 -F --tree --level= --git --icons --all --long
tool | locate | -i -l= -n= -c -b
tool | curl | -s -S -L -f -i -I -v -k -g -G -4 -6 -N -m= -X= -H= -A= -e= -d= -u= -b= -r= -w= -F= -x= -o> --silent --show-error --location --fail --include --head --verbose --insecure --compressed --get --globoff --max-time= --connect-timeout= --request= --header= --user-agent= --data= --data-raw= --data-binary= --data-urlencode= --json= --user= --url= --retry= --retry-delay= --write-out= --form= --referer= --output> --fail-with-body --no-progress-meter --http1.1 --http2 --url-query= -K% --config%
tool | wget | -q -v -S -c -nv -T= -t= -U= -O> --quiet --timeout= --tries= --header= --user-agent= --spider --no-verbose --post-data= --no-check-certificate
tool | http https httpie xh | -v -b -h -j -f --json --form --body --headers --timeout= ops:operand
tool | tar bsdtar | -x~ -c~ -r~ -u~ -A~ -t -v -z -j -J -a -p~ -k -h -O -f> -C= -T% --files-from% --exclude= --strip-components= --list --extract~ --create~ --gzip --verbose --file> --directory= --wildcards writes
tool | zip | -r -q -9 -j -u -x= ops:operand
tool | unzip zipinfo | -l -q -o -d= -p -v -t -Z1 -j -n ops:operand
tool | zstdgrep lz4 7z 7za | l ops:operand
tool | split csplit | -l= -n= -b= -d -a= ops:data2
tool | iconv | -f= -t= -c -l
tool | md2html pandoc | -f= -t= -s --from= --to= --standalone --wrap= --toc --metadata= -o> --output> --columns=
tool | ssh-keygen ssh-add ssh-keyscan | -l -f: -E= -v -y -t= -b= -C= -N= -q -F=
tool | rsync | -a -v -z -r -n -h -P -u -c --delete --dry-run --exclude= --include= --progress --stats -av ops:plain
tool | scp sftp | -r -q -p -P= -i= -v -C ops:plain in:number
tool | nc ncat socat telnet ftp lftp tftp | -z -v -w= ops:operand in:number
tool | mail mailx s-nail mutt sendmail msmtp | -s= -c= ops:operand in:number
tool | ip tc ss netstat ifconfig route iptables nft | -a -n -t -u -l -p -s -4 -6 ops:operand
tool | nmap tcpdump dnsmasq nginx httpd apachectl redis-server postgres pg_ctl initdb haproxy caddy logrotate debugfs | ops:operand
tool | systemctl service journalctl loginctl launchctl | -u= -n= -f -r -e -b --since= --until= --no-pager --user -p= --lines= --follow -o= -k --unit=
tool | crontab at batch atq | -l ops:number in:number
tool | xdg-open open start | -a= ops:operand
tool | code cursor subl zed idea webstorm firefox chromium google-chrome | -n -r -w -g= ops:operand
tool | exiftool ffmpeg ffprobe convert magick identify mogrify composite montage gs inkscape soffice libreoffice blender dot ghostscript pdftotext pdftk qpdf | -v -h ops:operand
tool | latex pdflatex xelatex lualatex tex pdftex latexmk asciidoctor sphinx-build mkdocs hugo jekyll | -q ops:word
tool | groff troff pic nroff tbl eqn | -Tutf8 ops:word in:number
tool | gcc cc g++ c++ clang clang++ cpp tcc c99 ld gold as nm ar objdump objcopy readelf strip addr2line opt llc lli rustc javac jar jdb ghc swiftc kotlinc scalac gfortran nasm | -Wall -Wextra -O2 -O0 -g -c -std=* -v ops:operand
tool | openssl | -sha256 -sha1 -sha512 -md5 -in= -noout -text -subject -dates -issuer -hex -base64 -binary
tool | openssl/engine | -c -t -v -vv ops:never
tool | gpg gpg2 age certtool keytool | --list-keys --fingerprint -k ops:operand
tool | protoc xmllint xsltproc yamllint shellcheck hadolint actionlint markdownlint vale codespell | --noout --format= -f= -S= ops:operand
tool | pg_dump pg_restore mysqldump mongodump redis-benchmark | -h= -p= -U= -d= -t= -s -n= ops:operand
tool | apt apt-get apt-cache aptitude dpkg rpm dnf yum pacman apk zypper snap flatpak brew port choco winget scoop | -y -q -s -l -i -L -S -Q -Ss -qq --installed --upgradable --no-install-recommends --version --json --cask ops:package
tool | docker podman nerdctl | -v ops:operand
tool | docker/ps docker/images docker/logs docker/inspect docker/stats docker/top docker/port docker/diff docker/history docker/version docker/info docker/volume docker/network docker/image docker/container docker/stop docker/start docker/restart docker/kill docker/rm docker/rmi docker/pull docker/tag docker/search docker/events docker/build docker/buildx podman/build podman/ps podman/images podman/logs podman/inspect podman/stop podman/rm docker/compose docker/compose/ps docker/compose/logs docker/compose/up docker/compose/down docker/compose/restart docker/compose/stop docker/compose/config docker/compose/images docker/compose/top docker-compose docker-compose/logs docker-compose/ps | -a -q -f= -n= -t -d -s -l --all --filter= --format= --tail= --follow --since= --until= --quiet --no-trunc --timestamps --details -v --volumes --tag= --target= --build-arg= --no-cache --platform= --label= --file= --pull --build --remove-orphans --no-color
wrap 1 | docker/run podman/run nerdctl/run docker/create | --rm -i -t -d -e= -v= -w= -p= -u= --name= --env= --volume= --workdir= --network= --user= -it --init --pull= --platform= --entrypoint% --env-file= -h= --memory= --cpus= --label= dashes
wrap 1 | docker/exec podman/exec nerdctl/exec docker/compose/exec docker/compose/run docker-compose/exec docker-compose/run docker/container/exec | -i -t -d -T -e= -w= -u= -it --rm --env= --workdir= --user= --no-deps --service-ports --index= --privileged
tool | kubectl oc k3s | -n= -A -o= -l= --namespace= --context=
tool | kubectl/get kubectl/describe kubectl/logs kubectl/top kubectl/explain kubectl/version kubectl/api-resources kubectl/rollout kubectl/scale kubectl/delete kubectl/label kubectl/auth kubectl/cluster-info kubectl/events kubectl/wait oc/get oc/describe oc/logs kubectl/config/get-contexts kubectl/config/current-context kubectl/config/use-context | -n= -A -o= -l= -c= -w -f -p --namespace= --all-namespaces --selector= --output= --tail= --since= --follow --container= --context= --field-selector= --sort-by= --show-labels --watch --previous --no-headers --timestamps --replicas= --timeout= --for=
wrap 1 | kubectl/exec oc/exec kubectl/debug oc/rsh kubectl/run | -i -t -it -n= -c= --namespace= --container= --stdin --tty --context= --image= --rm --restart= dashes
tool | helm | -n=
tool | helm/list helm/status helm/history helm/get helm/search helm/show helm/repo | -n= -A -o= --namespace= --all-namespaces --output= --revision= --max= -a
tool | terraform tofu pulumi cdk sam serverless ansible ansible-playbook ansible-console vagrant packer skaffold tilt | ops:word
tool | aws az gcloud doctl heroku flyctl fly vercel netlify railway firebase wrangler supabase | --region= --profile= --output= --query= --json --format= ops:operand in:number
tool | aws/configure gcloud/config az/config az/extension heroku/config heroku/plugins | ops:never
tool | aws/s3 aws/ec2 aws/logs aws/sts aws/lambda aws/iam aws/ssm aws/cloudformation aws/dynamodb aws/ecs | --region= --profile= --output= --query= --max-items= --filter-pattern= --log-group-name= --start-time= --bucket= --prefix= --key= --name= --function-name= --stack-name= --table-name= --recursive --human-readable --summarize

tool | npm pnpm yarn bun | --silent -s --json ops:word -C= --prefix= -w= --workspace= --filter= -F= -r --recursive --cwd= --dir=
tool | npm/run npm/run-script npm/test npm/t npm/start npm/ls npm/list npm/view npm/info npm/show npm/outdated npm/audit npm/version npm/why npm/explain npm/search npm/ping npm/whoami npm/ci npm/root npm/bin npm/prune npm/dedupe npm/fund npm/docs npm/repo npm/home npm/bugs pnpm/run pnpm/test pnpm/list pnpm/ls pnpm/why pnpm/outdated pnpm/audit pnpm/start pnpm/build pnpm/lint yarn/run yarn/test yarn/list yarn/why yarn/info yarn/outdated yarn/audit yarn/start yarn/build yarn/lint yarn/workspace bun/run bun/test bun/pm | --watch --fix --coverage --silent -s --verbose --production --json --all --depth= -w= --workspace= --workspaces --if-present --omit= -r --recursive --filter= -g --long --dry-run --level= @*
tool | npm/install npm/i npm/add npm/update npm/upgrade npm/uninstall npm/remove npm/rm pnpm/install pnpm/add pnpm/i pnpm/update pnpm/remove yarn/add yarn/install yarn/upgrade yarn/remove bun/add bun/install bun/remove | -D -S -E -O -g --save-dev --save --save-exact --dev --no-save --silent --legacy-peer-deps --force --dry-run --production --exact @* ops:package
tool | npm/config npm/set npm/pkg npm/set-script npm/init npm/create npm/link npm/publish npm/pack npm/rebuild npm/explore npm/edit npm/hook pnpm/config pnpm/create yarn/config yarn/create yarn/link bun/create bun/link bun/init yarn/set yarn/plugin | ops:word
wrap | npx bunx uvx pnpx npm/exec npm/x pnpm/exec pnpm/dlx yarn/exec yarn/dlx yarn/node bun/x pipx/run bundle/exec uv/run poetry/run pipenv/run pdm/run hatch/run rye/run pixi/run  uv/tool/run uv/x mise/exec mise/x asdf/exec rbenv/exec pyenv/exec nodenv/exec volta/run fnm/exec nvm/run rtx/exec doppler/run op/run infisical/run railway/run dotenvx/run teller/run lerna/exec nx/exec devbox/run nix/run nix/develop nix/shell guix/shell flox/activate coverage/run kernprof scalene uv/run/python stack/exec cabal/exec opam/exec dune/exec colima/ssh toolbox/run flatpak/run wsl consul/exec netlify/dev:exec firebase/emulators:exec heroku/run flyctl/ssh minikube/ssh gh/codespace/ssh | -y -q --yes --no-install --quiet --silent -p= --package= -c! --call! --with= --from= --python= --env= --env-file= --frozen --locked --no-sync --no-project --isolated --verbose -v dashes assigns
wrap | exec builtin setsid unbuffer setarch linux64 linux32 i386 i686 x86_64 uname26 doas strace ltrace fakeroot fakeroot-sysv fakeroot-tcp tini dumb-init pkexec dbus-run-session dbus-launch xcrun firejail rlwrap setpriv catchsegv valgrind ts eatmydata torsocks tsocks schedtool chronic ifne softlimit ccache distcc sccache keychain cross-env nyc c8 xvfb-run memusage sotruss not heaptrack systemd-cat systemd-inhibit systemd-run unshare nsenter gpg-agent mispipe pee tsp bear scan-build uftrace ftrace env-cmd dockerize caffeinate start-stop-daemon prlimit chpst numactl proot sshpass choom ssh-agent uclampset proxychains proxychains4 cpulimit xterm zutty x-terminal-emulator gnome-terminal konsole kitty alacritty foot ld.so honcho/run foreman/run heroku/local retry pueue/add daemonize envchain envconsul with-contenv s6-setuidgid s6-envdir rtk safe-run waitpid dotenv-cli env-run run-one run-this-one cronic detach daemon abduco diss procenv fakechroot cgexec runc crun tini-static catatonit psrecord mprof/run py-spy/record austin nvprof ncu nsys/profile pipexec supervise multilog noroot sudo-rs run0 please gprofng/collect/app perf/record perf/stat rr/record samply/record | assigns dashes
wrap | conda/run mamba/run micromamba/run dotenv dotenv/run | -n= -p= -e= -f= --name= --prefix= --no-capture-output --live-stream assigns dashes
wrap | nohup time coproc | -p -v -f= -o> --
wrap | env | -i -0 -v -u= -C= -S! --unset= --chdir= --split-string! --ignore-environment --null assigns
wrap | nice ionice | -n= -c= -t --adjustment=
wrap | stdbuf | -i= -o= -e= --input= --output= --error= -oL -eL -i0 -o0 -e0
wrap | sudo | -n -E -H -k -S -b -u= -g= -i -s -p= -C= --user= --group= --preserve-env --non-interactive assigns
wrap | xargs | -0 -r -t -p -o -n= -P= -L= -s= -d= -E= -a= -I= -i -i* -I* --null --no-run-if-empty --verbose --max-args= --max-procs= --max-lines= --max-chars= --delimiter= --arg-file= --replace --replace=* --re*
wrap 1 | timeout gtimeout chroot faketime gosu su-exec setuidgid hwloc-bind gdbserver logsave runcon envdir flock semaphore lckdo with-lock-ex setlock envuidgid argv0 wait-for-it wait-for-it.sh wait-for run-with-timeout trickle onchange | -k= -s= --signal= --kill-after= --preserve-status --foreground -v -p -n -w= -e -c! -u= -m ops:span dashes
wrap 1 | limactl/shell multipass/exec machinectl/shell chamber/exec aws-vault/exec lxc/exec incus/exec crictl/exec ctr/task/exec ctr/tasks/exec nomad/exec nomad/alloc/exec nvm/exec distrobox/enter ip/netns/exec direnv/exec rustup/run apptainer/exec apptainer/run singularity/exec singularity/run dtach | -i -t -e= --workdir= --env= dashes
wrap 1 | taskset chrt | -c= -a -f -r -o -b -i ops:number dashes
wrap | bwrap | --bind& --ro-bind& --dev-bind& --symlink& --setenv& --tmpfs= --proc= --dev= --chdir= --unshare-all --die-with-parent
wrap | srun salloc mpirun mpiexec torchrun systemd-nspawn schroot lxc-attach wine authbind gum/spin wezterm/start wezterm/cli/spawn guix/environment asciinema/exec overmind/run goreman/run viztracer multitime ttyd gotty xinit qemu-x86_64 devcontainer/exec | dashes
wrap | rr samply py-spy | dashes
tool | nix-shell nix-build asciinema/rec sbatch bsub qsub watchman-make tsc-watch restic borg | --run! --command! -c! --wrap! --rsh! --password-command! --onSuccess! -p= -q -y ops:word
tool | fzf sk | -q= -f= -m -e -i +* --query= --filter= --multi --exact --height= --preview! --bind! --execute!
tool | run-parts | --test --list ops:never folder
join | watch viddy parallel env_parallel sem niceload screen hyperfine entr nodemon watchexec reflex chokidar pssh parallel-ssh clush pdsh concurrently npm-run-all mprocs zellij/run dpkg-architecture pg_virtualenv debconf ts-node-dev supervisor air bacon gow modd guard xdotool wtype ydotool byobu terminal-notifier | -n= -s= -j= -I= -k -m -v -L= -N= -S= --interval= --jobs= --color -a --no-title --differences --precise --warmup= --runs= --ext= --watch= -dmS= --halt= --keep-order --colsep= -X --names= --kill-others
join 1 | sops/exec-env sops/exec-file dbclient plink tsh/ssh et | -p= -l= -i= -c!
join | screen/stuff screen/exec adb/shell cross-env-shell run-p run-s wezterm/cli/send-text
join | tmux/new-session tmux/new tmux/new-window tmux/neww tmux/split-window tmux/splitw tmux/run-shell tmux/run tmux/if-shell tmux/if tmux/respawn-pane tmux/respawn-window tmux/send-keys tmux/send tmux/display-popup tmux/popup tmux/pipe-pane tmux/command-prompt | -t= -s= -n= -c= -e= -F= -x= -y= -l= -p= -w= -h= -d -A -P -b -k -v -D -R
join 1 | ssh slogin rsh mosh autossh parset | -p= -i= -l= -t -T -q -v -A -n -N -C -4 -6 -tt -o% -F% -J= ops:operand in:number
join | su runuser sg newgrp script scriptlive | -u= -c! -l -q -e -f -a -s= --command! -qc! -qec! -lc! - ops:word in:number
tool | tmux zellij | -L= -S= -t= -s= -n= -d -p -F= ops:word
tool | tmux/kill-session tmux/has-session tmux/attach tmux/list-sessions tmux/ls tmux/capture-pane tmux/display-message tmux/list-windows tmux/select-window tmux/rename-session tmux/set-buffer tmux/show-buffer tmux/kill-server | -t= -p -s= -n= -F=

lang | java mono runhaskell streamlit/run jupyter/run jupyter/nbconvert rust-script bats erb zig/run v/run odin/run memray/run pdb scala-cli gunicorn uvicorn amm jsonnet yaegi gforth | -e# -c# -r% -jar% -cp% --classpath% --execute%
lang | python pypy ipython micropython jython sage | -c# -W. -X. -u -B -E -I -s -S -v -q -O -OO -i -b -d -P modules -m%
lang | node nodejs | -e# --eval# -p# --print# -pe# -r% --require% --import% --loader% --experimental-loader% -C= --conditions= --no-warnings --max-old-space-size=* --trace-warnings js
lang | tsx ts-node deno bun-js qjs js rhino jjs d8 | -e# --eval# -p# --print# -r% --require% -T -A --allow-* --no-check --transpile-only -P= --project= js
lang | tsx/watch deno/run deno/test ts-node/esm | --allow-* -A --watch js
lang | deno/eval | js operand
lang | perl | -e# -E# -n -p -i -i* -l -a -w -0 -0* -s -t -T -u -U -W -F# -M% -m% -I% -C sigils pipes
lang | ruby truffleruby jruby | -e# -n -p -i -i* -l -a -w -W* -s -c -F# -r% -I% -C= sigils pipes
lang | php | -r# -R# -B# -E# -f% -F% -d% -c% -n -q -l sigils
lang | lua luajit Rscript R julia guile elixir iex erl groovy scala swift runghc ghci ocaml osascript tclsh wish expect swipl jshell gnuplot octave mongosh mongo nix-instantiate clojure clj bb racket raku sbcl clisp ecl rails wp crystal nim prove pydoc dart jrunscript optscript mojo tinker maxima gap v jbang kotlin kscript fennel janet io pike rebol maple matlab scilab freemat genius yorick dc m4 mlr rakudo hy bpython ptpython pry irb tinkerpop k6 locust artillery nashorn txr | -e# -E# -c# -g# -x# -ex# -iex# -B# -R# -eval# --eval# --expr# --run# --rpc-eval# --batch-string# -r# --very-quiet -q --quiet -s --no-save --slave --vanilla -l% --load% --init%
lang | wp/eval rails/runner mlr/put mlr/filter artisan/tinker mix/run elixir/eval | operand
lang | gdb lldb | talk -ex# -iex# -eval-command# -o# --one-line# --eval-command# -batch --batch -q -nx -n --nx -p= --pid= -d= -cd= -tty= -x% --command% -ix% -s% --source% --args%
lang | psql | sql -c# --command# -d= -h= -p= -U= -t -A -F= -q -X -w -1 -l -n --csv --host= --port= --username= --dbname= --tuples-only --no-align --no-psqlrc --quiet -f% --file% -v= -R= -P=
lang | mysql mariadb clickhouse-client clickhouse sqlcmd sqlplus cqlsh presto trino | sql -e# --execute# -h= -P= -u= -p* -D= -N -B -s -t --host= --user= --port= --database= --batch --skip-column-names --init-command# --query# -q# -Q# -f% --file% --queries-file%
lang | sqlite3 sqlite duckdb litecli | sql first -cmd# -c# -header -headers -noheader -csv -json -column -line -list -markdown -table -box -html -separator= -nullvalue= -readonly -bail -batch -init% -f%
lang | redis-cli | talk -h= -p= -n= -a= --scan --pattern= --count= --raw --no-raw --csv --eval% -r= -i= --bigkeys --stat
lang | jq gojq jaq | jq operand permutes -r -c -n -e -s -S -M -C -j -a -R -f% -L% --raw-output --compact-output --null-input --slurp --sort-keys --exit-status --raw-input --tab --arg& --argjson& --slurpfile& --rawfile& --args --jsonargs --join-output --from-file% --indent= --stream
lang | yq dasel | jq operand permutes -r -c -n -e -P -o= -p= -j -M -C -N -s -y -S eval e ea eval-all --output-format= --input-format= --prettyPrint --arg& --argjson& --raw-output --exit-status --from-file% -i -i*
lang | rename prename file-rename | operand sigils -e# -n -v -f -a
lang | awk mawk nawk gawk original-awk goawk | awk operand -F= -W= -v= -e# --source# -f% --file% -i% --include% -l% --load% -E% --exec% --assign= --field-separator= --csv --posix --re-interval
lang | sed gsed | sed operand permutes -n -E -r -s -z -u -e# --expression# -f% --file% -i -i* --in-place --in-place=* -l= --quiet --silent --regexp-extended --null-data --debug --line-length=
lang | ed red | talk -s -p= -E -r -l -v
lang | ex vi vim nvim view vimdiff gvim gview rvim rview nvimdiff emacs emacsclient kak joe jed mg pico helix hx editor nano micro ne | talk -R -n -e -E -r -c# --cmd# -S% -u% -p= --eval# --load% -es -nw --batch -Es -N -b -V1 no-n +* plus
lang | java | -cp% -classpath% -jar% -D* -Xmx* -Xms* -Xss* -ea
lang | go/run | sources -race -v -n -x -tags= -mod=* -exec!

tool | skillhand | ops:word
tool | skillhand/load skillhand/check skillhand/list skillhand/explain skillhand/parse skillhand/version skillhand/status skillhand/history skillhand/usage skillhand/emit | --full --json --strict --fast --no-exec
tool | claude codex gemini copilot opencode qwen aider goose amp | -p= --print= --model= --output-format= ops:operand

tool | go | ops:operand
tool | go/test go/build go/vet go/list go/doc go/version go/env go/mod go/fmt go/install go/get go/clean go/tool go/work go/generate | -v -race -run= -count= -short -json -cover -bench= -benchtime= -timeout= -failfast -m -all -deps -f= -u -n -tags= -skip= -parallel= -shuffle= -mod=*
tool | gofmt goimports gofumpt golangci-lint staticcheck | -l -d -s -e run --fix --fast --disable= --enable= --new -v
tool | cargo rustup | ops:operand
tool | cargo/test cargo/build cargo/check cargo/clippy cargo/fmt cargo/run cargo/doc cargo/bench cargo/tree cargo/metadata cargo/search cargo/add cargo/remove cargo/update cargo/info cargo/nextest rustup/show rustup/doc | -v -q -p= --release --all --workspace --lib --bins --bin= --test= --tests --example= --all-targets --all-features --features= --no-default-features --package= --exact --nocapture --verbose --quiet --no-run --no-fail-fast -j= --jobs= --depth= -i= --invert= --dev --message-format=
tool | pytest py.test | -k= -v -vv -q -s -m= -l --lf --ff --sw --tb= --maxfail= -n= --cov --cov= --verbose --quiet --durations= --collect-only --co --last-failed --no-header --disable-warnings --exitfirst -rA -ra --color=
tool | jest vitest mocha ava tap playwright cypress karma jasmine vitest/run | --watch --coverage -t= -i -u --verbose --silent --bail --grep= -g= --testNamePattern= --ci --passWithNoTests --headed --project= --workers= --retries= --timeout= --related -o run test
tool | eslint prettier tsc stylelint biome tslint xo standard rome oxlint dprint | --fix --ext= --quiet --noEmit -p= --project= --check --write -w -c --format= -f= --max-warnings= --cache --pretty --strict --watch --version -l --list-different
tool | black ruff isort flake8 pylint mypy pyright bandit autopep8 yapf pyflakes vulture pydocstyle | --check --diff --fix -q -v --quiet --verbose --select= --ignore= --line-length= -l= --strict --show-fixes check format --statistics --output-format=
tool | webpack vite rollup esbuild parcel turbo nx lerna next nuxt astro remix gatsby expo ng vue-cli-service swc babel tsup | --mode= --watch build dev ops:word
tool | mvn mvnw gradle gradlew ant sbt bazel buck pants | -DskipTests* -Dtest=* -q -X -o -U -B --info --debug --stacktrace --offline --tests= -x= --quiet ops:target
tool | dotnet msbuild nuget swift-build xcodebuild pod fastlane flutter | --filter= -c= --configuration= --no-build --verbosity= -v= ops:operand
tool | rspec cucumber rake rubocop phpunit composer mix-test ctest behave tox nox invoke fab inv doit | -e= --tag= -t= --format= -f= --fail-fast -v -q --filter= --only= -k= --name= ops:target
tool | just task | -l --list -n --dry-run -s ops:plain
tool | cmake ninja meson scons waf autoreconf configure | ops:target
tool | pip uv poetry pipenv pdm pipx conda mamba gem bundle cpan opam hatch rye pixi micromamba mise asdf rbenv pyenv nvm volta fnm stack cabal mix | -q ops:word
tool | pip/install pip/show pip/list pip/freeze pip/download pip/uninstall pip/index pip/check pip/search uv/add uv/remove uv/pip/install uv/pip/show uv/pip/list uv/sync uv/lock uv/tree uv/tool/install poetry/add poetry/show poetry/remove pipx/install pipx/list conda/install conda/list conda/search gem/install gem/list gem/search gem/info bundle/show bundle/info bundle/list bundle/outdated composer/require composer/show brew/install brew/info brew/list mise/ls asdf/list pdm/add rye/add | -q -U -y -v --upgrade --user --quiet --dev -G= --group= --no-deps --pre --outdated --format= --dry-run --tree -n= -c= --yes -E= --extras= ops:package
tool | pre-commit direnv sops limactl multipass nomad consul op doppler chamber aws-vault infisical dotenvx teller adb lxc incus machinectl toolbox distrobox salt salt-call minikube colima django-admin manage.py artisan | ops:word
tool | pre-commit/run | --all-files -a --files=
tool | patch git-lfs hg svn jj | -p= -n -l= -r= --limit= --rev= --template= ops:operand
tool | ctags etags cscope global gtags | -R -f> ops:operand
tool | sudoedit visudo chsh chfn passwd useradd usermod groupadd mount umount losetup insmod modprobe sysctl | ops:never
tool | tcpflow ngrep wireshark tshark wrk ab siege hey vegeta | -n= -c= ops:operand
tool | perldoc ri tldr cheat | -f= ops:word
tool | honcho foreman pueue overmind hivemind pm2 forever | ops:word
tool | gh glab hub | --json= --jq= -q= -R= --repo= -L= --limit=
tool | gh/pr gh/issue gh/run gh/repo gh/release gh/search gh/label gh/workflow gh/browse gh/status gh/gist gh/project gh/auth gh/cache gh/secret gh/variable gh/ruleset gh/org gh/codespace/list glab/mr glab/issue glab/ci glab/release glab/repo hub/pr hub/issue | --json= --jq= -q= -R= --repo= -L= --limit= -s= --state= -a= --assignee= -A= --author= -l= --label= -S= --search= -t= --title= -b= --body= -F= --body-file= -B= --base= -H= --head= -d --draft -m= --milestone= -c --comments --comment= --comment -w --web --name-only --patch --color= --template= -T= --branch= --workflow= --status= --event= --user= --commit= --log --log-failed --exit-status --job= --attempt= -v --verbose --notes= -n= --generate-notes --prerelease --latest --target= --add-label= --remove-label= --add-assignee= --add-reviewer= --reviewer= -r= --fill --squash --merge --rebase --delete-branch --auto --admin --approve --request-changes --reason= --language= --topic= --visibility= --owner= --sort= --order= --match= --merged --closed --created= --updated= --checks= --review= --draft= --include-prs --archived --license= --stars= --filename= --extension= --size= --watch --interval= --required --fail-fast --ref= -f= --raw-field= --field= --project= -p= --description= --public --private --clone --homepage= --edit-last --subject= --match-head-commit= --parent= --type= --force -y --yes --limit --app= --label --mention= --involves= --no-assignee ops:any
tool | gh/api | -X= --method= -f= -F= --field= --raw-field= -H= --header= -q= --jq= -t= --template= --paginate --slurp -i --include --silent --cache= --hostname= --input= --verbose -p= ops:any
tool | gh/alias gh/config gh/extension gh/ext glab/alias glab/config | ops:never

call | find | -name= -iname= -path= -ipath= -wholename= -iwholename= -regex= -iregex= -regextype= -type= -xtype= -maxdepth= -mindepth= -mtime= -atime= -ctime= -mmin= -amin= -cmin= -newer= -anewer= -cnewer= -newermt= -newerct= -newerat= -size= -user= -group= -uid= -gid= -perm= -links= -inum= -samefile= -lname= -ilname= -fstype= -used= -printf= -not -empty -print -print0 -ls -prune -o -or -a -and -true -false -readable -writable -executable -daystart -depth -d -mount -xdev -follow -quit -nouser -nogroup -H -L -P -O= -fprint> -fprint0> -fls> -fprintf> no--
call | make gmake | -j -j* -n -k -s -B -i -q -w -r -R -d -p -C= -f% -I= -W= -o= -l= -E# -O* --dry-run --just-print --silent --quiet --keep-going --always-make --jobs --jobs=* --trace --question --print-directory --no-print-directory --no-builtin-rules --directory= --file% --makefile% --eval# --output-sync* --debug* --touch -t
call | git | -C= --git-dir= --work-tree= --no-pager --paginate -p -P --no-replace-objects --bare --namespace= --literal-pathspecs --glob-pathspecs --icase-pathspecs --no-optional-locks --version --help

tool | git/log git/show git/diff git/whatchanged git/shortlog git/reflog git/rev-list git/diff-tree git/diff-index git/diff-files git/range-diff git/cherry git/show-branch git/blame git/annotate | -p -s -u -U= -n= -c -m -r -t -z -w -b -a -M -C -B -S= -G= -L= -l= -i -E -P -F -q -v -W -1 -2 -3 -5 -10 -20 --all --oneline --stat --stat=* --shortstat --numstat --dirstat --summary --name-only --name-status --patch --no-patch --raw --graph --decorate --decorate=* --no-decorate --abbrev --abbrev=* --abbrev-commit --no-abbrev-commit --pretty= --format= --date= --relative-date --since= --after= --until= --before= --author= --committer= --grep= --all-match --invert-grep --regexp-ignore-case --extended-regexp --fixed-strings --perl-regexp --merges --no-merges --first-parent --reverse --follow --max-count= --skip= --branches --branches=* --tags --tags=* --remotes --remotes=* --cached --staged --merge-base --color --color=* --no-color --word-diff --word-diff=* --color-words --minimal --patience --histogram --diff-algorithm= --diff-filter= --find-renames --find-renames=* --find-copies --no-renames --ignore-all-space --ignore-space-change --ignore-blank-lines --ignore-space-at-eol --function-context --unified= --inter-hunk-context= --exit-code --quiet --check --full-index --binary --text --no-prefix --src-prefix= --dst-prefix= --relative --relative=* --left-right --cherry-pick --cherry --cherry-mark --boundary --simplify-by-decoration --full-history --ancestry-path --topo-order --date-order --author-date-order --left-only --right-only --count --not --children --parents --show-signature --no-notes --notes --no-mailmap --pickaxe-regex --pickaxe-all --no-ext-diff --no-textconv --submodule --submodule=* --ignore-submodules --ignore-submodules=* --clear-decorations --source --log-size --merge --min-parents= --max-parents= --compact-summary --cc --combined-all-paths --objects --no-walk --no-color-moved --color-moved --color-moved=* view -e -f -k -y -sn -nes -sne --numbered --email --porcelain --line-porcelain --show-email --show-number --score-debug --group= --contents=
tool | git/status git/ls-files git/ls-tree git/rev-parse git/describe git/name-rev git/merge-base git/show-ref git/for-each-ref git/cat-file git/check-ignore git/check-attr git/symbolic-ref git/count-objects git/verify-commit git/verify-tag git/var git/fsck | -s -b -u -z -m -o -d -c -t -k -r -l -q -v -p -e -a -h --short --branch --porcelain --porcelain=* --long --untracked-files --untracked-files=* --ignored --others --exclude-standard --modified --deleted --cached --stage --full-name --error-unmatch --abbrev --abbrev=* --abbrev-ref --verify --short=* --show-toplevel --show-prefix --git-dir --is-inside-work-tree --quiet --symbolic-full-name --tags --all --always --dirty --dirty=* --exact-match --contains --match= --exclude= --heads --dereference --count= --sort= --format= --points-at= --merged --no-merged --name-only --name-status --is-ancestor --fork-point --octopus --verbose --no-index --batch --batch-check --full-tree --show-stash --ahead-behind --no-renames --column --candidates= --first-parent --show-cdup --absolute-git-dir --refs --left-right view
tool | git/grep | -n -i -l -L -c -w -v -E -F -G -P -o -h -H -q -I -a -W -p -z -r -A= -B= -C= -e= -m= --line-number --ignore-case --files-with-matches --name-only --files-without-match --count --word-regexp --invert-match --extended-regexp --fixed-strings --perl-regexp --basic-regexp --only-matching --heading --break --column --cached --untracked --no-index --show-function --function-context --context= --after-context= --before-context= --max-depth= --recursive --recurse-submodules --and --or --not --all-match --text --color --color=* --no-color --full-name --quiet --max-count= view
tool | git/branch git/tag | -a -r -v -vv -l -d -D -m -M -c -C -f -q -n= -n -s -i --all --remotes --list --verbose --delete --move --copy --force --show-current --contains --no-contains --merged --no-merged --sort= --points-at= --format= --column --color --color=* --track --no-track -t -u= --set-upstream-to= --unset-upstream -m= -F= --annotate --message= --file= --quiet --ignore-case view
tool | git/stash | list show push save pop apply drop clear -p -u -q -m= -k -a --message= --include-untracked --keep-index --all --quiet --stat --patch --index view
tool | git/add git/rm git/mv git/restore git/reset git/clean | -A -u -n -v -f -p -i -q -d -X -r -N -s= -S -W --all --update --dry-run --verbose --force --patch --intent-to-add --staged --worktree --source= --cached --hard --soft --mixed --keep --merge --quiet --recursive --ignore-unmatch --refresh --chmod=* ops:any
tool | git/commit | -m= -a -v -q -s -n -S -F= -C= -e -o -i -p -u -z --message= --all --verbose --quiet --signoff --no-verify --amend --no-edit --allow-empty --allow-empty-message --dry-run --short --branch --porcelain --fixup= --squash= --author= --date= --file= --reuse-message= --no-gpg-sign --trailer= --only --include --status --no-status --reset-author --cleanup=
tool | git/checkout git/switch | -b= -B= -c= -C= -q -f -t -d -l -m -p --quiet --force --track --no-track --detach --orphan= --ours --theirs --merge --patch --create= --force-create= --discard-changes --guess --no-guess ops:any
tool | git/merge git/rebase git/cherry-pick git/revert | -q -v -n -m= -e --no-ff --ff --ff-only --squash --no-commit --no-edit --abort --continue --skip --quit --quiet --verbose --stat --message= --onto= --autostash --no-verify --allow-empty --mainline= --signoff --autosquash --root --keep-empty --log
tool | git/push git/fetch git/pull | +* -u -f -n -q -v -d -p -t -a --set-upstream --force --force-with-lease --dry-run --quiet --verbose --delete --prune --tags --all --no-verify --follow-tags --porcelain --depth= --unshallow --rebase --no-rebase --ff-only --no-ff --autostash --progress --no-tags --atomic ops:remote
tool | git/remote | -v --verbose get-url show add remove rename set-url prune update set-head set-branches ops:remote
tool | git/ls-remote git/clone | -q -v -b= --heads --tags --refs --quiet --verbose --branch= --depth= --single-branch --no-checkout --bare --mirror --get-url --exit-code --symref ops:operand
tool | git/worktree | list add remove prune move lock unlock -b= -B= -f -d -v -q --porcelain --force --detach --verbose --checkout --no-checkout
tool | git/notes | show list add append -m= -f --message= --ref= ops:any
tool | git/archive | --format=tar --format=zip --prefix= -v -l ops:operand
tool | git/init | -q -b= --bare --quiet --initial-branch=
tool | git/config | --global --local --system --worktree --get --get-all --list -l --add --unset --type= --bool --int --show-origin --null
tool | git/apply git/am | --check --stat --numstat --summary -R -3 -p= -v -q --reverse --index --cached --3way --verbose --whitespace= --reject
tool | git/format-patch | -n= -1 -o> --stdout -k -s --signoff --cover-letter --subject-prefix= --output-directory> -v= ops:operand
tool | git/bisect git/submodule git/filter-branch git/fast-import git/fast-export git/difftool git/mergetool git/send-email git/instaweb git/gui git/daemon git/http-backend git/shell git/upload-pack git/receive-pack git/remote-ext git/remote-fd git/read-tree git/write-tree git/hash-object git/update-index git/update-ref git/replace git/bundle git/pack-objects git/index-pack git/unpack-objects git/repack git/gc git/maintenance git/prune git/mktree git/mktag git/rerere git/interpret-trailers git/hook git/lfs git/svn git/p4 git/cvsimport git/credential git/help git/bugreport git/diagnose git/sparse-checkout git/subtree git/request-pull | -q -v start good bad reset log status update init --init --recursive --check ops:word
`
