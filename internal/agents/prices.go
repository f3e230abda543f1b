package agents

import (
	"cmp"
	"strings"

	"github.com/skillhand/skillhand/internal/claudecode"
)

// A price is the cost of a million tokens of a model, in dollars, by the table of pi 0.87.1. Some
// models cost more if a request has many tokens. Agents report the tokens of all requests together,
// so then the higher price counts.
type price struct {
	input, output, read, write float64
	from                       float64 // the tokens from which long counts; 0 means that there is one price
	long                       *price
}

// cost returns the cost of tokens, and rather too much than too little.
func (p price) cost(t tokens) float64 {
	in := float64(t.Input + t.CacheRead + t.CacheWrite)
	if p.long != nil && in > p.from {
		p = *p.long
	}
	read, write := cmp.Or(p.read, p.input), max(p.write, p.input) // if the cache has no price of its own
	return (p.input*float64(t.Input) + p.output*float64(t.Output) + read*float64(t.CacheRead) + write*float64(t.CacheWrite)) / 1e6
}

// priceOf returns the price of a model. The name may follow that of a provider: openai/gpt-5.
func priceOf(model string) (price, bool) {
	model = model[strings.LastIndexByte(model, '/')+1:]
	if p, known := prices[model]; known {
		return p, true
	}
	p, known := claudecode.FindPrice(model)
	return price{input: p.Input, output: p.Output, read: p.CacheRead, write: p.CacheWrite1}, known
}

// longFrom is the size of a request above which OpenAI's models cost twice as much for input, and
// half as much again for output.
const longFrom = 272_000

func openAI(input, output, read, write float64) price {
	return price{input, output, read, write, longFrom, &price{input: 2 * input, output: 1.5 * output, read: 2 * read, write: 2 * write}}
}

// prices are the prices of models whose agents report tokens but not dollars.
var prices = map[string]price{
	"gpt-4.1":                       {input: 2, output: 8, read: 0.5},
	"gpt-4.1-mini":                  {input: 0.4, output: 1.6, read: 0.1},
	"gpt-5":                         {input: 1.25, output: 10, read: 0.125},
	"gpt-5-mini":                    {input: 0.25, output: 2, read: 0.025},
	"gpt-5-nano":                    {input: 0.05, output: 0.4, read: 0.005},
	"gpt-5-pro":                     {input: 15, output: 120, read: 0},
	"gpt-5.1":                       {input: 1.25, output: 10, read: 0.125},
	"gpt-5.2":                       {input: 1.75, output: 14, read: 0.175},
	"gpt-5.2-pro":                   {input: 21, output: 168, read: 0},
	"gpt-5.3-codex":                 {input: 1.75, output: 14, read: 0.175},
	"gpt-5.3-codex-spark":           {input: 1.75, output: 14, read: 0.175},
	"gpt-5.4":                       openAI(2.5, 15, 0.25, 0),
	"gpt-5.4-mini":                  {input: 0.75, output: 4.5, read: 0.075},
	"gpt-5.4-nano":                  {input: 0.2, output: 1.25, read: 0.02},
	"gpt-5.4-pro":                   openAI(30, 180, 0, 0),
	"gpt-5.5":                       openAI(5, 30, 0.5, 0),
	"gpt-5.5-pro":                   openAI(30, 180, 0, 0),
	"gpt-5.6-luna":                  openAI(0.2, 1.2, 0.02, 0.25),
	"gpt-5.6-sol":                   openAI(4, 20, 0.4, 5),
	"gpt-5.6-terra":                 openAI(2, 12, 0.2, 2.5),
	"gpt-6-astra":                   openAI(10, 50, 1, 12.5),
	"gpt-6-luna":                    openAI(0.1, 0.5, 0.01, 0.125),
	"gpt-6-sol":                     openAI(2, 10, 0.2, 2.5),
	"o3":                            {input: 2, output: 8, read: 0.5},
	"o4-mini":                       {input: 1.1, output: 4.4, read: 0.275},
	"gemini-2.5-flash":              {input: 0.3, output: 2.5, read: 0.03},
	"gemini-2.5-flash-lite":         {input: 0.1, output: 0.4, read: 0.01},
	"gemini-2.5-pro":                {input: 1.25, output: 10, read: 0.125},
	"gemini-3-flash-preview":        {input: 0.5, output: 3, read: 0.05},
	"gemini-3.1-flash-lite":         {input: 0.25, output: 1.5, read: 0.025},
	"gemini-3.1-flash-lite-preview": {input: 0.25, output: 1.5, read: 0.025},
	"gemini-3.1-pro-preview":        {input: 2, output: 12, read: 0.2},
	"gemini-3.5-flash":              {input: 1.5, output: 9, read: 0.15},
	"gemini-3.5-flash-lite":         {input: 0.3, output: 2.5, read: 0.03},
	"gemini-3.6-flash":              {input: 0.75, output: 3.75, read: 0.075},
	"gemini-3.7-flash":              {input: 0.75, output: 3.75, read: 0.075},
	"gemini-3.8-flash":              {input: 0.75, output: 3.75, read: 0.075},
	"gemini-flash-latest":           {input: 1.5, output: 9, read: 0.15},
	"gemini-flash-lite-latest":      {input: 0.25, output: 1.5, read: 0.025},
}
