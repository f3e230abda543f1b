package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand/internal/cli"
)

// version is set when a release is built.
var version = ""

// A versionDocument is what version --json prints: schemas/version-v1.schema.json.
type versionDocument struct {
	Version string `json:"version"`
	Commit  string `json:"commit"`
	Go      string `json:"go"`
	OS      string `json:"os"`
	Arch    string `json:"arch"`
}

func newVersion(std *stdio) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  skillhand version --json",
		Args:    cli.Args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			doc := newVersionDocument()
			if asJSON {
				return std.PrintJSON(doc)
			}
			_, err := fmt.Fprintf(std.Out, "skillhand %s (%s, %s/%s)\n", doc.Version, doc.Go, doc.OS, doc.Arch)
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func newVersionDocument() versionDocument {
	doc := versionDocument{Version: version, Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
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
