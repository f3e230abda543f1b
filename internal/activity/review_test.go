package activity

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/skillhand/skillhand/internal/test"
)

// TestReview reviews the records of each case as the store reads them.
func TestReview(t *testing.T) {
	test.Cases(t, "testdata/review/*.txtar", func(t *testing.T, c test.Case) map[string]string {
		s := Store{Dir: t.TempDir()}
		if err := os.WriteFile(filepath.Join(s.Dir, "current.jsonl"), []byte(c.Files["records"]), 0o600); err != nil {
			t.Fatal(err)
		}
		since, until := time.Date(2026, 11, 8, 0, 0, 0, 0, time.UTC), time.Date(2026, 11, 15, 0, 0, 0, 0, time.UTC)
		v, err := NewReview(s, Query{Since: since}, until)
		if err != nil {
			t.Fatal(err)
		}
		found, err := s.Read(Query{Since: since})
		if err != nil || found.Damaged > 0 {
			t.Fatalf("%d damaged, %v", found.Damaged, err)
		}
		if diff := cmp.Diff(v, ReviewOf(found.Records, since, until)); diff != "" {
			t.Errorf("NewReview and ReviewOf differ:\n%s", diff)
		}
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		if err := enc.Encode(v); err != nil {
			t.Fatal(err)
		}
		return map[string]string{"want": b.String()}
	})
}
