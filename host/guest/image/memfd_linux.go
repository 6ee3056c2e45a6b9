package image

import (
	"os"

	"golang.org/x/sys/unix"
)

// scratch returns a file without a name, which lives in memory.
func scratch() (*os.File, error) {
	fd, err := unix.MemfdCreate("wasmill-image", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return temporary()
	}
	return os.NewFile(uintptr(fd), "wasmill-image"), nil
}

// seal keeps a scratch file as it is. A temporary file cannot be sealed, but
// nobody can open it.
func seal(f *os.File) {
	_, _ = unix.FcntlInt(f.Fd(), unix.F_ADD_SEALS, unix.F_SEAL_WRITE|unix.F_SEAL_GROW|unix.F_SEAL_SHRINK|unix.F_SEAL_SEAL)
}
