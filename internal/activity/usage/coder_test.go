package usage

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// randomShard is the index of a folder in which anything may have happened.
func randomShard(t *rapid.T) *shard {
	s := &shard{Version: indexVersion, Files: map[string]*indexed{}, Lists: map[string][]Listed{"l": {{"card", true}, {"kit", false}}}}
	for _, name := range rapid.SliceOfNDistinct(rapid.StringN(0, 9, -1), 1, 3, rapid.ID).Draw(t, "files") {
		text, day := rapid.String(), rapid.Custom(func(t *rapid.T) time.Time { return time.Unix(rapid.Int64Range(0, 1<<40).Draw(t, "time"), 5).UTC() })
		f := &tally{
			Agent: text.Draw(t, "agent"), Session: text.Draw(t, "session"), Project: text.Draw(t, "project"), Version: text.Draw(t, "version"),
			Known: rapid.Bool().Draw(t, "known"), Copied: rapid.Bool().Draw(t, "copied"),
			Born: day.Draw(t, "born"), First: day.Draw(t, "first"), Last: day.Draw(t, "last"),
			Sums: rapid.Make[[]sums]().Draw(t, "sums"), Lists: rapid.MapOf(text, text).Draw(t, "lists"), Paid: rapid.Make[map[string]paid]().Draw(t, "paid"),
			AgentID: text.Draw(t, "id"), Spawn: text.Draw(t, "spawn"), Fork: text.Draw(t, "fork"),
			Spawns: rapid.MapOf(text, text).Draw(t, "spawns"), Claimed: rapid.SliceOf(text).Draw(t, "claimed"), state: rapid.Make[state]().Draw(t, "state"),
		}
		number := rapid.Int64()
		s.Files[name] = &indexed{
			Size: number.Draw(t, "size"), Changed: number.Draw(t, "changed"), Offset: number.Draw(t, "offset"), Head: rapid.Uint64().Draw(t, "head"),
			Damaged: rapid.Int().Draw(t, "damaged"), Tally: f, State: encode(f.state.code),
		}
	}
	return s
}

// TestIndexKeeps: what is written to the index is read again, and a part of it is not taken for the whole.
func TestIndexKeeps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want, got := randomShard(t), &shard{}
		data := encode(want.code)
		if !decode(data, got.code) {
			t.Fatal("not whole")
		}
		for name, e := range got.Files {
			if !decode(e.State, e.Tally.state.code) {
				t.Errorf("%q: no state", name)
			}
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(tally{}), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		if cut := rapid.IntRange(0, len(data)-1).Draw(t, "cut"); decode(data[:cut], new(shard).code) {
			t.Errorf("%d of %d bytes are taken for the whole", cut, len(data))
		}
	})
}

func FuzzIndex(f *testing.F) {
	one := &tally{Agent: "claude", Session: "s"}
	one.at(time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC))
	one.byPerson("card")
	one.turn("r", "claude-opus-5-5", Tokens{Input: 5})
	s := shard{Version: indexVersion, Files: map[string]*indexed{"s": {Tally: one, State: encode(one.state.code)}}}
	f.Add(encode(s.code))
	f.Fuzz(func(t *testing.T, data []byte) {
		var s shard
		if !decode(data, s.code) {
			return
		}
		r := newReporter(Options{Skill: "card"})
		r.add(&folder{reader: &claudeReader, shard: s})
		r.report()
	})
}
