package host_test

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/wasmill/wasmill/abi"
	"github.com/wasmill/wasmill/host/container"
	"github.com/wasmill/wasmill/host/guest"
	"github.com/wasmill/wasmill/host/guest/wasmtest"
	"github.com/wasmill/wasmill/host/task"
	"github.com/wasmill/wasmill/plugins/plugintest"
)

const hostileJob = `
job: hostile
sources:
  docs:
    walk: {root: ./in, compression: none}
    tasks: 2
steps:
  guard:
    from: docs
    wasm: ./guard.wasm
sinks:
  out:
    from: guard
    file: {path: ./out, format: lines}
%s
on_error: {record: %s}
epoch: 10ms
limits: {memory: 1MiB, batch: {records: 16}}
`

// bad is the value on which the guests of this file do harm.
const bad = "bad record"

// on returns a guest that does code for the record bad and passes on the rest.
func on(code ...[]byte) []byte {
	return wasmtest.OnValue(bad, nil, func(wasmtest.Imports) []byte { return wasmtest.Code(code...) })
}

// malformed returns a guest that, at the record bad, overwrites an i32 of the
// frame, or of the record, and emits the whole frame.
func malformed(base byte, at uint32, value int32) []byte {
	return wasmtest.OnValue(bad, nil, func(im wasmtest.Imports) []byte {
		return wasmtest.Code(
			wasmtest.Get(base), wasmtest.Const(value), wasmtest.Store(at),
			wasmtest.Get(wasmtest.Ptr), wasmtest.Get(wasmtest.Len), wasmtest.Call(im.Emit), wasmtest.Drop,
			wasmtest.Const(0), wasmtest.Return,
		)
	})
}

// calling returns a guest that, at the record bad, makes a call that returns
// an i32 and looks away from it.
func calling(pick func(wasmtest.Imports) uint32, args ...int32) []byte {
	return wasmtest.OnValue(bad, nil, func(im wasmtest.Imports) []byte {
		var code []byte
		for _, a := range args {
			code = append(code, wasmtest.Const(a)...)
		}
		return wasmtest.Code(code, wasmtest.Call(pick(im)), wasmtest.Drop)
	})
}

// exiting exits with code at the record bad.
func exiting(code int32) []byte {
	var exit uint32
	return wasmtest.OnValue(bad, func(m *wasmtest.Module, _ wasmtest.Imports) {
		exit = m.Import("wasi_snapshot_preview1", "proc_exit", "i", "")
	}, func(wasmtest.Imports) []byte { return wasmtest.Code(wasmtest.Const(code), wasmtest.Call(exit)) })
}

// recursing calls itself without end at the record bad.
func recursing() []byte {
	const self = 4 // behind the imports of wasmtest.Step
	return wasmtest.OnValue(bad, func(m *wasmtest.Module, _ wasmtest.Imports) {
		m.Func("recurse", "i", "i", "", wasmtest.Get(0), wasmtest.Const(1), wasmtest.Add, wasmtest.Call(self))
	}, func(wasmtest.Imports) []byte {
		return wasmtest.Code(wasmtest.Const(0), wasmtest.Call(self), wasmtest.Drop)
	})
}

// growing grows its memory, page by page, until that fails.
func growing() []byte {
	return on(wasmtest.Loop, wasmtest.Const(1), wasmtest.MemoryGrow, wasmtest.Const(-1), wasmtest.Ne, wasmtest.BrIf(0), wasmtest.End, wasmtest.Unreachable)
}

// hostile is a guest with what is said of the record that it fails on.
type hostile struct {
	name, class string
	wasm        []byte
	says        string // regular expression
}

