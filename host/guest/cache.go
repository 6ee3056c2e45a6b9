package guest

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/tetratelabs/wazero"

	"github.com/wasmill/wasmill/host/guest/internal/cachedir"
)

// keepCompiled is how long a compiled module stays on disk. One that is still
// in use is compiled again then, which is a second in a month.
const keepCompiled = 30 * 24 * time.Hour

// openCache opens the directory of compiled modules, by default the user's.
func (e *Engine) openCache(dir string) error {
	dir, err := cachedir.Make(dir, "modules")
	if err != nil {
		return fmt.Errorf("guest: %w", err)
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
