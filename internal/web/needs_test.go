package web

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestNeeds: the tab says of a skill what may --skill and doctor say of it, and runs nothing.
func TestNeeds(t *testing.T) {
	p := newPlace(t, true, map[string]string{
		"pulls": "---\ndescription: Sums up.\nallowed-tools: Bash(nosuch-forge *)\n---\n" +
			"Open: !`nosuch-forge list > made`\nToo: !`git status` and !`nosuch-forge <b>`\nSet: !`nosuch-forge $NOTES_TOKEN`\n",
		"plain": "---\ndescription: Plain.\n---\ntext\n",
	})
	c := p.browser()
	status, text := p.get(c, "/skill/pulls?tab=needs")
	for _, want := range []string{
		`aria-current="page">Needs`, "What Claude Code decides about its directives", "<bdi>nosuch-forge list &gt; made</bdi>",
		`<span class="mark bad">abort</span>`, `<span class="mark ">defer</span>`, `<span class="mark good">run</span>`, "a redirection to a file needs a rule",
		"skillhand may --skill pulls", "skillhand doctor pulls",
		`<bdi>nosuch-forge</bdi></th><td data-head="Kind">program</td><td data-head="Here"><span class="mark bad">missing</span>`,
		`<bdi>NOTES_TOKEN</bdi></th><td data-head="Kind">variable</td>`,
	} {
		if status != http.StatusOK || !strings.Contains(text, want) {
			t.Errorf("%d: no %q", status, want)
		}
	}
	if _, err := os.Stat(filepath.Join(p.dir, "made")); err == nil {
		t.Error("a directive was run")
	}
	status, text = p.get(c, "/skill/plain?tab=needs")
	for _, want := range []string{"It has no directives.", "It needs nothing that a system does not have."} {
		if status != http.StatusOK || !strings.Contains(text, want) {
			t.Errorf("%d: no %q", status, want)
		}
	}
	if status, _ := p.get(c, "/skill/nosuch?tab=needs"); status != http.StatusNotFound {
		t.Errorf("a skill that is not here: %d", status)
	}
}
