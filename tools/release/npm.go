package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/skillhand/skillhand/schemas"
)

// npmFolder is the only folder in an npm package, which is a tar.gz.
const npmFolder = "package"

func (p platform) node() (system, cpu string) {
	system, cpu = p.OS, p.Arch
	if system == "windows" {
		system = "win32"
	}
	if cpu == "amd64" {
		cpu = "x64"
	}
	return system, cpu
}

// npmName returns the name of a platform's package, without its scope.
func (p platform) npmName() string {
	system, cpu := p.node()
	return system + "-" + cpu
}

// npmPlatform packs the programs of a platform. npm installs the package where os and cpu match.
// Nothing runs at installation.
func (r *release) npmPlatform(p platform, built []entry) (name string, data []byte, err error) {
	system, cpu := p.node()
	manifest, err := json.MarshalIndent(map[string]any{
		"name": "@skillhand/" + p.npmName(), "version": r.number(), "license": "Apache-2.0",
		"description": "The programs of skillhand for " + p.npmName() + ". Install the package skillhand instead.",
		"repository":  map[string]string{"type": "git", "url": "git+https://github.com/skillhand/skillhand.git"},
		"os":          []string{system}, "cpu": []string{cpu}, "preferUnplugged": true,
	}, "", "  ")
	if err != nil {
		return "", nil, err
	}
	license, err := os.ReadFile(filepath.Join(r.Root, "LICENSE"))
	if err != nil {
		return "", nil, err
	}
	all := []entry{{Name: "package.json", Data: append(manifest, '\n')}, {Name: "LICENSE", Data: license}}
	for _, e := range built {
		all = append(all, entry{Name: "bin/" + e.Name, Data: e.Data, Program: true})
	}
	data, err = tarGz(npmFolder, all, r.made)
	return fmt.Sprintf("npm-skillhand-%s-%s.tgz", p.npmName(), r.number()), data, err
}

// npmMain packs the package that people install: a launcher and the module for Node.
func (r *release) npmMain(context.Context) (name string, data []byte, err error) {
	folder := filepath.Join(r.Root, "npm")
	var all []entry
	for _, file := range []string{"package.json", "README.md", "bin/skillhand.cjs", "program.cjs", "index.cjs", "index.mjs",
		"index.d.ts", "../LICENSE"} {
		text, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(file)))
		if err != nil {
			return "", nil, err
		}
		switch file {
		case "package.json":
			if text, err = r.npmManifest(text); err != nil {
				return "", nil, fmt.Errorf("npm/package.json: %w", err)
			}
			all = append(all, entry{Name: file, Data: text})
		case "index.d.ts":
			made, err := types(schemas.Files)
			if err != nil {
				return "", nil, err
			}
			text = append(text, made...)
			all = append(all, entry{Name: "index.d.mts", Data: text}, entry{Name: "index.d.cts", Data: text})
		default:
			all = append(all, entry{Name: strings.TrimPrefix(file, "../"), Data: text, Program: path.Dir(file) == "bin"})
		}
	}
	data, err = tarGz(npmFolder, all, r.made)
	return fmt.Sprintf("npm-skillhand-%s.tgz", r.number()), data, err
}

// npmManifest adds the version and the platforms' packages to the manifest.
func (r *release) npmManifest(text []byte) ([]byte, error) {
	var manifest map[string]any
	if err := json.Unmarshal(text, &manifest); err != nil {
		return nil, err
	}
	optional := map[string]string{}
	for _, p := range platforms {
		optional["@skillhand/"+p.npmName()] = r.number()
	}
	manifest["version"], manifest["optionalDependencies"] = r.number(), optional
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(manifest)
	return b.Bytes(), err
}
