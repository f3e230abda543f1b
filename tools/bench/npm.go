package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// launchers measures the cost of starting skillhand through npm's launcher instead of directly.
func (b *bench) launchers(binary, dir string) error {
	if _, err := exec.LookPath("node"); err != nil {
		fmt.Printf("npm's launcher: not measured: %v\n", err)
		return nil
	}
	arch := map[string]string{"amd64": "x64"}[runtime.GOARCH]
	if arch == "" {
		arch = runtime.GOARCH
	}
	modules := filepath.Join(dir, "npm", "node_modules")
	if err := os.CopyFS(filepath.Join(modules, "skillhand"), os.DirFS("npm")); err != nil {
		return err
	}
	platform := filepath.Join(modules, "@skillhand", runtime.GOOS+"-"+arch)
	if err := os.MkdirAll(filepath.Join(platform, "bin"), 0o777); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(platform, "package.json"), []byte("{}"), 0o666); err != nil {
		return err
	}
	if err := os.Symlink(binary, filepath.Join(platform, "bin", "skillhand")); err != nil {
		return err
	}
	t := b.medians(20, []string{"node", filepath.Join(modules, "skillhand", "bin", "skillhand.cjs"), "version"},
		[]string{binary, "version"}, []string{"node", "-e", "0"})
	cost("version by npm's launcher / the program itself", t[0], t[1], fmt.Sprintf("one start of Node, which is %s", short(t[2])))
	return b.err
}
