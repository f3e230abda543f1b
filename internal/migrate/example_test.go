package migrate_test

import (
	"errors"
	"fmt"

	"github.com/skillhand/skillhand/internal/migrate"
)

func ExampleScript() {
	_, err := migrate.Script("deploy.sh", []byte("#!/bin/bash\necho deploying\nexec ./deploy\n"), migrate.Options{})
	if left, ok := errors.AsType[*migrate.LeftAloneError](err); ok {
		fmt.Println(left)
	}
	// Output: deploy.sh:3: exec replaces the script, and nothing is left to print the report
}
