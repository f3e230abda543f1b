package main

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestVersion checks that everything that names a version agrees with the file VERSION.
func TestVersion(t *testing.T) {
	version := strings.TrimSpace(string(must(os.ReadFile("../../VERSION"))(t)))
	for _, file := range []string{"../../npm/package.json", "../../plugin/.claude-plugin/plugin.json",
		"../../plugin/.codex-plugin/plugin.json"} {
		var manifest struct{ Version string }
		if err := json.Unmarshal(must(os.ReadFile(file))(t), &manifest); err != nil || manifest.Version != version {
			t.Errorf("%s: version %q, want %q (%v)", file, manifest.Version, version, err)
		}
	}
	changes := string(must(os.ReadFile("../../CHANGELOG.md"))(t))
	if first := regexp.MustCompile(`(?m)^## ([0-9]\S*)`).FindStringSubmatch(changes); first == nil || first[1] != version {
		t.Errorf("CHANGELOG.md: the newest version is %q, want %q", first, version)
	}
}

// TestManifests checks that package managers get the addresses and checksums of the archives.
func TestManifests(t *testing.T) {
	r := release{Version: "v1.2.3", Platforms: platforms}
	archives := map[string][]byte{}
	for _, p := range platforms {
		archives[r.archiveName(p)] = []byte(p.OS + p.Arch)
	}
	made, err := r.manifests(archives)
	if err != nil {
		t.Fatal(err)
	}
	listed := string(sums(archives))
	for _, tt := range []struct {
		file     string
		archives int
	}{{"skillhand.rb", 4}, {"scoop-skillhand.json", 2}, {"Skillhand.Skillhand.installer.yaml", 2}} {
		text := string(made[tt.file])
		found := 0
		for name := range archives {
			if strings.Contains(text, downloads+"/v1.2.3/"+name) {
				found++
				sum, _, _ := strings.Cut(listed[strings.LastIndex(listed[:strings.Index(listed, name)], "\n")+1:], " ")
				if !strings.Contains(text, sum) {
					t.Errorf("%s: lacks the checksum of %s", tt.file, name)
				}
			}
		}
		if found != tt.archives {
			t.Errorf("%s: names %d archives, want %d:\n%s", tt.file, found, tt.archives, text)
		}
		if strings.Contains(text, "<no value>") {
			t.Errorf("%s: something is not filled in:\n%s", tt.file, text)
		}
	}
	if !json.Valid(made["scoop-skillhand.json"]) {
		t.Error("Scoop's manifest is not JSON")
	}
	delete(archives, r.archiveName(platforms[0]))
	if _, err := r.manifests(archives); err == nil {
		t.Error("a platform that was not built is passed over")
	}
}
