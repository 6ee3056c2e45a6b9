//go:build unix

package cachedir

import (
	"io/fs"
	"os"
	"syscall"
)

// foreign reports whether a file belongs to another user.
func foreign(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) != os.Geteuid()
}
