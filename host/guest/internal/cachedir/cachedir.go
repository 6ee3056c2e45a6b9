// Package cachedir has the directories in which built and compiled modules,
// and what belongs to them, are kept from one process to the next: it makes
// them, puts files into them, and removes what nobody uses.
package cachedir

import (
	"fmt"
	"os"
	"path/filepath"
)

// Make makes dir, or if that is "" the directory wasmill/NAME in the user's
// cache directory, and returns its path. It is made with mode 0700 and refused
// if it belongs to somebody else or others may write to it, for what is in it
// is run.
func Make(dir, name string) (string, error) {
	if dir == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("no cache directory for %s: %w; set HOME or XDG_CACHE_HOME", name, err)
		}
		dir = filepath.Join(user, "wasmill", name)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("making the cache directory for %s: %w; set XDG_CACHE_HOME to a place that can be written to", name, err)
	}
	info, err := os.Stat(dir)
	if err != nil {
		return "", fmt.Errorf("the cache directory for %s: %w", name, err)
	}
	if mode := info.Mode().Perm(); mode&0o022 != 0 {
		return "", fmt.Errorf("others may write to %s (mode %o), and what is in it is run: chmod go-w %s", dir, mode, dir)
	}
	if foreign(info) {
		return "", fmt.Errorf("%s belongs to another user, and what is in it is run: set XDG_CACHE_HOME to a directory of your own", dir)
	}
	return dir, nil
}
