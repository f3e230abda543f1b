package claudecode_test

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/skillhand/skillhand/internal/claudecode"
)

const pricesFile = "testdata/prices.json"

// A charge is a request whose tokens are known, and what Claude Code said that it costs.
type charge struct {
	Model       string  `json:"model"`
	Input       int     `json:"input"`
	Output      int     `json:"output"`
	CacheRead   int     `json:"cache_read"`
	CacheWrite  int     `json:"cache_write"`
	CacheWrite1 int     `json:"cache_write_1h"`
	Searches    int     `json:"web_searches,omitempty"`
	Speed       string  `json:"speed,omitempty"`
	Geo         string  `json:"inference_geo,omitempty"`
	USD         float64 `json:"usd"`
}

func readCharges(t *testing.T) (all []charge) {
	t.Helper()
	src, err := os.ReadFile(pricesFile)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(src, &all); err != nil || len(all) == 0 {
		t.Fatalf("%s: %d charges, %v", pricesFile, len(all), err)
	}
	return all
}

// TestPriceOf: requests cost by our table what Claude Code was recorded to charge for them.
func TestPriceOf(t *testing.T) {
	for _, c := range readCharges(t) {
		p, ok := claudecode.PriceOf(c.Model, claudecode.Terms{
			Fast: c.Speed == "fast", US: c.Geo == "us", Prompt: c.Input + c.CacheRead + c.CacheWrite + c.CacheWrite1,
		})
		got := (p.Input*float64(c.Input)+p.Output*float64(c.Output)+p.CacheRead*float64(c.CacheRead)+
			p.CacheWrite*float64(c.CacheWrite)+p.CacheWrite1*float64(c.CacheWrite1))/1e6 + claudecode.WebSearch*float64(c.Searches)
		if !ok || math.Abs(got-c.USD) > 1e-9 {
			t.Errorf("%+v: $%v, %v by the table", c, got, ok)
		}
	}
}

func TestModelID(t *testing.T) {
	for name, want := range map[string]string{
		"claude-haiku-4-5-20251001":                    "claude-haiku-4-5",
		"claude-sonnet-4-5[1m]":                        "claude-sonnet-4-5",
		"claude-sonnet-4-20250514":                     "claude-sonnet-4-0",
		"us.anthropic.claude-3-5-sonnet-20241022-v2:0": "claude-3-5-sonnet",
		"us.anthropic.claude-opus-4-6-v1":              "claude-opus-4-6",
		"claude-opus-4-1@20250805":                     "claude-opus-4-1",
		"claude-fable-5-2":                             "claude-fable-5-2",
		"gpt-5":                                        "gpt-5",
		"":                                             "",
	} {
		if got := claudecode.ModelID(name); got != want {
			t.Errorf("ModelID(%q) = %q, want %q", name, got, want)
		}
	}
}
