package main

import (
	"bytes"
	"cmp"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// A component is a part of the programs, in the form of CycloneDX.
type component struct {
	Type    string `json:"type"`
	Ref     string `json:"bom-ref"`
	Name    string `json:"name"`
	Version string `json:"version"`
	PURL    string `json:"purl"`
}

// sbom lists the modules that the programs were linked from, as a CycloneDX document. It reads the
// list that the compiler wrote into the programs themselves.
func (r *release) sbom(built []entry) ([]byte, error) {
	var all []component
	for _, e := range built {
		info, err := buildinfo.Read(bytes.NewReader(e.Data))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name, err)
		}
		all = append(all, golang("std", strings.TrimPrefix(info.GoVersion, "go")))
		for _, dep := range info.Deps {
			if dep.Replace != nil {
				dep = dep.Replace
			}
			all = append(all, golang(dep.Path, dep.Version))
		}
	}
	slices.SortFunc(all, func(a, b component) int { return cmp.Compare(a.PURL, b.PURL) })
	all = slices.Compact(all)
	own := golang("github.com/skillhand/skillhand", r.Version)
	own.Type = "application"
	return json.MarshalIndent(map[string]any{
		"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
		"metadata":   map[string]any{"timestamp": r.made.Format(time.RFC3339), "component": own},
		"components": all,
	}, "", "  ")
}

func golang(path, version string) component {
	purl := "pkg:golang/" + path + "@" + version
	return component{Type: "library", Ref: purl, Name: path, Version: version, PURL: purl}
}
