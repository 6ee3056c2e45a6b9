package out

import (
	"context"
	"errors"
	"path/filepath"
)

// errFound ends the walk at the first file.
var errFound = errors.New("found")

// Found implements plugins.Finder.
func (s *Sink) Found(ctx context.Context) (path string, err error) {
	err = s.each(ctx, func(_ name, at string, _ int64) error {
		path = filepath.Join(s.o.Path, filepath.FromSlash(at))
		return errFound
	})
	if errors.Is(err, errFound) {
		err = nil
	}
	return path, err
}
