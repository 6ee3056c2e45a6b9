package compile

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
	// unused is how long a compiled module stays without being used.
	unused = 30 * 24 * time.Hour

	// abandoned is how old a directory is in which nobody compiles any more.
	abandoned = 24 * time.Hour

	// compiling begins the names of the directories in which children work.
	compiling = "compiling-"
)

// sweep removes from root what is not used any more. It is housekeeping: what
// cannot be removed stays.
func sweep(root string) {
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return nil
		}
		age := time.Since(info.ModTime())
		switch {
		case d.IsDir() && strings.HasPrefix(d.Name(), compiling):
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

// Touch notes that files below the cache are in use, so that Open does not
// remove them. Once a day is enough.
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
