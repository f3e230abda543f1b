package eval

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/skillhand/skillhand/internal/agents"
	"github.com/skillhand/skillhand/internal/claudecode"
	"github.com/skillhand/skillhand/internal/here"
)

// passed lists the user's variables that a trial gets besides the login: those that programs need
// to run and to find the service. A name that ends in * is a prefix.
var passed = []string{
	"PATH", "LANG", "LC_*", "TZ", "TERM", "SHELL", "USER", "LOGNAME", "NO_COLOR", "SystemRoot", "ComSpec", "PATHEXT",
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "no_proxy", "all_proxy",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "SKILLHAND_CLAUDE",
	"SKILLHAND_WORKER", // finds what a killed worker left running
}

// trialEnv returns the environment of a trial; more names further variables to pass on.
func trialEnv(user here.Env, place folders, more []string) here.Env {
	var env here.Env
	login := agents.Get(agents.Claude).Login
	names := slices.Concat(passed, login.Variables)
	for _, kv := range user {
		name, _, _ := strings.Cut(kv, "=")
		if matches(names, name) && !slices.Contains(login.Elsewhere, name) || slices.Contains(more, name) {
			env = append(env, kv)
		}
	}
	for _, kv := range [][2]string{
		{"HOME", place.home}, {"USERPROFILE", place.home}, {"TMPDIR", place.temp},
		{"PWD", place.project}, {"SKILLHAND_STATE_DIR", place.state},
		{"DISABLE_AUTOUPDATER", "1"}, {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"},
	} {
		env = env.With(kv[0], kv[1])
	}
	return env
}

// matches reports whether a name matches one of the patterns. A pattern that ends in * is a prefix.
func matches(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		prefix, open := strings.CutSuffix(p, "*")
		return name == p || open && strings.HasPrefix(name, prefix)
	})
}

// passCredentials copies the CLI's login, and nothing else of the user, into a new HOME. It leaves
// out the key that renews a login: a trial that used that key would log the user out.
func passCredentials(user here.Here, home string) error {
	config := user.Env.Get("CLAUDE_CONFIG_DIR")
	global := filepath.Join(config, ".claude.json")
	if config == "" {
		config, global = filepath.Join(user.Home, ".claude"), filepath.Join(user.Home, ".claude.json")
	}
	return errors.Join(
		passJSON(filepath.Join(config, ".credentials.json"), filepath.Join(home, ".claude", ".credentials.json"), accessOnly),
		passJSON(filepath.Join(config, "settings.json"), filepath.Join(home, ".claude", "settings.json"), authSettings),
		passJSON(global, filepath.Join(home, ".claude.json"), pick(claudecode.LoginState()...)),
	)
}

// passJSON copies the part of a document that choose returns. A file that is missing or not a JSON
// object contains no login.
func passJSON(from, to string, choose func(map[string]any) map[string]any) error {
	text, err := os.ReadFile(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var doc map[string]any
	if json.Unmarshal(text, &doc) != nil {
		return nil
	}
	doc = choose(doc)
	if len(doc) == 0 {
		return nil
	}
	if text, err = json.Marshal(doc); err != nil {
		return err
	}
	return writeIn(to, text)
}

// writeIn writes a file that only the user can read, and makes its folders.
func writeIn(file string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o600)
}

func pick(keys ...string) func(map[string]any) map[string]any {
	return func(doc map[string]any) map[string]any {
		some := map[string]any{}
		for _, key := range keys {
			if value, ok := doc[key]; ok {
				some[key] = value
			}
		}
		return some
	}
}

// accessOnly keeps only the keys that let the CLI in for now.
func accessOnly(doc map[string]any) map[string]any {
	login, ok := doc["claudeAiOauth"].(map[string]any)
	if !ok {
		return nil
	}
	delete(login, "refreshToken")
	return map[string]any{"claudeAiOauth": login}
}

// authSettings keeps only the user's settings about logging in.
func authSettings(doc map[string]any) map[string]any {
	some := pick(claudecode.LoginKeys()...)(doc)
	env := map[string]any{}
	if vars, ok := doc[claudecode.KeyEnv].(map[string]any); ok {
		for name, value := range vars {
			if matches(claudecode.LoginVariables(), name) {
				env[name] = value
			}
		}
	}
	if len(env) > 0 {
		some[claudecode.KeyEnv] = env
	}
	return some
}
