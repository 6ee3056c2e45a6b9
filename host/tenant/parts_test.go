package tenant

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/wasmill/wasmill/host"
	"github.com/wasmill/wasmill/host/container"
	"github.com/wasmill/wasmill/host/epoch"
	"github.com/wasmill/wasmill/host/jobspec"
	"github.com/wasmill/wasmill/host/plan"
	"github.com/wasmill/wasmill/plugins"
)

func TestFailure_IsWhatItWas(t *testing.T) {
	for _, test := range []struct {
		err                                error
		refused, partial, canceled, locked bool
		class                              plugins.Class
		of                                 bool
	}{
		{err: errors.New("x")},
		{err: fmt.Errorf("x: %w", host.ErrPartial), partial: true},
		{err: fmt.Errorf("x: %w", context.Canceled), canceled: true},
		{err: fmt.Errorf("x: %w", host.ErrLocked), locked: true},
		{err: errors.Join(errors.New("x"), &plugins.Error{Class: plugins.Unreachable, Err: io.EOF}), class: plugins.Unreachable, of: true},
		{err: &host.ModuleError{Step: "s", Err: io.EOF}, refused: true},
		{err: &host.FileError{Err: io.EOF}, refused: true},
		{err: &host.OccupiedError{Sink: "s"}, refused: true},
		{err: fmt.Errorf("x: %w", &epoch.ChangedError{}), refused: true},
		{err: jobspec.Faults{{}}, refused: true},
	} {
		got := failure(test.err).err()
		if got.Error() != test.err.Error() {
			t.Errorf("%q became %q", test.err, got)
		}
		var refused *RefusedError
		var of *plugins.Error
		if errors.As(got, &refused) != test.refused || errors.Is(got, host.ErrPartial) != test.partial ||
			errors.Is(got, context.Canceled) != test.canceled || errors.Is(got, host.ErrLocked) != test.locked {
			t.Errorf("%q became something else", test.err)
		}
		if errors.As(got, &of) != test.of || test.of && of.Class != test.class {
			t.Errorf("%q: class %+v", test.err, of)
		}
	}
	if failure(nil).err() != nil {
		t.Error("no error became one")
	}
}

func TestRan_KeepsTheOutcome(t *testing.T) {
	want := container.Outcome{
		Finished: true, Stopped: true, Counts: epoch.Counts{Records: 3, Out: 2},
		Faults: [][]*plugins.Fault{nil, {{Kind: plugins.Vanished, Path: "p\xff", Err: errors.New("gone")}}},
	}
	r := ran(want, nil)
	got, err := r.outcome()
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
}

func TestStderr_TellsLinesFromCrashes(t *testing.T) {
	var said strings.Builder
	s := &stderr{w: &said}
	for _, part := range []string{"one\ntw", "o\n", "\n", "runtime: out of memory: cannot allocate\n", "fatal error: out", " of memory\n", "goroutine 1\n"} {
		if n, err := s.Write([]byte(part)); err != nil || n != len(part) {
			t.Fatal(n, err)
		}
	}
	if said.String() != "one\ntwo\n\n" {
		t.Errorf("said %q", said.String())
	}
	all, what := s.crashed()
	if what != "fatal error: out of memory" || !strings.HasPrefix(all, "runtime: out") || !strings.HasSuffix(all, "goroutine 1\n") {
		t.Errorf("%q, %q", all, what)
	}
	if d := diagnose("", nil, s, 1<<20); d.reason != "it needed more memory than its limit of 1 MiB allows" || d.dump != "" {
		t.Errorf("%+v", d)
	}
	if d := diagnose("killed", nil, s, 1<<20); d.reason != "killed" {
		t.Errorf("%+v", d)
	}
}

func TestStderr_IsBounded(t *testing.T) {
	var said strings.Builder
	s := &stderr{w: &said}
	long := strings.Repeat("x", 3*longestLine)
	for _, line := range []string{long, "panic: " + long} {
		if _, err := io.WriteString(s, line+"\n"+"short\n"); err != nil {
			t.Fatal(err)
		}
	}
	if n := said.Len(); n != longestLine+len("\nshort\n") {
		t.Errorf("%d bytes said", n)
	}
	if all, _ := s.crashed(); len(all) != longestCrash {
		t.Errorf("%d bytes of a crash", len(all))
	}
}

func TestNeed_CountsTheInstances(t *testing.T) {
	p := &plan.Plan{
		Spec: &jobspec.Spec{Steps: []jobspec.Step{{Wasm: "a"}, {}, {Wasm: "b"}}},
		Stages: []plan.Stage{
			{Tasks: 3, Steps: []plan.Step{{Spec: 0}, {Spec: 1}}},
			{Tasks: 2, Steps: []plan.Step{{Spec: 2}}},
		},
	}
	p.Spec.Limits.Memory = 64 << 20
	if got := need(p); got != 5*64<<20+512<<20 {
		t.Errorf("%d bytes", got)
	}
}
