// Package realagent gives tests the real programs of other agents. It installs them from npm, in
// the version that package agents names, and sets them up to ask a model that a test plays.
package realagent

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/skillhand/skillhand/internal/agents"
	"github.com/skillhand/skillhand/internal/test"
)

// A Setup is an agent that is set up to ask a played model.
type Setup struct {
	Program string   // the program's path
	Env     []string // variables to add to an environment whose HOME is the folder that New got
	Model   string   // the model's name
	Yolo    []string // the arguments that an agent needs before any skill fires
}

// New installs an agent and sets it up in a new home; see test.Bin.
func New(t testing.TB, a *agents.Agent, model, home string) Setup {
	t.Helper()
	tool := test.Tool{Name: a.Name, Packages: []string{a.Package}}
	if a.Node != "" {
		tool.Packages = append(tool.Packages, a.Node)
	}
	bin := test.Bin(t, tool)
	s := setups[a.Name](model)
	for file, text := range s.files {
		file = filepath.Join(home, file)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s.setup.Program = filepath.Join(bin, a.Name)
	if a.Node != "" {
		script := fmt.Sprintf("#!/bin/sh\nexec '%s' '%s' \"$@\"\n", filepath.Join(bin, "node"), s.setup.Program)
		s.setup.Program = filepath.Join(t.TempDir(), a.Name)
		if err := os.WriteFile(s.setup.Program, []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return s.setup
}

// Fire returns the call of a tool with which a model makes an agent load a skill.
func Fire(a *agents.Agent, skill, file string) (tool string, input any) {
	value := skill
	if a.Fires == agents.ByRead {
		value = file
	}
	if a.Loads.Format != "" {
		value = fmt.Sprintf(a.Loads.Format, value)
	}
	return a.Loads.Name, map[string]any{a.Loads.Field: value}
}

type setup struct {
	setup Setup
	files map[string]string // below HOME
}

// geminiSettings are the settings of Gemini for a way to sign in. Qwen, which descends from Gemini,
// uses them too.
const geminiSettings = `{"security":{"auth":{"selectedType":%q}},"general":{"disableAutoUpdate":true},"privacy":{"usageStatisticsEnabled":false}}`

var yolo = []string{"--approval-mode", "yolo"}

// setups are the settings that each agent needs to ask a model at an address. The keys are dummies.
var setups = map[string]func(model string) setup{
	"codex": func(model string) setup {
		return setup{Setup{Env: []string{"PLAYED_KEY=dummy"}, Model: "gpt-5"}, map[string]string{".codex/config.toml": fmt.Sprintf(`
model = "gpt-5"
model_provider = "played"
[model_providers.played]
name = "played"
base_url = "%s/v1"
wire_api = "responses"
env_key = "PLAYED_KEY"
request_max_retries = 0
stream_max_retries = 0
`, model)}}
	},
	"copilot": func(model string) setup {
		return setup{Setup{Env: []string{
			"COPILOT_PROVIDER_BASE_URL=" + model + "/v1", "COPILOT_PROVIDER_TYPE=openai", "COPILOT_PROVIDER_API_KEY=dummy",
			"COPILOT_MODEL=m", "COPILOT_OFFLINE=true",
		}}, nil}
	},
	"gemini": func(model string) setup {
		return setup{
			Setup{
				Env:   []string{"GOOGLE_GEMINI_BASE_URL=" + model, "GEMINI_API_KEY=dummy", "GEMINI_CLI_TRUST_WORKSPACE=true"},
				Model: "gemini-2.5-pro", Yolo: yolo,
			},
			map[string]string{".gemini/settings.json": fmt.Sprintf(geminiSettings, "gemini-api-key")},
		}
	},
	"opencode": func(model string) setup {
		return setup{Setup{Env: []string{"OPENCODE_DISABLE_MODELS_FETCH=1"}, Model: "played/m"}, map[string]string{
			".config/opencode/opencode.json": fmt.Sprintf(`{"autoupdate":false,"model":"played/m","provider":{"played":{
"npm":"@ai-sdk/openai-compatible","options":{"baseURL":"%s/v1","apiKey":"dummy"},
"models":{"m":{"name":"m","limit":{"context":100000,"output":8000},"cost":{"input":1,"output":2}}}}}}`, model),
		}}
	},
	"pi": func(model string) setup {
		return setup{Setup{Env: []string{"PI_OFFLINE=1"}, Model: "played/m", Yolo: []string{"--approve"}}, map[string]string{
			".pi/agent/settings.json": `{"defaultProvider":"played","defaultModel":"m"}`,
			".pi/agent/models.json": fmt.Sprintf(`{"providers":{"played":{
"baseUrl":"%s/v1","apiKey":"dummy","api":"openai-completions",
"models":[{"id":"m","name":"m","contextWindow":100000,"maxTokens":8000,"cost":{"input":1,"output":2,"cacheRead":0,"cacheWrite":0}}]}}}`, model),
		}}
	},
	"qwen": func(model string) setup {
		return setup{
			Setup{Env: []string{"OPENAI_API_KEY=dummy", "OPENAI_BASE_URL=" + model + "/v1", "OPENAI_MODEL=m"}, Model: "m", Yolo: yolo},
			map[string]string{".qwen/settings.json": fmt.Sprintf(geminiSettings, "openai")},
		}
	},
}
