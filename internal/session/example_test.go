package session_test

import (
	"fmt"
	"os"

	"github.com/skillhand/skillhand/internal/session"
)

// An agent has seen a skill when its page was delivered, until a hook event says that it
// may have lost it.
func ExampleStore_Claim() {
	dir, err := os.MkdirTemp("", "sessions")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	store := session.Store{Dir: dir}
	use := func() {
		claim, err := store.Claim(session.ID{Session: "s1"}, "status", "/skills/status/SKILL.md", session.Hash([]byte("text")))
		if err != nil {
			panic(err)
		}
		fmt.Println("seen:", claim.Seen)
		if err := claim.Commit(); err != nil { // the page was written out
			panic(err)
		}
	}
	use()
	use()
	if _, err := store.Hook([]byte(`{"hook_event_name": "PreCompact", "session_id": "s1"}`)); err != nil {
		panic(err)
	}
	use()
	// Output:
	// seen: false
	// seen: true
	// seen: false
}
