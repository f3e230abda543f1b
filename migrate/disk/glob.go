package disk

import (
	"regexp"
	"slices"
	"strings"
)

// Matches reports whether one of the globs is for a file: * is what a name may have, **/ any folders.
func Matches(globs []string, path string) bool {
	return slices.ContainsFunc(globs, func(glob string) bool {
		var b strings.Builder
		for rest := strings.TrimPrefix(glob, "./"); rest != ""; {
			switch {
			case strings.HasPrefix(rest, "**/"):
				b.WriteString("(?:.*/)?")
				rest = rest[3:]
			case strings.HasPrefix(rest, "**"):
				b.WriteString(".*")
				rest = rest[2:]
			case rest[0] == '*':
				b.WriteString("[^/]*")
				rest = rest[1:]
			case rest[0] == '?':
				b.WriteString("[^/]")
				rest = rest[1:]
			default:
				b.WriteString(regexp.QuoteMeta(rest[:1]))
				rest = rest[1:]
			}
		}
		matched, err := regexp.MatchString("(?:^|/)"+b.String()+"$", path)
		return err == nil && matched
	})
}
