package claudecode

import (
	"slices"
	"strings"

	"github.com/skillhand/skillhand/internal/words"
)

// Names of marketplaces that claude plugin marketplace add refuses, found by asking it about 70.
var (
	reservedMarkets = []string{
		"agent-skills", "anthropic-agent-skills", "anthropic-marketplace", "anthropic-plugins", "claude-code-marketplace", "claude-code-plugins",
		"claude-community", "claude-plugins-community", "claude-plugins-official", "financial-services-plugins", "first-party-plugins",
		"healthcare", "knowledge-work-plugins", "life-sciences",
	}
	impersonates = words.Regexp(`(?i)official[^a-z0-9]*(anthropic|claude)|(anthropic|claude)[^a-z0-9]*official|` +
		`^(anthropic|claude)[^a-z0-9]*(plugins|marketplace)|[^\x00-\x7f]`)
)

// MarketplaceFault says why Claude Code does not add a marketplace of this name, or returns "". Anthropic's own may have the
// names that are reserved.
func MarketplaceFault(name string, isAnthropics bool) string {
	switch {
	case name == "":
		return "a marketplace needs a name"
	case strings.ContainsAny(name, " \t"):
		return "the name has a space in it"
	case strings.ContainsAny(name, `/\`), strings.Contains(name, ".."), name == ".":
		return "the name is a path"
	case name == "inline", name == "builtin", !isAnthropics && slices.Contains(reservedMarkets, name):
		return "the name is reserved"
	case !isAnthropics && impersonates.Get().MatchString(name):
		return "the name is taken for one of Anthropic's own"
	case strings.HasPrefix(name, "-"):
		return "the name begins with -"
	}
	return ""
}
