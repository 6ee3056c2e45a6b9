package host

import (
	"errors"

	"github.com/wasmill/wasmill/host/jobspec"
	"github.com/wasmill/wasmill/plugins"
)

// FileError says that a job file cannot be read at all; what is wrong in one
// that can is a jobspec.Faults.
type FileError struct{ Err error }

func (e *FileError) Error() string { return e.Err.Error() }
func (e *FileError) Unwrap() error { return e.Err }

// Load reads a job file. An error is a jobspec.Faults or a *FileError.
func Load(file string, reg *plugins.Registry, o jobspec.Overrides) (*jobspec.Spec, error) {
	spec, err := jobspec.Load(file, reg, o)
	var faults jobspec.Faults
	if err != nil && !errors.As(err, &faults) {
		err = &FileError{err}
	}
	return spec, err
}
