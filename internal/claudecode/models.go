package claudecode

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// PricesOf is the day on which Claude Code was asked what it charges.
const PricesOf = "2026-11-18"

// WebSearch is what a web search costs, in dollars.
const WebSearch = 0.01

// A Price is what a million tokens cost, in dollars.
type Price struct {
	Input, Output           float64
	CacheRead               float64
	CacheWrite, CacheWrite1 float64 // kept for five minutes, and for an hour
}

// Terms are what changes the price of a request, as its usage tells.
type Terms struct {
	Fast   bool // speed: fast
	US     bool // inference_geo: us
	Prompt int  // tokens of the prompt, those in the cache included
}

// PriceOf returns what Claude Code charges for the tokens of a request. A model that it has no price for
// has none here either; none is guessed.
func PriceOf(model string, t Terms) (Price, bool) {
	model = ModelID(model)
	i := slices.IndexFunc(models[:], func(m modelPrice) bool { return m.id == model })
	if i < 0 {
		return Price{}, false
	}
	m := &models[i]
	p := m.list
	switch {
	case t.Fast && m.fast != Price{}:
		p = m.fast
	case m.longFrom > 0 && t.Prompt > m.longFrom:
		p = m.long
	}
	if t.US {
		p = p.times(1.1)
	}
	return p, true
}

func (p Price) times(n float64) Price {
	return Price{p.Input * n, p.Output * n, p.CacheRead * n, p.CacheWrite * n, p.CacheWrite1 * n}
}

const longContext = "[1m]" // ends the name of a model that is asked with a context of a million tokens

// ModelID returns a model's name as the table has it, without what services and users add: the name of a
// region and a maker before it, a date, a revision or [1m] behind it.
func ModelID(name string) string {
	name = strings.TrimSuffix(strings.ToLower(name), longContext)
	if i := strings.LastIndex(name, "anthropic."); i >= 0 {
		name = name[i+len("anthropic."):]
	}
	name, _, _ = strings.Cut(name, "@")
	if i := strings.LastIndex(name, "-v"); i > 0 && strings.Trim(name[i+2:], "0123456789:") == "" {
		name = name[:i]
	}
	if i := strings.LastIndexByte(name, '-'); i > 0 && len(name)-i-1 == len("20261118") && strings.Trim(name[i+1:], "0123456789") == "" {
		name = name[:i]
	}
	switch name {
	case "claude-sonnet-4", "claude-opus-4":
		name += "-0"
	}
	return name
}

// A modelPrice is what one model costs. Prices that are zero are those of the list.
type modelPrice struct {
	id       string
	list     Price
	fast     Price
	longFrom int // tokens of a prompt from which on it costs long
	long     Price
}

// models has what the version that this package follows charges, by its own cost of requests whose tokens
// were known (testdata/prices.json).
var models = [...]modelPrice{
	{id: "claude-3-5-haiku", list: Price{0.8, 4, 0.08, 1, 1.6}},
	{id: "claude-3-5-sonnet", list: Price{3, 15, 0.3, 3.75, 6}},
	{id: "claude-3-7-sonnet", list: Price{3, 15, 0.3, 3.75, 6}},
	{id: "claude-haiku-4-5", list: Price{1, 5, 0.1, 1.25, 2}},
	{id: "claude-haiku-5-5", list: Price{0.1, 0.5, 0.01, 0.125, 0.2}, longFrom: 100_000, long: Price{0.5, 2.5, 0.05, 0.625, 1}},
	{id: "claude-sonnet-4-0", list: Price{3, 15, 0.3, 3.75, 6}},
	{id: "claude-sonnet-4-5", list: Price{3, 15, 0.3, 3.75, 6}},
	{id: "claude-sonnet-4-6", list: Price{3, 15, 0.3, 3.75, 6}},
	{id: "claude-sonnet-5", list: Price{2, 10, 0.2, 2.5, 4}},
	{id: "claude-sonnet-5-5", list: Price{2, 10, 0.1, 2.5, 4}},
	{id: "claude-opus-4-0", list: Price{15, 75, 1.5, 18.75, 30}},
	{id: "claude-opus-4-1", list: Price{15, 75, 1.5, 18.75, 30}},
	{id: "claude-opus-4-5", list: Price{5, 25, 0.5, 6.25, 10}},
	{id: "claude-opus-4-6", list: Price{5, 25, 0.5, 6.25, 10}, fast: Price{30, 150, 3, 37.5, 60}},
	{id: "claude-opus-4-7", list: Price{5, 25, 0.5, 6.25, 10}, fast: Price{30, 150, 3, 37.5, 60}},
	{id: "claude-opus-4-8", list: Price{5, 25, 0.5, 6.25, 10}, fast: Price{10, 50, 1, 12.5, 20}},
	{id: "claude-opus-5", list: Price{5, 25, 0.5, 6.25, 10}, fast: Price{10, 50, 1, 12.5, 20}},
	{id: "claude-opus-5-5", list: Price{4, 20, 0.2, 5, 8}, fast: Price{8, 40, 0.4, 10, 16}},
	{id: "claude-fable-5", list: Price{10, 50, 1, 12.5, 20}},
	{id: "claude-fable-5-1", list: Price{10, 50, 0.25, 12.5, 20}},
	{id: "claude-fable-5-2", list: Price{8, 40, 0.2, 10, 16}, fast: Price{16, 80, 0.4, 20, 32}},
	{id: "claude-mythos-5", list: Price{10, 50, 1, 12.5, 20}},
	{id: "claude-mythos-5-1", list: Price{10, 50, 0.25, 12.5, 20}},
	{id: "claude-mythos-5-2", list: Price{8, 40, 0.2, 10, 16}, fast: Price{16, 80, 0.4, 20, 32}},
}

// ModelAliases returns the names that a file may give a model beside its own.
func ModelAliases() []string {
	return []string{"sonnet", "opus", "haiku", "inherit", "opusplan", "default", "best", "fable"}
}

// The characters of the list of skills that the model gets, and of what comes back after compaction.
const (
	DefaultListBudget = 30_000 // of the whole list: a hundredth of a million tokens, at three characters each
	MaxListed         = 1536   // of one description, with when_to_use
	KeptAfterCompact  = 20_000 // of a skill's text
)

// smallModels take 200,000 tokens, counted as four characters each, and a million if they are called with [1m].
var smallModels = []string{"claude-3", "claude-sonnet-4", "claude-haiku-4", "claude-opus-4-5", "claude-opus-4-6"}

// ListBudget returns how many characters the list of all skills may have for a model, "" for one of today's. The
// fraction is the setting's; 0 means that there is none.
func ListBudget(model string, fraction float64) int {
	window := 100.0 * DefaultListBudget
	if slices.ContainsFunc(smallModels, func(m string) bool { return strings.HasPrefix(model, m) }) {
		window = 800_000
		if strings.HasSuffix(model, longContext) {
			window = 4_000_000
		}
	}
	return int(math.Round(window * cmp.Or(fraction, 0.01)))
}
