package migrate_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/skillhand/skillhand/internal/migrate"
)

// A dry run says what would happen to the files of a tree.
func ExampleMigration_Run() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	script := filepath.Join(dir, "execute.sh")
	if err := os.WriteFile(script, []byte("#!/bin/bash\necho SUCCESS\n"), 0o755); err != nil {
		fmt.Println(err)
		return
	}
	done, err := migrate.Migration{DryRun: true}.Run(context.Background(), []string{script})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range done.Files {
		fmt.Println(filepath.Base(f.Path), f.Status)
	}
	// Output:
	// execute.sh changed
	// skillhand-report.bash changed
}
