package eval

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/skillhand/skillhand/internal/here"
)

// passed are the variables that a trial has of the user's: what the CLI needs to
// run, to find the service and to be let in. A name that ends in * begins so.
var passed = []string{
	"PATH", "LANG", "LC_*", "TZ", "TERM", "SHELL", "USER", "LOGNAME", "NO_COLOR", "SystemRoot", "ComSpec", "PATHEXT",
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "no_proxy", "all_proxy",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS",
	"ANTHROPIC_*", "CLAUDE_*", "API_TIMEOUT_MS", "DISABLE_*", "MAX_THINKING_TOKENS", "BASH_DEFAULT_TIMEOUT_MS", "BASH_MAX_TIMEOUT_MS",
	"AWS_*", "GOOGLE_*", "CLOUD_ML_REGION", "VERTEX_*", "AZURE_*", "SKILLHAND_CLAUDE",
	"SKILLHAND_WORKER", // by which what a killed worker left running is found
}

// kept are those among them that say where the user is, and with whom.
var kept = []string{
	"CLAUDE_CONFIG_DIR", "CLAUDE_PROJECT_DIR", "CLAUDE_PLUGIN_ROOT", "CLAUDE_PLUGIN_DATA", "CLAUDE_ENV_FILE", "CLAUDE_SESSION_ID",
	"CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT", "CLAUDE_CODE_EFFORT_LEVEL", "CLAUDE_CODE_TASK_LIST_ID",
}

// trialEnv is the environment of a trial. more are further names to pass on.
func trialEnv(user here.Env, place folders, more []string) here.Env {
	var env here.Env
	for _, kv := range user {
		name, _, _ := strings.Cut(kv, "=")
		if matches(passed, name) && !slices.Contains(kept, name) || slices.Contains(more, name) {
			env = append(env, kv)
		}
	}
	for _, kv := range [][2]string{
		{"HOME", place.home}, {"USERPROFILE", place.home}, {"TMPDIR", place.temp}, {"PWD", place.project}, {"SKILLHAND_STATE_DIR", place.state},
		{"DISABLE_AUTOUPDATER", "1"}, {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"},
	} {
		env = env.With(kv[0], kv[1])
	}
	return env
}

// matches reports whether a name is among patterns: one that ends in * begins so.
func matches(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		prefix, open := strings.CutSuffix(p, "*")
		return name == p || open && strings.HasPrefix(name, prefix)
	})
}

// passCredentials puts into a new HOME what lets the CLI in, and nothing else of
// the user's. The key that renews a login stays with the user: a trial that used
// it would log the user out.
func passCredentials(user here.Here, home string) error {
	config := user.Env.Get("CLAUDE_CONFIG_DIR")
	global := filepath.Join(config, ".claude.json")
	if config == "" {
		config, global = filepath.Join(user.Home, ".claude"), filepath.Join(user.Home, ".claude.json")
	}
	return errors.Join(
		passJSON(filepath.Join(config, ".credentials.json"), filepath.Join(home, ".claude", ".credentials.json"), accessOnly),
		passJSON(filepath.Join(config, "settings.json"), filepath.Join(home, ".claude", "settings.json"), authSettings),
		passJSON(global, filepath.Join(home, ".claude.json"), pick("primaryApiKey", "oauthAccount", "customApiKeyResponses")),
	)
}

// passJSON copies what choose leaves of a document. A file that is not there, or
// is no JSON object, lets nobody in.
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

// writeIn writes a file of the user's own, with the folders that it is in.
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

// accessOnly leaves what lets the CLI in for now.
func accessOnly(doc map[string]any) map[string]any {
	login, ok := doc["claudeAiOauth"].(map[string]any)
	if !ok {
		return nil
	}
	delete(login, "refreshToken")
	return map[string]any{"claudeAiOauth": login}
}

// authNames are the variables in settings that are about getting in.
var authNames = []string{
	"ANTHROPIC_*", "CLAUDE_CODE_USE_*", "CLAUDE_CODE_SKIP_*", "CLAUDE_CODE_OAUTH_*", "AWS_*", "GOOGLE_*", "CLOUD_ML_*", "VERTEX_*",
}

// authSettings leaves what of the user's settings is about getting in.
func authSettings(doc map[string]any) map[string]any {
	some := pick("apiKeyHelper", "awsAuthRefresh", "awsCredentialExport", "gcpAuthRefresh", "forceLoginMethod")(doc)
	env := map[string]any{}
	if vars, ok := doc["env"].(map[string]any); ok {
		for name, value := range vars {
			if matches(authNames, name) {
				env[name] = value
			}
		}
	}
	if len(env) > 0 {
		some["env"] = env
	}
	return some
}
