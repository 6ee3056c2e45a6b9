package cachedir

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	// unused is how long a file stays without being used.
	unused = 30 * 24 * time.Hour

	// between is the time between two touches of a file that is in use.
	between = 24 * time.Hour

	// inUse is how long ago a file was touched that may be in use, at most.
	inUse = 2 * between

	// abandoned is how old a scratch directory is in which nobody works any
	// more.
	abandoned = 24 * time.Hour

	// enough is how many bytes all files have before some are removed that are
	// younger.
	enough = 4 << 30
)

// file is one that may be removed.
type file struct {
	path    string
	size    int64
	touched time.Time
}

// Sweep removes what is not used any more: files below dir that were not
// touched for a month; if the rest has more than 4 GiB, those first that were
// not touched for longest, but none that was touched in the last two days; and
// directories that are a day old and whose names begin with scratch. It is
// housekeeping: what cannot be removed stays.
func Sweep(dir, scratch string) {
	var old []file
	bytes := int64(0)
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return nil
		}
		age := time.Since(info.ModTime())
		switch {
		case d.IsDir() && strings.HasPrefix(d.Name(), scratch):
			if age > abandoned {
				_ = os.RemoveAll(path)
			}
			return fs.SkipDir
		case d.IsDir():
		case age > unused:
			_ = os.Remove(path)
		default:
			bytes += info.Size()
			if age > inUse {
				old = append(old, file{path, info.Size(), info.ModTime()})
			}
		}
		return nil
	})
	trim(old, bytes-enough)
}

// trim removes files until so many bytes are gone, those first that were not
// touched for longest.
func trim(files []file, bytes int64) {
	slices.SortFunc(files, func(a, b file) int { return a.touched.Compare(b.touched) })
	for _, f := range files {
		if bytes <= 0 {
			return
		}
		if os.Remove(f.path) == nil {
			bytes -= f.size
		}
	}
}

// Touch notes that files are in use, so that Sweep does not remove them. Once a
// day is enough.
func Touch(paths ...string) {
	now := time.Now()
	for _, p := range paths {
		if info, err := os.Stat(p); err == nil && now.Sub(info.ModTime()) > between {
			_ = os.Chtimes(p, now, now)
		}
	}
}

// Trim removes files from dir, those first that were not touched for longest,
// until the rest has so many bytes at most; directories stay. It is
// housekeeping: what cannot be removed stays, and counts.
func Trim(dir string, most int64) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	var files []file
	bytes := int64(0)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			files = append(files, file{filepath.Join(dir, e.Name()), info.Size(), info.ModTime()})
			bytes += info.Size()
		}
	}
	trim(files, bytes-most)
}
