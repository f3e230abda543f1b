package main

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// checkPeer is the linter that check is compared to.
const checkPeer = "skill-check@1.2.0"

// checks measures check on a tree of skills, compared to a linter that checks their frontmatter.
func (b *bench) checks(binary, dir string) error {
	tree := filepath.Join(dir, "check")
	if err := skills(filepath.Join(tree, "500"), 500); err != nil {
		return err
	}
	if err := skills(filepath.Join(tree, "12000"), 12_000); err != nil {
		return err
	}
	ours := func(n string) []string {
		return []string{binary, "check", "--format", "concise", filepath.Join(tree, n)}
	}
	peer, err := installPeer()
	if err != nil {
		fmt.Printf("check beside %s: not measured: %v\n", checkPeer, err)
		t := b.medians(5, ours("500"))
		cost("check of 500 skills, 3.5 MB", t[0], t[0], "2 x faster than a linter")
	} else {
		t := b.withProcessor(5, ours("500"), []string{peer, "check", "--no-security-scan", filepath.Join(tree, "500")})
		speed("check of 500 skills, 3.5 MB / skill-check", t[0], t[1], "at least 2 x faster")
		speed("the same, processor time", t[2], t[3], "ahead")
		b.largest(binary, peer)
	}
	if b.err != nil {
		return b.err
	}
	t := b.medians(3, ours("500"), ours("12000"))
	cost("check of 12,000 skills / 24 x that of 500", t[1], 24*t[0], "about 1: linear")
	_, peak, _, err := b.spent(ours("12000")...)
	if err != nil {
		return err
	}
	fmt.Printf("%-52s %7d MB %32s\n", "memory of that", peak>>20, "under 300 MB")
	return b.err
}

// largest compares check to the linter on the five largest of the public repositories in the folder
// CORPUS, if that variable is set.
func (b *bench) largest(binary, peer string) {
	clones, err := os.ReadDir(os.Getenv("CORPUS"))
	if err != nil {
		return
	}
	pages := map[string]int{}
	for _, e := range clones {
		dir := filepath.Join(os.Getenv("CORPUS"), e.Name())
		_ = filepath.WalkDir(dir, func(file string, _ fs.DirEntry, _ error) error {
			if filepath.Base(file) == "SKILL.md" {
				pages[dir]++
			}
			return nil
		})
	}
	dirs := slices.SortedFunc(maps.Keys(pages), func(a, b string) int { return cmp.Or(pages[b]-pages[a], strings.Compare(a, b)) })
	for _, dir := range dirs[:min(5, len(dirs))] {
		// Both exit with status 1 if they find something.
		t := b.withProcessor(3, []string{"sh", "-c", `"$0" check --format concise "$1" || true`, binary, dir},
			[]string{"sh", "-c", `"$0" check --no-security-scan "$1" || true`, peer, dir})
		name := strings.Replace(filepath.Base(dir), "+", "/", 1)
		speed("check of "+name+" / skill-check", t[0], t[1], "ahead")
		speed("the same, processor time", t[2], t[3], "ahead")
	}
}

// skills writes skills of 7 KB whose directives have no findings.
func skills(dir string, n int) error {
	random := rand.New(rand.NewSource(1))
	commands := []string{"git status || true", "ls -la", "cat README.md 2>/dev/null || true", "find . -name '*.md' | head -5",
		"gh pr list || true"}
	for i := range n {
		var b strings.Builder
		fmt.Fprintf(&b, "---\nname: skill-%d\ndescription: Does thing %d. Use when it is asked for.\nallowed-tools: "+
			"Bash(gh:*), Read\n---\n# Skill %d\n\n", i, i, i)
		for b.Len() < 7000 {
			fmt.Fprintf(&b,
				"## Part %d\n\nRead [the notes](notes.md) and then `do it` with **care**. %s\n\n```bash\nnpm test -- --watch\n```\n\n",
				random.Intn(99), strings.Repeat("Some words of advice. ", 15))
			if random.Intn(5) == 0 {
				fmt.Fprintf(&b, "Now: !`%s`\n\n", commands[random.Intn(len(commands))])
			}
		}
		folder := filepath.Join(dir, fmt.Sprintf("skill-%d", i))
		if err := put(folder, map[string]string{"notes.md": "Notes.\n", "SKILL.md": b.String()}); err != nil {
			return err
		}
	}
	return nil
}

// installPeer returns the linter's path. If needed, it installs the linter in the user's cache
// first.
func installPeer() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "skillhand", strings.ReplaceAll(checkPeer, "@", "-"))
	program := filepath.Join(dir, "node_modules", ".bin", "skill-check")
	if _, err := os.Stat(program); err == nil {
		return program, nil
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	out, err := exec.Command("npm", "install", "--no-audit", "--no-fund", "--prefix", dir, checkPeer).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("npm: %w: %.200s", err, out)
	}
	return program, nil
}
