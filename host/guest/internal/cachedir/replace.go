package cachedir

import (
	"errors"
	"os"
	"path/filepath"
)

// Replace makes a file of mode 0600 that has what fill writes, and puts it in
// the place of the one at path as a whole: who opens path sees the old one or
// the new one. The directory is made if it is missing, since somebody may have
// emptied the cache. fill must not close the file.
func Replace(path string, fill func(*os.File) error) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".new-")
	if err != nil {
		return err
	}
	if err = errors.Join(fill(f), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}
