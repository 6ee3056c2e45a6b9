package cachedir

import (
	"cmp"
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

	// abandoned is how old a scratch directory is in which nobody works any
	// more.
	abandoned = 24 * time.Hour
)

// Sweep removes what is not used any more: files below dir that were not
// touched for a month, and directories that are a day old and whose names begin
// with scratch. It is housekeeping: what cannot be removed stays.
func Sweep(dir, scratch string) {
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
		case !d.IsDir() && age > unused:
			_ = os.Remove(path)
		}
		return nil
	})
}

// Touch notes that files are in use, so that Sweep does not remove them. Once a
// day is enough.
func Touch(paths ...string) {
	now := time.Now()
	for _, p := range paths {
		if info, err := os.Stat(p); err == nil && now.Sub(info.ModTime()) > 24*time.Hour {
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
	var files []fs.FileInfo
	var bytes int64
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			files = append(files, info)
			bytes += info.Size()
		}
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int { return cmp.Compare(a.ModTime().UnixNano(), b.ModTime().UnixNano()) })
	for _, f := range files {
		if bytes <= most {
			return
		}
		if os.Remove(filepath.Join(dir, f.Name())) == nil {
			bytes -= f.Size()
		}
	}
}
