// Command release builds the files of a release of skillhand: an archive and an npm package for
// each platform, the plugin, files for package managers and containers, a list of parts, and
// checksums. The same commit gives the same bytes, wherever and whenever it is built with the same
// version of Go.
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/skillhand/skillhand/internal/proc"
)

func main() {
	r := release{Root: ".", Platforms: platforms}
	flag.StringVar(&r.Out, "o", "dist", "the `folder` to write to; it must be empty or new")
	flag.StringVar(&r.Version, "version", "", "the version (default what the file VERSION says)")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := r.Make(ctx)
	stop()
	if err != nil {
		fmt.Fprintf(os.Stderr, "release: %v\n", err)
		os.Exit(1)
	}
}

// A platform is a system and a processor, as Go names them.
type platform struct{ OS, Arch string }

var platforms = []platform{
	{"linux", "amd64"}, {"linux", "arm64"},
	{"darwin", "amd64"}, {"darwin", "arm64"},
	{"windows", "amd64"}, {"windows", "arm64"},
}

// A release says what to build, and from which source.
type release struct {
	Root      string // the folder of the source
	Out       string
	Version   string // such as v1.2.3; "" means the version in the file VERSION
	Platforms []platform

	made time.Time // the time of the source's commit, which every file gets
	temp string
}

// Make builds the release and writes it. It writes nothing before everything is built.
func (r *release) Make(ctx context.Context) error {
	if entries, err := os.ReadDir(r.Out); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	} else if len(entries) > 0 {
		return fmt.Errorf("%s: not empty: an older release would mix with this one", r.Out)
	}
	if err := r.identify(ctx); err != nil {
		return err
	}
	var err error
	if r.temp, err = os.MkdirTemp("", "skillhand-release-"); err != nil {
		return err
	}
	defer os.RemoveAll(r.temp)
	common, err := r.common(ctx)
	if err != nil {
		return err
	}
	files, err := r.platforms(ctx, common)
	if err != nil {
		return err
	}
	if err := r.rest(ctx, files); err != nil {
		return err
	}
	files["SHA256SUMS"] = sums(files)
	return write(r.Out, files)
}

// platforms builds the files for each platform. It works on as many platforms at a time as there
// are processors, because a linker and a packer use one each.
func (r *release) platforms(ctx context.Context, common []entry) (map[string][]byte, error) {
	made := make([]map[string][]byte, len(r.Platforms))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, p := range r.Platforms {
		group.Go(func() (err error) {
			if made[i], err = r.platform(ctx, p, common); err != nil {
				return fmt.Errorf("%s/%s: %w", p.OS, p.Arch, err)
			}
			return nil
		})
	}
	err := group.Wait()
	files := map[string][]byte{}
	for _, m := range made {
		maps.Copy(files, m)
	}
	return files, err
}

func (r *release) platform(ctx context.Context, p platform, common []entry) (map[string][]byte, error) {
	built, err := r.programs(ctx, p)
	if err != nil {
		return nil, err
	}
	pack := tarGz
	if p.OS == "windows" {
		pack = zipped
	}
	files := map[string][]byte{}
	if files[r.archiveName(p)], err = pack(r.folder(p), slices.Concat(common, built), r.made); err != nil {
		return nil, err
	}
	name, data, err := r.npmPlatform(p, built)
	if err != nil {
		return nil, err
	}
	files[name] = data
	if p == r.Platforms[0] {
		files["skillhand-"+r.Version+".sbom.json"], err = r.sbom(built)
	}
	return files, err
}

// rest adds the files that are the same on every platform. Package managers need all of them.
func (r *release) rest(ctx context.Context, files map[string][]byte) error {
	if len(r.Platforms) == len(platforms) {
		made, err := r.manifests(files)
		if err != nil {
			return err
		}
		maps.Copy(files, made)
	}
	for _, make := range []func(context.Context) (string, []byte, error){r.plugin, r.npmMain} {
		name, data, err := make(ctx)
		if err != nil {
			return err
		}
		files[name] = data
	}
	return nil
}

