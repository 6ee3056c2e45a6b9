package main

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/wasmill/wasmill/host"
	"github.com/wasmill/wasmill/host/epoch"
	"github.com/wasmill/wasmill/host/guest"
	"github.com/wasmill/wasmill/host/jobspec"
	"github.com/wasmill/wasmill/host/task"
	"github.com/wasmill/wasmill/plugins"
)

func TestExitCode(t *testing.T) {
	tests := []struct {
		err  error
		want int
	}{
		{nil, 0},
		{errors.New("anything else"), 1},
		{host.ErrPartial, 1},
		{&task.ModuleFailure{InARow: 10, Err: &guest.Trap{Kind: guest.TrapCode}}, 1},
		{&plugins.Error{Class: plugins.Exhausted, Err: errors.New("no space")}, 1},
		{context.Canceled, 1},
		{jobspec.Faults{{}}, 2},
		{&host.FileError{Err: errors.New("no such file")}, 2},
		{&host.ModuleError{Err: errors.New("does not build")}, 2},
		{&epoch.ChangedError{}, 2},
		{host.ErrLocked, 2},
		{&plugins.Error{Class: plugins.Unreachable, Err: errors.New("connection refused")}, 3},
		{errInterrupted, 130},
		{errors.Join(errInterrupted, errors.New("close failed")), 130},
	}
	for _, tt := range tests {
		err := tt.err
		if err != nil {
			err = fmt.Errorf("job j: %w", err)
		}
		if got := exitCode(err); got != tt.want {
			t.Errorf("%v: exit code %d, want %d", tt.err, got, tt.want)
		}
	}
}
