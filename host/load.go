package host

import (
	"errors"

	"github.com/wasmill/wasmill/abi"
	"github.com/wasmill/wasmill/host/guest"
	"github.com/wasmill/wasmill/host/jobspec"
	"github.com/wasmill/wasmill/plugins"
)

// The version of the interface between host and guest in this build.
const (
	ABIVersion = abi.Version
	ABIMinor   = abi.Minor
)

// Load reads a job file. An error is a jobspec.Faults or a *FileError.
func Load(file string, reg *plugins.Registry, o jobspec.Overrides) (*jobspec.Spec, error) {
	if o.CPUs < 1 {
		o.CPUs = guest.CPUs() // GOMAXPROCS has changed when an engine has been here
	}
	spec, err := jobspec.Load(file, reg, o)
	var faults jobspec.Faults
	if err != nil && !errors.As(err, &faults) {
		err = &FileError{err}
	}
	return spec, err
}