// number returns the version without its v.
func (r *release) number() string { return strings.TrimPrefix(r.Version, "v") }

// folder returns the name of the only folder in a platform's archive.
func (r *release) folder(p platform) string {
	return fmt.Sprintf("skillhand-%s-%s-%s", r.Version, p.OS, p.Arch)
}

// archiveName returns the file name of a platform's archive: a zip for Windows, else a tar.gz.
func (r *release) archiveName(p platform) string {
	if p.OS == "windows" {
		return r.folder(p) + ".zip"
	}
	return r.folder(p) + ".tar.gz"
}

// identify finds the version and the time of the source.
func (r *release) identify(ctx context.Context) error {
	if r.Version == "" {
		number, err := os.ReadFile(filepath.Join(r.Root, "VERSION"))
		if err != nil {
			return err
		}
		r.Version = "v" + strings.TrimSpace(string(number))
	}
	epoch := os.Getenv("SOURCE_DATE_EPOCH")
	if epoch == "" {
		out, err := r.run(ctx, nil, "git", "log", "-1", "--format=%ct")
		if err != nil {
			return err
		}
		epoch = strings.TrimSpace(string(out))
	}
	seconds, err := strconv.ParseInt(epoch, 10, 64)
	if err != nil {
		return fmt.Errorf("SOURCE_DATE_EPOCH is %q, want seconds since 1970", epoch)
	}
	r.made = time.Unix(seconds, 0).UTC()
	return nil
}

// common returns the files in every platform's archive besides the programs: texts, manual pages
// and completions. skillhand itself makes the manual pages and completions.
func (r *release) common(ctx context.Context) ([]entry, error) {
	source := os.DirFS(r.Root)
	docs, err := fs.Glob(source, "docs/*.md")
	if err != nil {
		return nil, err
	}
	var all []entry
	for _, name := range append([]string{"LICENSE", "README.md", "CHANGELOG.md"}, docs...) {
		data, err := fs.ReadFile(source, name)
		if err != nil {
			return nil, err
		}
		all = append(all, entry{Name: name, Data: data})
	}
	tools, err := r.build(ctx, platform{runtime.GOOS, runtime.GOARCH})
	if err != nil {
		return nil, err
	}
	tool := filepath.Join(tools, program("skillhand", runtime.GOOS)) // it finds the other program beside it
	epoch := []string{"SOURCE_DATE_EPOCH=" + strconv.FormatInt(r.made.Unix(), 10)}
	manuals := filepath.Join(r.temp, "man1")
	if _, err := r.run(ctx, epoch, tool, "man", "--dir", manuals); err != nil {
		return nil, err
	}
	pages, err := os.ReadDir(manuals)
	if err != nil {
		return nil, err
	}
	for _, p := range pages {
		data, err := os.ReadFile(filepath.Join(manuals, p.Name()))
		if err != nil {
			return nil, err
		}
		all = append(all, entry{Name: "man/man1/" + p.Name(), Data: data})
	}
	for shell, file := range map[string]string{"bash": "skillhand.bash", "zsh": "_skillhand", "fish": "skillhand.fish",
		"powershell": "skillhand.ps1"} {
		data, err := r.run(ctx, nil, tool, "completion", shell)
		if err != nil {
			return nil, err
		}
		all = append(all, entry{Name: "completions/" + file, Data: data})
	}
	return all, nil
}

// programs lists the programs in an archive: the one that people call, and the one that it starts.
var programs = []string{"skillhand", "skillhand-server"}

// program returns the file name of a program on a system.
func program(name, os string) string {
	if os == "windows" {
		return name + ".exe"
	}
	return name
}

