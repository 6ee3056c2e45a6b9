package wasi

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
)

// What one call and one instance may use.
const (
	// MaxCall is the most bytes that one call moves: 1 MiB. Reads, writes and
	// listings are partial beyond it; random_get is refused.
	MaxCall = 1 << 20

	// MaxVector is the most buffers that one read or write names: IOV_MAX.
	MaxVector = 1024

	// MaxFiles is the most files that an instance has open, stdio included.
	MaxFiles = 64

	// MaxHeld is the most bytes that an instance makes the host hold of files
	// that cannot be read at an offset: 64 MiB.
	MaxHeld = 64 << 20

	// MaxSubscriptions is the most events that one poll_oneoff waits for.
	MaxSubscriptions = 64

	// MaxPath is the most bytes of a path: PATH_MAX.
	MaxPath = 4096
)

// Config is what an instance sees of its surroundings. In the zero value that
// is nothing.
type Config struct {
	Stdin  io.Reader // what fd 0 reads. Default: nothing
	Stdout io.Writer // gets what is written to fd 1, in pieces of one buffer. Default: dropped
	Stderr io.Writer // the same of fd 2

	// Wall is the wall clock: nanoseconds since 1970 of the batch, which
	// should advance with every call. ok is false while there is no batch:
	// then, as without Wall, the State's own clock is read, which starts in
	// 1970 and advances by Tick a read.
	Wall func() (ns int64, ok bool)

	// Random is where random bytes come from. Without it random_get answers
	// ENOSYS.
	Random io.Reader

	Args []string // of the program, its name first. At most 1 MiB in all
	Env  []string // pairs of the form NAME=value. At most 1 MiB in all

	// Files is a tree that the guest can read as the directory Dir, nil for
	// none. It must be the same wherever the guest runs, its times included,
	// and must not change. A file that is no io.ReaderAt is read whole when it
	// is first read, so embed.FS costs less than a zip. Symbolic links in it are never followed, as far as
	// the tree shows them (fs.ReadLinkFS).
	Files fs.FS
	Dir   string // where the guest finds the tree. Default: "/"
}

// State is what one instance has made of its surroundings: its open files and
// clocks. It belongs to the goroutine that runs the instance.
type State struct {
	config Config
	files  []*file // by file descriptor, nil where none is open
	held   int64   // bytes of files in memory
	clock  clock
}

// New returns the State of a fresh instance. It must be closed.
func New(c Config) (*State, error) {
	for _, list := range []struct {
		what   string
		values []string
	}{{"arguments", c.Args}, {"environment", c.Env}} {
		if err := checkStrings(list.values); err != nil {
			return nil, fmt.Errorf("wasi: %s: %w", list.what, err)
		}
	}
	s := &State{config: c, files: []*file{{kind: stdin}, {kind: stdout}, {kind: stderr}}}
	if c.Files != nil {
		info, err := fs.Stat(c.Files, ".")
		if err == nil && !info.IsDir() {
			err = errors.New("its root is not a directory")
		}
		if err != nil {
			return nil, fmt.Errorf("wasi: the tree of files: %w", err)
		}
		s.files = append(s.files, &file{kind: directory, name: ".", stat: statOf(".", info), preopen: true})
	}
	return s, nil
}

func checkStrings(values []string) error {
	size := 0
	for i, v := range values {
		if strings.IndexByte(v, 0) >= 0 {
			return fmt.Errorf("value %d holds a NUL byte, which ends a string for the guest", i)
		}
		size += len(v) + 1 + 4 // its address
	}
	if size > MaxCall {
		return fmt.Errorf("%d bytes are more than %d", size, MaxCall)
	}
	return nil
}

// Close closes the files that the guest left open. It may be called again.
// The State must not be used afterwards.
func (s *State) Close() error {
	var errs []error
	for _, f := range s.files {
		if f != nil {
			errs = append(errs, f.close(s))
		}
	}
	s.files = nil
	return errors.Join(errs...)
}
