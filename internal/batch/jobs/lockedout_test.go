package jobs

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/skillhand/skillhand/internal/batch"
	"github.com/skillhand/skillhand/internal/here"
)

func TestLockedOut(t *testing.T) {
	t.Parallel()
	auth := errors.New("not logged in")
	tests := []struct {
		why  batch.Stop
		env  here.Env
		goos string
		want string // what is added
	}{
		{batch.Credentials, nil, "linux", "CLAUDE_CODE_OAUTH_TOKEN (claude setup-token makes one)"},
		{batch.Credentials, nil, "darwin", "a login in the keychain is not found"},
		{batch.Credentials, here.Env{"ANTHROPIC_API_KEY=x"}, "darwin", ""},
		{batch.Limit, nil, "darwin", ""},
	}
	for _, tt := range tests {
		got := LockedOut(auth, tt.why, tt.env, tt.goos)
		if tt.want == "" && got != auth || tt.want != "" && !strings.Contains(got.Error(), tt.want) || !errors.Is(got, auth) {
			t.Errorf("%v on %s with %v: %v", tt.why, tt.goos, tt.env, got)
		}
		if strings.Contains(fmt.Sprint(got), "keychain") != (tt.goos == "darwin" && tt.want != "") {
			t.Errorf("%s: %v", tt.goos, got)
		}
	}
}
