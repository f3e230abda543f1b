//go:build !unix

package skill

import "errors"

func mkfifo(string) error { return errors.ErrUnsupported }