func hostiles() []hostile {
	const frame, rec = wasmtest.Ptr, wasmtest.RecordAt
	emit := func(im wasmtest.Imports) uint32 { return im.Emit }
	fail := func(im wasmtest.Imports) uint32 { return im.Fail }
	log := func(im wasmtest.Imports) uint32 { return im.Log }
	abi := string(guest.TrapABI)
	all := []hostile{
		{"traps", "trap", wasmtest.TrapOn(bad), `^trap in wasmill_process: unreachable$`},
		{"rejects", "rejected", wasmtest.FailOn(bad, "no good"), `^no good$`},
		{"refuses", "refused", on(wasmtest.Const(-22), wasmtest.Return), `^refused: the guest refused the batch with EINVAL$`},
		{"exits with 0", "exit", exiting(0), `^exit: the guest exited with code 0$`},
		{"exits with 3", "exit", exiting(3), `^exit: the guest exited with code 3$`},
		{"recurses without end", "trap", recursing(), `^trap in recurse: stack overflow$`},
		{"grows without end", "memory", growing(), `^memory in wasmill_process: unreachable \(its memory is at 1\.0 of 1\.0 MiB: raise limits\.memory or keep less\)$`},
		{"reads beyond its memory", "trap", on(wasmtest.Const(-8), wasmtest.Load(0), wasmtest.Drop), `^trap in wasmill_process: out of bounds memory access$`},
		{"divides by zero", "trap", on(wasmtest.Const(1), wasmtest.Const(0), wasmtest.DivU, wasmtest.Drop), `integer divide by zero$`},
		{"returns a positive status", abi, on(wasmtest.Const(1), wasmtest.Return), `^abi: it returned 1 for a batch`},
		{"emits from a bad address", abi, calling(emit, 0x7ffffff8, 64), `emit got 64 bytes at 0x7ffffff8, but the memory has`},
		{"emits a negative length", abi, calling(emit, 8, -1), `emit got 4294967295 bytes at 0x8, but the memory has`},
		{"rejects a record that is not there", abi, calling(fail, 1000, 1, 8, 0), `fail got record 1000 of a call with \d+`},
		{"rejects with a bad address", abi, calling(fail, 0, 1, -8, 64), `fail got 64 bytes at 0xfffffff8`},
		{"logs from a bad address", abi, calling(log, 1, -8, 64), `log got 64 bytes at 0xfffffff8`},
		{"frame: magic", abi, malformed(frame, 0, 1), `byte 0: magic is 0x1`},
		{"frame: version", abi, malformed(frame, 4, 0x10009), `byte 4: version is 9`},
		{"frame: kind", abi, malformed(frame, 4, 0x70001), `byte 6: kind is 7`},
		{"frame: count too big", abi, malformed(frame, 8, 1<<30), `byte 8: 1073741824 records do not fit`},
		{"frame: count too small", abi, malformed(frame, 8, 0), `bytes are left over after 0 records`},
		{"frame: size too big", abi, malformed(frame, 12, 1<<30), `byte 12: size is 1073741824`},
		{"frame: size too small", abi, malformed(frame, 12, 8), `byte 12: size is 8`},
		{"frame: name", abi, malformed(frame, 20, 1<<30), `byte 20: the partition's name of 1073741824 bytes does not fit`},
		{"frame: reserved", abi, malformed(frame, 24, 1), `byte 24: reserved bytes are 0x1`},
		{"record: size too small", abi, malformed(rec, 36, 8), `size is 8: not a multiple of 8 between 40`},
		{"record: size too big", abi, malformed(rec, 36, 1<<30), `size is 1073741824`},
		{"record: size not aligned", abi, malformed(rec, 36, 41), `size is 41: not a multiple of 8`},
		{"record: key", abi, malformed(rec, 24, 1<<30), `key of 1073741824 and value of \d+ bytes do not fit`},
		{"record: value", abi, malformed(rec, 28, 1<<30), `value of 1073741824 bytes do not fit`},
		{"record: headers", abi, malformed(rec, 32, 1<<30), `1073741824 headers do not fit`},
		{"record: cause", abi, malformed(rec, 16, 1000), `emit: cause 1000 of \d+ inputs`},
		{"record: output", abi, malformed(rec, 20, 9), `emit: output 9 of 1`},
	}
	if testing.Short() { // under -race a stack takes seconds to overflow
		all = slices.DeleteFunc(all, func(h hostile) bool { return h.name == "recurses without end" })
	}
	return all
}

// hostileInput is files with a bad record in the middle of the second one. It
// returns the good lines in order of their bytes, and where the bad one is.
func hostileInput(f *fixture) (good []string, position int) {
	for i := range 4 {
		var text strings.Builder
		for k := range 100 {
			if i == 1 && k == 37 {
				position = text.Len()
				text.WriteString(bad + "\n")
			}
			line := fmt.Sprintf("file %d line %d", i, k)
			good = append(good, line)
			text.WriteString(line + "\n")
		}
		f.write(fmt.Sprintf("in/f%d", i), text.String())
	}
	slices.Sort(good)
	return good, position
}

func hostileFixture(t testing.TB, wasm []byte, policy string) *fixture {
	f := newFixture(t)
	rejects := ""
	if strings.Contains(policy, "rejects") {
		rejects = "  rejects:\n    file: {path: ./rejects}"
	}
	f.write("job.yaml", fmt.Sprintf(hostileJob, rejects, policy))
	f.write("guard.wasm", string(wasm))
	return f
}

// checkCounts compares what all runs together say they did.
func checkCounts(t testing.TB, out container.Outcome, records, skipped, letters, sunk int) {
	t.Helper()
	c := out.Counts
	if c.Records != int64(records) || c.Skipped != int64(skipped) || c.DeadLetter != int64(letters) || c.Out != int64(sunk) {
		t.Errorf("counts %+v; want %d records, %d skipped, %d dead letters, %d out", c, records, skipped, letters, sunk)
	}
}

