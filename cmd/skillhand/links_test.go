package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	mdFence   = regexp.MustCompile("(?ms)^````.*?^````$|^```.*?^```|^    [^\n]*$")
	mdCode    = regexp.MustCompile("`[^`\n]*`")
	mdLink    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	mdTarget  = regexp.MustCompile(`\]\([^)]*\)`)
	mdHeading = regexp.MustCompile(`(?m)^#+ +(.*)$`)
	notInSlug = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// TestLinks: every link of the documentation to a file, and to a heading in one, leads somewhere.
func TestLinks(t *testing.T) {
	var pages []string
	for _, pattern := range []string{"../../*.md", "../../docs/*.md", "../../plugin/*.md", "../../check/doc/*.md",
		"../../tools/bench/corpus/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, found...)
	}
	seen := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range mdLink.FindAllStringSubmatch(mdCode.ReplaceAllString(mdFence.ReplaceAllString(string(text), ""), "code"), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			seen++
			file, heading, _ := strings.Cut(m[1], "#")
			target := page
			if file != "" {
				target = filepath.Join(filepath.Dir(page), file)
			}
			there, err := os.ReadFile(target)
			if err != nil {
				t.Errorf("%s: %s: %v", page, m[1], err)
			} else if heading != "" && !hasHeading(string(there), heading) {
				t.Errorf("%s: %s: no such heading", page, m[1])
			}
		}
	}
	if seen < 10 {
		t.Errorf("found %d links in %d pages", seen, len(pages))
	}
}

// hasHeading reports whether a page has a heading of that name, as GitHub names them.
func hasHeading(text, name string) bool {
	for _, m := range mdHeading.FindAllStringSubmatch(mdFence.ReplaceAllString(text, ""), -1) {
		title := mdTarget.ReplaceAllString(strings.TrimSpace(m[1]), "]")
		slug := notInSlug.ReplaceAllString(strings.ToLower(title), "")
		if strings.ReplaceAll(slug, " ", "-") == name {
			return true
		}
	}
	return false
}
