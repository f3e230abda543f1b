package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// migrates measures a thousand scripts of about two hundred lines, compared to bash, which only
// checks their syntax.
func (b *bench) migrates(binary, dir string) error {
	const scripts = 1000
	body := `log() { echo "[$(date)] $1"; }
step() {
  local name=$1
  if out=$(ls "$name" 2>&1); then echo "Created: $name"; else echo "Error: $out"; return 1; fi
}
for f in a b c; do
  step "$f" || log "FAILED $f"
  printf '%s\n' "$f" | sort > "$f.txt"
done
`
	folder := filepath.Join(dir, "scripts")
	if err := os.Mkdir(folder, 0o777); err != nil {
		return err
	}
	var files []string
	for i := range scripts {
		file := filepath.Join(folder, fmt.Sprintf("s%d.sh", i))
		text := "#!/bin/bash\nset -euo pipefail\ntrap 'rm -f tmp' EXIT\n" + strings.Repeat(body, 20) + fmt.Sprintf("exit %d\n", i%3)
		if err := os.WriteFile(file, []byte(text), 0o777); err != nil {
			return err
		}
		files = append(files, file)
	}
	began := time.Now()
	for _, file := range files {
		if err := exec.Command("bash", "-n", file).Run(); err != nil {
			return fmt.Errorf("bash -n %s: %w", file, err)
		}
	}
	peer := time.Since(began)
	began = time.Now()
	cmd := exec.Command(binary, "migrate", "--no-backup", folder)
	cmd.Env = b.env
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("migrate: %w\n%s", err, out)
	}
	took := time.Since(began)
	cost("migrate 1,000 scripts / bash -n on each", took, peer, "a few seconds")
	return nil
}