func (r *release) programs(ctx context.Context, p platform) ([]entry, error) {
	built, err := r.build(ctx, p)
	if err != nil {
		return nil, err
	}
	var all []entry
	for _, name := range programs {
		name = program(name, p.OS)
		binary, err := os.ReadFile(filepath.Join(built, name))
		if err != nil {
			return nil, err
		}
		all = append(all, entry{Name: name, Data: binary, Program: true})
	}
	return all, nil
}

// build compiles static binaries that do not reveal where and when they were made, and returns
// their folder. It builds a platform only once: the programs of this platform have already written
// the manual pages when its archive is packed.
func (r *release) build(ctx context.Context, p platform) (string, error) {
	out := filepath.Join(r.temp, p.OS+"-"+p.Arch)
	if err := os.Mkdir(out, 0o777); errors.Is(err, fs.ErrExist) {
		return out, nil
	} else if err != nil {
		return "", err
	}
	env := []string{"CGO_ENABLED=0", "GOFLAGS=", "GOEXPERIMENT=", "GOOS=" + p.OS, "GOARCH=" + p.Arch, "GOAMD64=v1", "GOARM64=v8.0"}
	_, err := r.run(ctx, env, "go", "build", "-trimpath", "-buildvcs=true",
		"-ldflags", "-s -w -buildid= -X github.com/skillhand/skillhand/internal/cli.version="+r.Version, "-o", out, "./cmd/...")
	return out, err
}

// plugin packs the plugin and the marketplace that offers it, as they are in git, without the
// plugin's tests.
func (r *release) plugin(ctx context.Context) (name string, data []byte, err error) {
	list, err := r.run(ctx, nil, "git", "ls-files", "-z", "--", ".claude-plugin", "plugin")
	if err != nil {
		return "", nil, err
	}
	all := []entry{}
	for file := range strings.SplitSeq(strings.TrimRight(string(list), "\x00"), "\x00") {
		if strings.HasSuffix(file, ".go") {
			continue
		}
		path := filepath.Join(r.Root, filepath.FromSlash(file))
		info, err := os.Lstat(path)
		if err != nil {
			return "", nil, err
		}
		if !info.Mode().IsRegular() {
			return "", nil, fmt.Errorf("%s: not a regular file", file)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return "", nil, err
		}
		all = append(all, entry{Name: file, Data: data, Program: info.Mode()&0o100 != 0})
	}
	license, err := os.ReadFile(filepath.Join(r.Root, "LICENSE"))
	if err != nil {
		return "", nil, err
	}
	folder := "skillhand-plugin-" + r.Version
	data, err = zipped(folder, append(all, entry{Name: "LICENSE", Data: license}), r.made)
	return folder + ".zip", data, err
}

// run runs a program in the source's folder and returns its output.
func (r *release) run(ctx context.Context, env []string, words ...string) ([]byte, error) {
	var out bytes.Buffer
	res, err := proc.Run(ctx, proc.Cmd{Args: words, Dir: r.Root, Env: append(os.Environ(), env...), Stdout: &out, Stderr: os.Stderr})
	switch {
	case err != nil:
		return nil, err
	case res.Cut == proc.Canceled:
		return nil, context.Cause(ctx)
	case res.Exit != 0:
		return nil, fmt.Errorf("%s: exit status %d", strings.Join(words[:2], " "), res.Exit)
	}
	return out.Bytes(), nil
}

// sums lists the files in the form that sha256sum -c reads.
func sums(files map[string][]byte) []byte {
	var b bytes.Buffer
	for _, name := range sorted(files) {
		fmt.Fprintf(&b, "%x  %s\n", sha256.Sum256(files[name]), name)
	}
	return b.Bytes()
}

func write(dir string, files map[string][]byte) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for _, name := range sorted(files) {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, files[name], 0o666); err != nil {
			return err
		}
		fmt.Printf("%s  %.1f MB\n", file, float64(len(files[name]))/1e6)
	}
	return nil
}

func sorted(files map[string][]byte) []string {
	var names []string
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
