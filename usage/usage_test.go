package usage

import (
	"encoding/json"
	"flag"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/skillhand/skillhand/here"
)

var update = flag.Bool("update", false, "rewrite what is wanted in testdata")

func TestMain(m *testing.M) {
	time.Local = time.UTC // days
	os.Exit(m.Run())
}

// at is a machine with a home.
func at(t *testing.T, home string) here.Here {
	t.Helper()
	home, err := filepath.Abs(home)
	if err != nil {
		t.Fatal(err)
	}
	return here.Here{Dir: t.TempDir(), Home: home, State: t.TempDir(), Env: here.Env{"HOME=" + home}}
}

func read(t *testing.T, h here.Here, o Options) *Report {
	t.Helper()
	r, err := Read(h, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range r.Faults {
		t.Error(err)
	}
	addsUp(t, r)
	return r
}

// addsUp holds a report to its promise: all skills and the rest are the total, and so are the days.
func addsUp(t interface{ Errorf(string, ...any) }, r *Report) {
	sum, days, sessions := r.Rest, Cost{}, Cost{}
	plus := func(c *Cost, d Cost) {
		usd := c.known() + d.known()
		c.USD, c.Unpriced, c.Turns = &usd, c.Unpriced+d.Unpriced, c.Turns+d.Turns
		c.Text, c.Work = c.Text.plus(d.Text), c.Work.plus(d.Work)
	}
	for _, s := range r.Skills {
		plus(&sum, s.Cost)
	}
	for _, d := range r.Days {
		plus(&days, d.Cost)
	}
	for _, s := range r.Sessions {
		plus(&sessions, s.Cost)
	}
	for name, c := range map[string]Cost{"skills and the rest": sum, "days": days, "sessions": sessions} {
		if math.Abs(c.known()-r.Total.known()) > 1e-9 || c.Text != r.Total.Text || c.Work != r.Total.Work || c.Turns != r.Total.Turns || c.Unpriced != r.Total.Unpriced {
			t.Errorf("%s: $%.9f, %+v; in total $%.9f, %+v", name, c.known(), c, r.Total.known(), r.Total)
		}
	}
}

// TestRecorded reads what agents wrote down, cut to what is read; its texts are replaced by others of the same length.
func TestRecorded(t *testing.T) {
	homes, err := filepath.Glob("testdata/*/*/want.json")
	if err != nil || len(homes) == 0 {
		t.Fatal("no recordings")
	}
	for _, file := range homes {
		t.Run(filepath.ToSlash(filepath.Dir(file)), func(t *testing.T) {
			h := at(t, filepath.Dir(file))
			h.Env = append(h.Env, "CLAUDE_CONFIG_DIR="+h.Home)
			r := read(t, h, Options{})
			got, err := json.MarshalIndent(r, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, '\n')
			if *update {
				if err := os.WriteFile(file, got, 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", file, diff)
			}
		})
	}
}
