//go:build !linux

package compile

import (
	"os"
	"syscall"
)

// self returns the command that starts this binary again.
func self() []string {
	path, err := os.Executable()
	if err != nil {
		path = os.Args[0]
	}
	return []string{path}
}

// Only Linux ends a child with its parent and limits its memory.
func childAttributes() *syscall.SysProcAttr { return nil }

func limitSelf(_, _ uint64) error { return nil }
