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

// templates are what package managers and containers read, with places for versions and checksums.
//
//go:embed templates
var templates embed.FS

const downloads = "https://github.com/skillhand/skillhand/releases/download"

// A filling is what templates are filled in with.
type filling struct {
	r     *release
	files map[string][]byte // the archives
}

// Version returns the release's, such as v1.2.3.
func (f filling) Version() string { return f.r.Version }

// Number returns the version without its v.
func (f filling) Number() string { return f.r.number() }

// Claude returns the version of Claude Code that skillhand is compared with.
func (f filling) Claude() string { return claudecode.Version }

// Windows has winget's name of each processor, by Go's.
func (f filling) Windows() map[string]string {
	return map[string]string{"amd64": "x64", "arm64": "arm64"}
}

// Folder returns the folder in a platform's archive.
func (f filling) Folder(system, arch string) string {
	return f.r.folder(platform{system, arch})
}

// URL returns where a platform's archive will be.
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
