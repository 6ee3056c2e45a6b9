package guest

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/tetratelabs/wazero"
)

// keepCompiled is how long a compiled module stays on disk. One that is still
// in use is compiled again then, which is a second in a month.
const keepCompiled = 30 * 24 * time.Hour

// openCache opens the directory of compiled modules, by default the user's.
func (e *Engine) openCache(dir string) error {
	if dir == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return fmt.Errorf("guest: no directory for compiled modules: %w; set HOME or XDG_CACHE_HOME", err)
		}
		dir = filepath.Join(user, "wasmill", "modules")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("guest: making the directory for compiled modules: %w", err)
	}
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("guest: the directory for compiled modules: %w", err)
	}
	if mode := info.Mode().Perm(); mode&0o022 != 0 {
		return fmt.Errorf("guest: others may write to %s (mode %o), and what is in it is run: chmod go-w %s", dir, mode, dir)
	}
	e.dir = dir
	removeFiles(dir, keepCompiled)
	if e.cache, err = wazero.NewCompilationCacheWithDir(dir); err != nil {
		return fmt.Errorf("guest: opening the directory for compiled modules: %w", err)
	}
	return nil
}

// dropDamaged empties the directory if err says that a compiled module in it
// cannot be read. Which one it was is not known, and all can be made again.
func (e *Engine) dropDamaged(err error) bool {
	if e.cache == nil || !strings.Contains(err.Error(), "compilationcache: ") {
		return false
	}
	e.log.Warn("the compiled modules are made again, because one is damaged", "directory", e.dir, "error", err)
	removeFiles(e.dir, 0)
	return true
}

// removeFiles removes the files below dir that are older than age. It is
// housekeeping: what cannot be removed stays.
func removeFiles(dir string, age time.Duration) {
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		if info, err := d.Info(); err == nil && time.Since(info.ModTime()) >= age {
			_ = os.Remove(path)
		}
		return nil
	})
}
