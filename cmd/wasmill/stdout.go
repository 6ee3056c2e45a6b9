package main

import (
	"errors"
	"io"
	"sync"
	"syscall"

	"github.com/wasmill/wasmill/host/jobspec"
)

// errReaderGone says that whoever read standard output has closed it.
var errReaderGone = errors.New("standard output is closed")

// recordOutput is the standard output that sinks print to. When its reader
// is gone, as behind `| head -1`, the run is stopped: what cannot be printed
// stays in the checkpoint for the next run.
type recordOutput struct {
	w      io.Writer
	broken func() // called once
	once   sync.Once
}

func (o *recordOutput) Write(p []byte) (int, error) {
	n, err := o.w.Write(p)
	if errors.Is(err, syscall.EPIPE) {
		o.once.Do(o.broken)
	}
	return n, err
}

// printsRecords tells whether the job has a sink that prints.
func printsRecords(spec *jobspec.Spec) bool {
	for _, s := range spec.Sinks {
		if s.Kind.Name == "stdout" {
			return true
		}
	}
	return false
}
