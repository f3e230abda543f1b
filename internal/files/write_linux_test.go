package files

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// TestReadOnly: a file that may not be written stays as it is, though its folder would let it be
// replaced. Root may write all files, so the test then runs again as somebody else.
func TestReadOnly(t *testing.T) {
	dir := os.Getenv("ATOMICFILE_DIR")
	if dir == "" {
		dir = t.TempDir()
		file := filepath.Join(dir, "file")
		if err := errors.Join(os.WriteFile(file, []byte("old"), 0o444), os.Chmod(dir, 0o777), os.Chmod(filepath.Dir(dir), 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	if os.Geteuid() == 0 {
		again := exec.Command("/proc/self/exe", "-test.run=^TestReadOnly$")
		again.Dir, again.Env = "/", append(os.Environ(), "ATOMICFILE_DIR="+dir)
		again.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		if out, err := again.CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
		return
	}
	file := filepath.Join(dir, "file")
	if err := Write(file, []byte("new"), 0o644); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("the error is %v, want that it is not permitted", err)
	}
	if text, err := os.ReadFile(file); string(text) != "old" {
		t.Errorf("the file is %q, %v", text, err)
	}
}

// TestOwner: a file stays its owner's. Only root can make one that is another's, so others see it with their own.
func TestOwner(t *testing.T) {
	user, group := os.Getuid(), os.Getgid()
	if user == 0 {
		user, group = 65534, 65534
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := errors.Join(os.WriteFile(file, []byte("old"), 0o640), os.Chown(file, user, group),
		Write(file, []byte("new"), 0o644)); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if owner := info.Sys().(*syscall.Stat_t); int(owner.Uid) != user || int(owner.Gid) != group || info.Mode().Perm() != 0o640 {
		t.Errorf("owner %d, group %d, mode %v", owner.Uid, owner.Gid, info.Mode())
	}
}
