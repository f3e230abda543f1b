package setup

import (
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// An Origin says how a copy was installed.
type Origin string

// The ways in which people install skillhand.
const (
	NPM       Origin = "npm"
	NPMGlobal Origin = "npm-global"
	Homebrew  Origin = "homebrew"
	Scoop     Origin = "scoop"
	Winget    Origin = "winget"
	Go        Origin = "go"
	Archive   Origin = "archive"
	Source    Origin = "source"
)

// isRelease reports whether a version is that of a release. A build from a clone has a suffix after
// the numbers.
func isRelease(version string) bool {
	return regexp.MustCompile(`^v[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.]+)?$`).MatchString(version)
}

// goBin lists the folders that go install writes to.
func goBin(getenv func(string) string) []string {
	var all []string
	for _, folder := range []string{getenv("GOBIN"), filepath.Join(getenv("GOPATH"), "bin"), filepath.Join(getenv("HOME"), "go", "bin")} {
		if filepath.IsAbs(folder) {
			all = append(all, filepath.ToSlash(folder))
		}
	}
	return all
}

// OriginOf returns the origin of a program, by its real path and its version. goBin lists the
// folders that go install writes to.
func OriginOf(program, version string, goBin []string) Origin {
	file := strings.ReplaceAll(program, `\`, "/")
	has := func(part string) bool { return strings.Contains(strings.ToLower(file), part) }
	switch {
	case has("/node_modules/@skillhand/"):
		if has("/lib/node_modules/") || has("/npm/node_modules/") { // Unix; Windows
			return NPMGlobal
		}
		return NPM
	case has("/cellar/skillhand/"):
		return Homebrew
	case has("/scoop/apps/skillhand/"):
		return Scoop
	case has("/winget/packages/"):
		return Winget
	case slices.Contains(goBin, path.Dir(file)):
		return Go
	case isRelease(version):
		return Archive
	}
	return Source
}

// Upgrade returns the command line that installs the newest version. It returns "" for copies from
// an archive.
func (o Origin) Upgrade() string {
	return map[Origin]string{
		NPM:       "npm install skillhand@latest",
		NPMGlobal: "npm install --global skillhand@latest",
		Homebrew:  "brew upgrade skillhand",
		Scoop:     "scoop update skillhand",
		Winget:    "winget upgrade Skillhand.Skillhand",
		Go:        "go install github.com/skillhand/skillhand/cmd/...@latest",
		Source:    "git pull && make build",
	}[o]
}

// Remove returns the command line that removes the programs, or "" if people delete their files.
func (o Origin) Remove() string {
	return map[Origin]string{
		NPM:       "npm uninstall skillhand",
		NPMGlobal: "npm uninstall --global skillhand",
		Homebrew:  "brew uninstall skillhand",
		Scoop:     "scoop uninstall skillhand",
		Winget:    "winget uninstall Skillhand.Skillhand",
	}[o]
}

// Releases is where releases are published.
const Releases = "https://github.com/skillhand/skillhand/releases"

// A Copy describes a copy of skillhand and how to upgrade it. It is described by
// schemas/upgrade-v1.schema.json.
type Copy struct {
	Program string `json:"program"`
	Origin  Origin `json:"origin"`
	Version string `json:"version"`
	Command string `json:"command"` // installs the newest version; "" for copies from an archive
}

// CopyOf describes a program by its real path.
func CopyOf(program, version string, getenv func(string) string) *Copy {
	o := OriginOf(program, version, goBin(getenv))
	return &Copy{Program: program, Origin: o, Version: version, Command: o.Upgrade()}
}

// String says how to upgrade the copy.
func (c *Copy) String() string {
	if c.Command == "" {
		return fmt.Sprintf("%s is %s, from an archive. To upgrade it, unpack a newer one into %s: %s\n",
			c.Program, c.Version, filepath.Dir(c.Program), Releases)
	}
	return fmt.Sprintf("%s is %s, from %s. To upgrade it: %s\n", c.Program, c.Version, c.Origin, c.Command)
}
