package settings

import (
	"path/filepath"
	"slices"
)

// loginVariables are those that let Claude Code in, or name a service that does.
var loginVariables = []string{
	"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN",
	"CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY",
}

// Login names what Claude Code would log in with: a variable, a setting, or a file. It is "" if
// none is there, and says nothing about whether the service accepts it. It starts no program and
// asks nobody, so it does not see a login in the keychain of macOS.
func Login(w Where, getenv func(string) string) string {
	set := Read(w).Env()
	i := slices.IndexFunc(loginVariables, func(name string) bool { return getenv(name) != "" || set[name] != "" })
	if i >= 0 {
		return loginVariables[i]
	}
	if w.ConfigDir() == "" {
		return ""
	}
	var own struct {
		Helper string `json:"apiKeyHelper"`
	}
	var login struct {
		Token struct {
			Access string `json:"accessToken"`
		} `json:"claudeAiOauth"`
	}
	var state struct {
		Key string `json:"primaryApiKey"`
	}
	credentials := filepath.Join(w.ConfigDir(), ".credentials.json")
	switch {
	case ReadJSON(w.File(User), &own) == nil && own.Helper != "":
		return "apiKeyHelper"
	case ReadJSON(credentials, &login) == nil && login.Token.Access != "":
		return credentials
	case readState(w, &state) && state.Key != "":
		return "primaryApiKey"
	}
	return ""
}
