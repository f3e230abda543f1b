package origin_test

import (
	"testing"

	"github.com/skillhand/skillhand/internal/setup/origin"
)

func TestOf(t *testing.T) {
	goBin := []string{"/home/ada/go/bin"}
	for _, tt := range []struct {
		program, version string
		want             origin.Origin
	}{
		{"/usr/lib/node_modules/skillhand/node_modules/@skillhand/linux-x64/bin/skillhand", "v1.2.3", origin.NPMGlobal},
		{`C:\Users\Ada\AppData\Roaming\npm\node_modules\skillhand\node_modules\@skillhand\win32-x64\bin\skillhand.exe`, "v1.2.3", origin.NPMGlobal},
		{"/home/ada/project/node_modules/@skillhand/linux-arm64/bin/skillhand", "v1.2.3", origin.NPM},
		{"/opt/homebrew/Cellar/skillhand/1.2.3/bin/skillhand", "v1.2.3", origin.Homebrew},
		{`C:\Users\Ada\scoop\apps\skillhand\1.2.3\skillhand.exe`, "v1.2.3", origin.Scoop},
		{`C:\Users\Ada\AppData\Local\Microsoft\WinGet\Packages\Skillhand.Skillhand_x\skillhand.exe`, "v1.2.3", origin.Winget},
		{"/home/ada/go/bin/skillhand", "v1.2.3", origin.Go},
		{"/usr/local/bin/skillhand", "v1.2.3", origin.Archive},
		{"/usr/local/bin/skillhand", "v1.2.3-rc.1", origin.Archive},
		{"/home/ada/skillhand/bin/skillhand", "v1.2.3-4-g43ee297-dirty", origin.Source},
		{"/home/ada/skillhand/bin/skillhand", "(devel)", origin.Source},
	} {
		if got := origin.Of(tt.program, tt.version, goBin); got != tt.want {
			t.Errorf("Of(%q, %q) = %v, want %v", tt.program, tt.version, got, tt.want)
		}
	}
	for _, o := range []origin.Origin{origin.NPM, origin.NPMGlobal, origin.Homebrew, origin.Scoop, origin.Winget, origin.Go, origin.Source} {
		if o.Upgrade() == "" {
			t.Errorf("%s: no command upgrades it", o)
		}
	}
	if origin.Archive.Upgrade() != "" {
		t.Error("an archive's copy replaces itself")
	}
}
