package guest_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/wasmill/wasmill/host/guest"
	"github.com/wasmill/wasmill/host/guest/corpus"
)

func TestRunProgram_RunsToTheEnd(t *testing.T) {
	ctx := context.Background()
	e, _ := parked(t, guest.EngineOptions{})
	var out, log bytes.Buffer
	code, err := e.RunProgram(ctx, corpus.Python(t), "python", guest.Program{
		Args:   []string{"python", "-I", "-c", "import os, sys\nprint(input().upper(), open('/app/a').read(), os.environ['E'])\nprint('oh', file=sys.stderr)\nsys.exit(4)"},
		Env:    []string{"E=v"},
		Files:  fstest.MapFS{"a": {Data: []byte("file")}},
		Stdin:  strings.NewReader("line\n"),
		Stdout: &out, Stderr: &log,
	})
	if code != 4 || err != nil || out.String() != "LINE file v\n" || log.String() != "oh\n" {
		t.Errorf("code %d, error %v, output %q, log %q", code, err, &out, &log)
	}
	_, err = e.RunProgram(ctx, corpus.Python(t), "python", guest.Program{Args: []string{"python", "-I", "-c", "while True: pass"}, Time: 500 * time.Millisecond})
	var trap *guest.Trap
	if !errors.As(err, &trap) || trap.Kind != guest.TrapTimeout {
		t.Errorf("a loop: %v", err)
	}
}
