package activity_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/skillhand/skillhand/internal/activity"
	"github.com/skillhand/skillhand/internal/here"
)

// TestInstallLine checks that an existing status line is kept unless it is to be replaced, and that
// a status line with a higher priority is named.
func TestInstallLine(t *testing.T) {
	const (
		own   = `{"statusLine": {"type": "command", "command": "skillhand statusline", "padding": 0}}`
		other = `{"statusLine": {"type": "command", "command": "other"}}`
		user  = "home/.claude/settings.json"
		shown = "project/.claude/settings.json"
		local = "project/.claude/settings.local.json"
	)
	for _, tt := range []struct {
		name   string
		files  map[string]string
		req    activity.InstallRequest
		file   string // the file that has the line afterwards; "" if the install is refused
		hidden string
		is     bool // it was already installed
	}{
		{"none", nil, activity.InstallRequest{}, shown, "", false},
		{"the user's own", map[string]string{user: own}, activity.InstallRequest{}, user, "", true},
		{"again", map[string]string{shown: own}, activity.InstallRequest{}, shown, "", true},
		{"another", map[string]string{shown: other}, activity.InstallRequest{}, "", "", false},
		{"another of the user's", map[string]string{user: other}, activity.InstallRequest{}, "", "", false},
		{"another, by force", map[string]string{shown: other}, activity.InstallRequest{Force: true}, shown, "", false},
		{"another that counts more", map[string]string{local: other}, activity.InstallRequest{Force: true}, shown, local, false},
		{"another that counts more than the user's", map[string]string{shown: other},
			activity.InstallRequest{Force: true, User: true}, user, shown, false},
		{"ours counts more", map[string]string{local: own}, activity.InstallRequest{User: true}, user, "", false},
		{"another below ours", map[string]string{user: other, shown: own}, activity.InstallRequest{User: true}, "", "", false},
		{"broken", map[string]string{local: "{"}, activity.InstallRequest{}, "", "", false},
	} {
		dir := t.TempDir()
		for file, text := range tt.files {
			file = filepath.Join(dir, file)
			if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		project := filepath.Join(dir, "project")
		if err := os.MkdirAll(filepath.Join(project, ".git"), 0o777); err != nil {
			t.Fatal(err)
		}
		h, err := here.From(project, []string{"HOME=" + filepath.Join(dir, "home")})
		if err != nil {
			t.Fatal(err)
		}
		done, err := activity.InstallLine(h, tt.req)
		hidden := ""
		if done.Hidden != nil {
			hidden = done.Hidden.File
		}
		if in(dir, done.File) != tt.file || in(dir, hidden) != tt.hidden || done.Already != tt.is || (err == nil) != (tt.file != "") {
			t.Errorf("%s: %+v, %v", tt.name, done, err)
		}
		for file, text := range tt.files {
			if now, _ := os.ReadFile(filepath.Join(dir, file)); string(now) != text && file != tt.file {
				t.Errorf("%s: %s is now %s", tt.name, file, now)
			}
		}
	}
}

// in returns a path relative to a folder.
func in(dir, path string) string {
	rel, err := filepath.Rel(dir, path)
	if err != nil {
		return path
	}
	return filepath.ToSlash(rel)
}
