package host_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/wasmill/wasmill/host"
	"github.com/wasmill/wasmill/host/guest/wasmtest"
	"github.com/wasmill/wasmill/host/task"
)

const multiplyJob = `
job: multiply
sources:
  docs:
    walk: {root: ./in, compression: none}
steps:
  a: {from: docs, wasm: ./multiply.wasm}
  b: {from: a, wasm: ./multiply.wasm}
sinks:
  out:
    from: b
    file: {path: ./out, format: lines}
limits: {batch: {records: 1}}
`

// Each call stays below what it may emit, but each record of it is a call of
// the next step: the run ends before the memory of the process does.
func TestSandbox_ABatchThatTurnsIntoTooMuchEndsTheRun(t *testing.T) {
	f := newFixture(t)
	f.write("job.yaml", multiplyJob)
	f.write("multiply.wasm", string(wasmtest.Multiply(1000)))
	f.write("in/f", strings.Repeat("x", 10_000)+"\n")
	j, err := host.Open(t.Context(), f.options())
	if err != nil {
		t.Fatal(err)
	}
	_, err = j.Run(t.Context())
	if e := j.Close(); e != nil {
		t.Error(e)
	}
	var m *task.ModuleFailure
	if !errors.As(err, &m) || m.Step != "b" || !strings.Contains(m.Error(), "the steps turned one batch into more than 512 MiB") {
		t.Errorf("error %v", err)
	}
}

// What is deleted is held until it is in the store, as is what is put.
func TestSandbox_DeletionsWithoutEndAreRefused(t *testing.T) {
	f := newFixture(t)
	f.write("job.yaml", countJobWith("{dead_letter: rejects}"))
	f.write("count.wasm", string(wasmtest.DeleteForever()))
	f.write("in/f", `{"k":"a"}`+"\n")
	out, s := status(t, f.options("limits.record=1m"))
	checkCounts(t, out, 1, 0, 1, 0)
	if s.TrapsBy["trap"] == 0 || len(s.TrapsBy) > 1 {
		t.Errorf("traps %v: its deletions went on until its time was over", s.TrapsBy)
	}
}