func TestHostile_Skip(t *testing.T) {
	for _, h := range hostiles() {
		t.Run(h.name, func(t *testing.T) {
			plugintest.NoLeak(t)
			f := hostileFixture(t, h.wasm, "skip")
			good, position := hostileInput(f)
			out, err := runJob(t.Context(), f.options())
			if err != nil || !out.Finished {
				t.Fatalf("%+v, %v", out, err)
			}
			checkCounts(t, out, len(good)+1, 1, 0, len(good))
			if got := f.lines("out"); !slices.Equal(got, good) {
				t.Errorf("%d lines came out, want the %d good ones", len(got), len(good))
			}
			_, line, _ := strings.Cut(f.log.String(), `msg="record skipped" `)
			line, _, _ = strings.Cut(line, "\n")
			for _, want := range []string{"step=guard", "module=" + guest.Digest(h.wasm), "class=" + h.class, "source=docs", "partition=f1", fmt.Sprint("position=", position)} {
				if !strings.Contains(line+" ", want+" ") {
					t.Errorf("the log does not say %s: %s", want, line)
				}
			}
		})
	}
}

func TestHostile_DeadLetter(t *testing.T) {
	for _, h := range hostiles() {
		t.Run(h.name, func(t *testing.T) {
			f := hostileFixture(t, h.wasm, "{dead_letter: rejects}")
			good, position := hostileInput(f)
			out, err := runJob(t.Context(), f.options())
			if err != nil || !out.Finished {
				t.Fatalf("%+v, %v", out, err)
			}
			checkCounts(t, out, len(good)+1, 0, 1, len(good))
			if got := f.lines("out"); !slices.Equal(got, good) {
				t.Errorf("%d lines came out, want the %d good ones", len(got), len(good))
			}
			letters := f.letters("rejects")
			if len(letters) != 1 || letters[0].Value != bad {
				t.Fatalf("dead letters %q", letters)
			}
			got := letters[0].Headers
			code := "0"
			if h.class == "rejected" {
				code = "7"
			}
			for name, want := range map[string]string{
				"job": "hostile", "step": "guard", "module": guest.Digest(h.wasm), "error-class": h.class, "error-code": code,
				"source": "docs", "partition": "f1", "position": fmt.Sprint(position), "aggregate": "",
			} {
				if got["wasmill-"+name] != want {
					t.Errorf("%s is %q, want %q", name, got["wasmill-"+name], want)
				}
			}
			if e := got["wasmill-error"]; !regexp.MustCompile(h.says).MatchString(e) {
				t.Errorf("the error is %q, want %s", e, h.says)
			}
		})
	}
}

// A run under fail commits what came before the record and names it; the next
// one begins with it, whatever its policy says by then.
func TestHostile_Fail(t *testing.T) {
	for _, h := range hostiles() {
		t.Run(h.name, func(t *testing.T) {
			plugintest.NoLeak(t)
			f := hostileFixture(t, h.wasm, "fail")
			good, position := hostileInput(f)
			var before []string
			for k := range 37 {
				before = append(before, fmt.Sprintf("file 1 line %d", k))
			}
			slices.Sort(before)
			for run := range 2 {
				out, err := runJob(t.Context(), f.options())
				var failed *task.RecordFailure
				if !errors.As(err, &failed) || out.Finished {
					t.Fatalf("run %d: %+v, %v", run, out, err)
				}
				start := fmt.Sprintf(`job hostile, step guard, module %.19s: source docs, partition "f1", position %d: %s`, guest.Digest(h.wasm), position, h.class)
				if !strings.HasPrefix(err.Error(), start) || failed.Module != guest.Digest(h.wasm) || !regexp.MustCompile(h.says).MatchString(failed.Reason.Text) {
					t.Fatalf("run %d: %v (module %s); want %s%s", run, err, failed.Module, start, h.says)
				}
				lines := f.lines("out")
				if u := slices.Compact(slices.Clone(lines)); len(u) != len(lines) {
					t.Errorf("run %d: %d lines came out, %d different ones", run, len(lines), len(u))
				}
				lines = slices.DeleteFunc(lines, func(l string) bool { return !strings.HasPrefix(l, "file 1 ") })
				if !slices.Equal(lines, before) {
					t.Errorf("run %d: %d lines of the file are out, want the %d before the record", run, len(lines), len(before))
				}
			}
			out, err := runJob(t.Context(), f.options("on_error.record=skip"))
			if err != nil || !out.Finished {
				t.Fatalf("%+v, %v", out, err)
			}
			checkCounts(t, out, len(good)+1, 1, 0, len(good))
			if got := f.lines("out"); !slices.Equal(got, good) {
				t.Errorf("%d lines came out, want the %d good ones", len(got), len(good))
			}
		})
	}
}

