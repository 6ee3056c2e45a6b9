package guest_test

import (
	"errors"
	"log/slog"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/wasmill/wasmill/host/guest"
	"github.com/wasmill/wasmill/host/guest/wasmtest"
)

func TestHostileGuests_EndInTraps(t *testing.T) {
	for _, test := range []struct {
		name     string
		wasm     []byte
		kind     guest.TrapKind
		function string
		message  string // regular expression
	}{
		{"traps on a record", wasmtest.TrapOn("b"), guest.TrapCode, "wasmill_process", `^unreachable$`},
		{"says something first", wasmtest.TrapSaying(1, "about\tto trap"), guest.TrapCode, "wasmill_process", `^unreachable; it said: about to trap$`},
		{"bad magic", wasmtest.Malformed(0, 1), guest.TrapABI, "", `^emit got a malformed frame: wire: byte 0: magic`},
		{"count too big", wasmtest.Malformed(8, 1<<30), guest.TrapABI, "", `malformed frame: wire: byte 8: 1073741824 records`},
		{"size too big", wasmtest.Malformed(12, 1<<30), guest.TrapABI, "", `malformed frame: wire: byte 12: size`},
		{"record too small", wasmtest.MalformedRecord(8), guest.TrapABI, "", `malformed frame: wire: record 0, byte \d+: size is 8`},
		{"grows without end", wasmtest.GrowForever(), guest.TrapMemory, "wasmill_process", `^unreachable \(its memory is at 1\.0 of 1\.0 MiB: raise limits\.memory`},
		{"recurses without end", wasmtest.Recurse(), guest.TrapCode, "recurse", `^stack overflow$`},
		{"exits with 0", wasmtest.Exit(0), guest.TrapExit, "", `^the guest exited with code 0$`},
		{"exits with 3", wasmtest.Exit(3), guest.TrapExit, "", `^the guest exited with code 3$`},
		{"alloc has no room", wasmtest.AllocReturning(0, 2000), guest.TrapMemory, "", `^wasmill_alloc has no room for \d+ bytes$`},
		{"alloc out of range", wasmtest.AllocReturning(65528, 2000), guest.TrapABI, "", `^wasmill_alloc\(\d+\) returned 0xfff8, but the memory has 65536 bytes$`},
		{"alloc negative", wasmtest.AllocReturning(-8, 2000), guest.TrapABI, "", `returned 0xfffffff8, but`},
		{"alloc not aligned", wasmtest.AllocReturning(4097, 2000), guest.TrapABI, "", `0x1001, which is not a multiple of 8$`},
	} {
		t.Run(test.name, func(t *testing.T) {
			in := started(t, engine(t, guest.EngineOptions{MemoryLimit: 1 << 20}), test.wasm, patiently(time.Second), &calls{})
			tr := trap(t, in, batch("a", "b", strings.Repeat("c", 2000)))
			if tr.Kind != test.kind || tr.Function != test.function || !regexp.MustCompile(test.message).MatchString(tr.Message) {
				t.Fatalf("kind %q, function %q, message %q", tr.Kind, tr.Function, tr.Message)
			}
			if !strings.HasPrefix(tr.Module, "sha256:") {
				t.Fatalf("module %q", tr.Module)
			}
			if text := tr.Error(); strings.ContainsAny(text, "\n\t") || strings.Contains(text, ".go") || strings.Contains(text, "wazero") {
				t.Fatalf("the error shows the host: %q", text)
			}
		})
	}
}

func TestHostileGuests_ASmallBatchPasses(t *testing.T) {
	c := &calls{}
	run(t, instance(t, wasmtest.TrapOn("b"), c), batch("a", "c", "bb", ""))
	if len(c.records) != 4 {
		t.Fatalf("%d records", len(c.records))
	}
	run(t, instance(t, wasmtest.AllocReturning(0, 2000), c), batch("a"))
}

func TestFail_NamesTheRecord(t *testing.T) {
	c := &calls{}
	run(t, instance(t, wasmtest.FailOn("bad", "no good"), c), batch("a", "bad", "ba", "bad"))
	want := []fail{{1, 7, "no good"}, {3, 7, "no good"}}
	if len(c.fails) != 2 || c.fails[0] != want[0] || c.fails[1] != want[1] {
		t.Fatalf("fails %v, want %v", c.fails, want)
	}
}

func TestInstantiate_FaultsOfInit(t *testing.T) {
	for _, test := range []struct {
		name    string
		wasm    []byte
		message string
	}{
		{"traps", wasmtest.TrapInInit("no config"), "wasmill_init: unreachable; it said: no config"},
		{"returns an error", wasmtest.InitReturning(-22), "wasmill_init returned EINVAL (-22)"},
		{"returns more", wasmtest.InitReturning(1), "wasmill_init returned 1: 0 or a negative error number is allowed"},
		{"has no room", wasmtest.AllocReturning(0, 8), "wasmill_alloc: wasmill_alloc has no room for "},
		{"traps in _initialize", wasmtest.StepWith(func(m *wasmtest.Module, _ wasmtest.Imports) {
			m.ExportFunc("_initialize", "", "", "", wasmtest.Unreachable)
		}, func(wasmtest.Imports) []byte { return wasmtest.Const(0) }), "_initialize: unreachable"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := instantiate(t, engine(t, guest.EngineOptions{}), test.wasm, &calls{})
			var tr *guest.Trap
			if !errors.As(err, &tr) || tr.Kind != guest.TrapInit || !strings.HasPrefix(tr.Message, test.message) {
				t.Fatalf("error %v", err)
			}
		})
	}
}

func TestHostFunction_APanicIsATrapAndIsLogged(t *testing.T) {
	var log strings.Builder
	e := engine(t, guest.EngineOptions{Log: slog.New(slog.NewTextHandler(&log, nil))})
	in, err := instantiate(t, e, wasmtest.PassThrough(), &calls{broken: true})
	if err != nil {
		t.Fatal(err)
	}
	tr := trap(t, in, batch("a"))
	if tr.Kind != guest.TrapABI || tr.Message != "the host failed in emit: emit is broken" {
		t.Fatalf("trap %+v", tr)
	}
	if !strings.Contains(log.String(), "emit is broken") || !strings.Contains(log.String(), "calls_test.go") {
		t.Fatalf("log %q", log.String())
	}
}
