package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is set when a release is built.
var version = ""

// A Version describes the build of a program. It is described by schemas/version-v1.schema.json.
type Version struct {
	Version string `json:"version"`
	Commit  string `json:"commit"`
	Go      string `json:"go"`
	OS      string `json:"os"`
	Arch    string `json:"arch"`
}

// NewVersion describes the build of this program.
func NewVersion() Version {
	doc := Version{Version: version, Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		if doc.Version == "" {
			doc.Version = info.Main.Version // go install MODULE@VERSION
		}
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				doc.Commit = s.Value
			}
		}
	}
	if doc.Version == "" {
		doc.Version = "(devel)"
	}
	return doc
}

// NewVersionCommand returns the command that prints the version.
func NewVersionCommand(std *Std) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  skillhand version --json",
		Args:    Args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			doc := NewVersion()
			if asJSON {
				return std.PrintJSON(doc)
			}
			return std.Print(fmt.Sprintf("skillhand %s (%s, %s/%s)\n", doc.Version, doc.Go, doc.OS, doc.Arch))
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return cmd
}