// Records that need more than wasmill_alloc has, or whose buffer is not where
// it says, fail alone.
func TestHostile_AllocWithoutRoom(t *testing.T) {
	for _, h := range []hostile{
		{"no room", "memory", wasmtest.AllocReturning(0, 20_000), `^memory: wasmill_alloc has no room for \d+ bytes$`},
		{"outside", "abi", wasmtest.AllocReturning(-8, 20_000), `^abi: wasmill_alloc\(\d+\) returned 0xfffffff8, but the memory has`},
		{"not aligned", "abi", wasmtest.AllocReturning(4097, 20_000), `0x1001, which is not a multiple of 8$`},
	} {
		t.Run(h.name, func(t *testing.T) {
			f := hostileFixture(t, h.wasm, "{dead_letter: rejects}")
			long := strings.Repeat("x", 30_000)
			f.write("in/f", "a\n"+long+"\nb\n")
			out, err := runJob(t.Context(), f.options())
			if err != nil || !out.Finished {
				t.Fatalf("%+v, %v", out, err)
			}
			checkCounts(t, out, 3, 0, 1, 0) // the guest emits nothing
			l := f.letters("rejects")
			if len(l) != 1 || l[0].Value != long || l[0].Headers["wasmill-error-class"] != h.class || !regexp.MustCompile(h.says).MatchString(l[0].Headers["wasmill-error"]) {
				t.Errorf("dead letters %.200q", l)
			}
		})
	}
}

func TestHostile_MemoryLimit(t *testing.T) {
	// The guest needs 32 pages, 2 MiB, beside those it has.
	wasm := on(wasmtest.Const(32), wasmtest.MemoryGrow, wasmtest.Const(-1), wasmtest.Eq, wasmtest.If, wasmtest.Unreachable, wasmtest.End)
	for memory, skipped := range map[string]int{"1MiB": 1, "2MiB": 1, "4MiB": 0} {
		t.Run(memory, func(t *testing.T) {
			f := hostileFixture(t, wasm, "skip")
			good, _ := hostileInput(f)
			out, err := runJob(t.Context(), f.options("limits.memory="+memory))
			if err != nil || !out.Finished {
				t.Fatalf("%+v, %v", out, err)
			}
			checkCounts(t, out, len(good)+1, skipped, 0, len(good)+1-skipped)
		})
	}
}

// A module that does not start fails the run before anything is read.
func TestHostile_Init(t *testing.T) {
	for _, c := range []struct {
		name, says string
		wasm       []byte
	}{
		{"traps", ": init in wasmill_init: wasmill_init: unreachable; it said: no config", wasmtest.TrapInInit("no config")},
		{"refuses", ": init: wasmill_init returned EINVAL (-22)", wasmtest.InitReturning(int32(-abi.EINVAL))},
		{"has no room", ": init: wasmill_alloc: wasmill_alloc has no room for ", wasmtest.AllocReturning(0, 8)},
	} {
		t.Run(c.name, func(t *testing.T) {
			plugintest.NoLeak(t)
			f := hostileFixture(t, c.wasm, "skip")
			hostileInput(f)
			out, err := runJob(t.Context(), f.options())
			var failed *task.ModuleFailure
			if !errors.As(err, &failed) || !strings.HasPrefix(err.Error(), fmt.Sprintf("step guard, module %.19s%s", guest.Digest(c.wasm), c.says)) || failed.Module != guest.Digest(c.wasm) {
				t.Fatalf("%v, want %s", err, c.says)
			}
			if out.Finished || out.Counts.Records != 0 {
				t.Errorf("%+v", out)
			}
			if _, err := os.Stat(f.path("out")); err == nil && len(f.lines("out")) > 0 {
				t.Error("something came out")
			}
		})
	}
}

// A module that does not know the end of its input fails the run, which says
// what it refused.
func TestHostile_End(t *testing.T) {
	plugintest.NoLeak(t)
	wasm := wasmtest.Step(func(wasmtest.Imports) []byte {
		return wasmtest.Code(
			wasmtest.Get(wasmtest.Op), wasmtest.Const(int32(abi.OpEnd)), wasmtest.Eq,
			wasmtest.If, wasmtest.Const(abi.ENOSYS.Status()), wasmtest.Return, wasmtest.End,
			wasmtest.Const(0),
		)
	})
	f := hostileFixture(t, wasm, "skip")
	hostileInput(f)
	out, err := runJob(t.Context(), f.options())
	says := regexp.MustCompile(`: end of partition \d: refused: the guest refused the end of its input with ENOSYS$`)
	var failed *task.ModuleFailure
	if !errors.As(err, &failed) || !says.MatchString(err.Error()) {
		t.Errorf("%v, want %s", err, says)
	}
	if out.Finished {
		t.Errorf("it has finished: %+v", out)
	}
}
