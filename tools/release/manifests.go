package main

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"fmt"
	"path"
	"text/template"

	"github.com/skillhand/skillhand/internal/claudecode"
)

// templates are the files for package managers and containers, with places for versions and
// checksums.
//
//go:embed templates
var templates embed.FS

const downloads = "https://github.com/skillhand/skillhand/releases/download"

// A filling holds the values for the templates.
type filling struct {
	r     *release
	files map[string][]byte // the archives
}

// Version returns the version of the release, such as v1.2.3.
func (f filling) Version() string { return f.r.Version }

// Number returns the version without its v.
func (f filling) Number() string { return f.r.number() }

// Claude returns the version of Claude Code that skillhand is compared with.
func (f filling) Claude() string { return claudecode.Version }

// Windows maps Go's names of processors to winget's.
func (f filling) Windows() map[string]string {
	return map[string]string{"amd64": "x64", "arm64": "arm64"}
}

// Folder returns the folder in a platform's archive.
func (f filling) Folder(system, arch string) string {
	return f.r.folder(platform{system, arch})
}

// URL returns the address that a platform's archive will have.
func (f filling) URL(system, arch string) string {
	return downloads + "/" + f.r.Version + "/" + f.r.archiveName(platform{system, arch})
}

// Sum returns the checksum of a platform's archive.
func (f filling) Sum(system, arch string) (string, error) {
	name := f.r.archiveName(platform{system, arch})
	data, ok := f.files[name]
	if !ok {
		return "", fmt.Errorf("%s was not built", name)
	}
	return fmt.Sprintf("%x", sha256.Sum256(data)), nil
}

// manifests fills in every template.
func (r *release) manifests(archives map[string][]byte) (map[string][]byte, error) {
	all, err := template.ParseFS(templates, "templates/*")
	if err != nil {
		return nil, err
	}
	list, err := templates.ReadDir("templates")
	if err != nil {
		return nil, err
	}
	made := map[string][]byte{}
	for _, file := range list {
		var b bytes.Buffer
		if err := all.ExecuteTemplate(&b, path.Base(file.Name()), filling{r, archives}); err != nil {
			return nil, err
		}
		made[file.Name()] = b.Bytes()
	}
	return made, nil
}
