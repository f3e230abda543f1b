package setup_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/skillhand/skillhand/internal/setup"
)

func TestOf(t *testing.T) {
	goBin := []string{"/home/ada/go/bin"}
	for _, tt := range []struct {
		program, version string
		want             setup.Origin
	}{
		{"/usr/lib/node_modules/skillhand/node_modules/@skillhand/linux-x64/bin/skillhand", "v1.2.3", setup.NPMGlobal},
		{`C:\Users\Ada\AppData\Roaming\npm\node_modules\skillhand\node_modules\@skillhand\win32-x64\bin\skillhand.exe`,
			"v1.2.3", setup.NPMGlobal},
		{"/home/ada/project/node_modules/@skillhand/linux-arm64/bin/skillhand", "v1.2.3", setup.NPM},
		{"/opt/homebrew/Cellar/skillhand/1.2.3/bin/skillhand", "v1.2.3", setup.Homebrew},
		{`C:\Users\Ada\scoop\apps\skillhand\1.2.3\skillhand.exe`, "v1.2.3", setup.Scoop},
		{`C:\Users\Ada\AppData\Local\Microsoft\WinGet\Packages\Skillhand.Skillhand_x\skillhand.exe`, "v1.2.3", setup.Winget},
		{"/home/ada/go/bin/skillhand", "v1.2.3", setup.Go},
		{"/usr/local/bin/skillhand", "v1.2.3", setup.Archive},
		{"/usr/local/bin/skillhand", "v1.2.3-rc.1", setup.Archive},
		{"/home/ada/skillhand/bin/skillhand", "v1.2.3-4-g43ee297-dirty", setup.Source},
		{"/home/ada/skillhand/bin/skillhand", "(devel)", setup.Source},
	} {
		if got := setup.OriginOf(tt.program, tt.version, goBin); got != tt.want {
			t.Errorf("Of(%q, %q) = %v, want %v", tt.program, tt.version, got, tt.want)
		}
	}
	for _, o := range []setup.Origin{setup.NPM, setup.NPMGlobal, setup.Homebrew, setup.Scoop, setup.Winget, setup.Go, setup.Source} {
		if o.Upgrade() == "" {
			t.Errorf("%s: no command upgrades it", o)
		}
	}
	getenv := func(string) string { return "" }
	for program, want := range map[string]string{
		"/opt/skillhand/skillhand":                           "unpack a newer one into /opt/skillhand: https://github.com/skillhand/skillhand/releases\n",
		"/opt/homebrew/Cellar/skillhand/1.2.3/bin/skillhand": "from homebrew. To upgrade it: brew upgrade skillhand\n",
	} {
		if got := setup.CopyOf(filepath.FromSlash(program), "v1.2.3", getenv).String(); !strings.HasSuffix(filepath.ToSlash(got), want) {
			t.Errorf("%s: %q, want %q", program, got, want)
		}
	}
}
