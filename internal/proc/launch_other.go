//go:build !unix

package proc

import "syscall"

func launched() *syscall.SysProcAttr { return nil }
