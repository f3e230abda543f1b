package claude

import (
	"bytes"
	"context"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// FuzzStdout checks that the CLI's stdout is read the same however it is cut into pieces.
func FuzzStdout(f *testing.F) {
	f.Add([]byte(resultLine("")), uint8(7))
	f.Add([]byte(`{"type":"system","subtype":"init","session_id":"s","model":"m"}`+"\n"+
		`{"type":"assistant","message":{"model":"<synthetic>"},"error":"rate_limit"}`+"\n\n{\n"+resultLine(`,"x":[1]`)), uint8(3))
	f.Add([]byte("\xff\x00garbage\r\n"+`{"a":"\"","type" : "user","message":{"content":"<local-command-stderr>x"}}`), uint8(1))
	f.Add([]byte(`{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":1}}`), uint8(0))
	f.Fuzz(func(t *testing.T, text []byte, size uint8) {
		var want record
		for line := range bytes.SplitSeq(text, []byte("\n")) {
			want.line(line, nil)
		}
		out := newStdout(context.Background(), nil, 0, nil)
		for rest := text; len(rest) > 0; {
			n := min(int(size)+1, len(rest))
			if _, err := out.Write(rest[:n]); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		if got := out.finish(); !reflect.DeepEqual(*got, want) {
			t.Errorf("in pieces of %d: %+v, whole: %+v", int(size)+1, *got, want)
		}
		if a, failure := verdict(context.Background(), &want, ending{}, nil); failure == nil &&
			(want.result == nil || a.text != want.result.Text) {
			t.Errorf("success without a result: %+v", want)
		} else if failure != nil && kinds[failure.Kind].category != failure.Category {
			t.Errorf("failure: %+v", failure)
		}
	})
}

// FuzzExtract checks that the text found in an answer is JSON, and is in the answer.
func FuzzExtract(f *testing.F) {
	for _, text := range []string{"```json\n{}\n```", "~~~\n[1]\n~~~\n```\n2", "{\"a\":1}", "````\n```\n1\n````", "\ufeff 1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var none *schema
		found, err := none.find(context.Background(), &result{Text: text})
		if err != nil || found != nil && (!json.Valid(found) || !strings.Contains(text, string(found))) {
			t.Errorf("%q, %v in %q", found, err, text)
		}
	})
}
