package admit_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/wasmill/wasmill/abi"
	"github.com/wasmill/wasmill/host/guest/admit"
	"github.com/wasmill/wasmill/host/guest/wasmtest"
)

// host offers what this package's tests need.
var host = admit.Host{
	abi.ImportModule: {
		"emit": {"\x7f\x7f", "\x7f"}, "fail": {"\x7f\x7f\x7f\x7f", "\x7f"}, "log": {"\x7f\x7f\x7f", "\x7f"},
		"state_put": {"\x7f\x7f\x7f\x7f\x7f", "\x7f"}, "state_get": {"\x7f\x7f\x7f\x7f\x7f", "\x7f"}, "now": {"", "\x7e"},
	},
	admit.WASI: {"fd_write": {"\x7f\x7f\x7f\x7f", "\x7f"}, "proc_exit": {"\x7f", ""}},
}

func check(t *testing.T, b []byte) error {
	t.Helper()
	m, err := admit.Read(b, admit.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return m.Check(host, 1<<20)
}

func done(wasmtest.Imports) []byte { return wasmtest.Const(0) }

func changed(f func(m *wasmtest.Module)) []byte {
	return wasmtest.StepWith(func(m *wasmtest.Module, _ wasmtest.Imports) { f(m) }, done)
}

func TestCheck_TakesSteps(t *testing.T) {
	for name, b := range map[string][]byte{
		"pass-through":     wasmtest.PassThrough(),
		"WASI":             wasmtest.Exit(1),
		"_initialize":      changed(func(m *wasmtest.Module) { m.ExportFunc("_initialize", "", "", "") }),
		"start function":   changed(func(m *wasmtest.Module) { m.Start(m.Func("s", "", "", "")) }),
		"more exports":     changed(func(m *wasmtest.Module) { m.ExportFunc("wasmill", "i", "l", "", wasmtest.Const64(0)) }),
		"a full memory":    changed(func(m *wasmtest.Module) { m.Memory(16) }),
		"_start besides":   changed(func(m *wasmtest.Module) { m.ExportFunc("_start", "", "", "") }),
		"versions 1 and 2": changed(func(m *wasmtest.Module) { m.ExportFunc("wasmill_abi_2", "", "", "") }),
	} {
		if err := check(t, b); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Rows 24, 25, 26, 13 and 31: what a host could not run is a sentence before
// anything is compiled.
func TestCheck_RefusesWhatIsNoStep(t *testing.T) {
	module := func(f func(m *wasmtest.Module)) []byte {
		m := wasmtest.New()
		f(m)
		return m.Bytes()
	}
	for _, test := range []struct {
		name string
		wasm []byte
		want string
	}{
		{"nothing", module(func(*wasmtest.Module) {}), "it is not a wasmill step: it does not export the marker wasmill_abi_1; build it with a wasmill SDK, and let its source declare a step"},
		{"a program without a memory", module(func(m *wasmtest.Module) { m.ExportFunc("_start", "", "", "") }), `it does not export its memory as "memory"`},
		{"a program whose _start has a result", module(func(m *wasmtest.Module) { m.Memory(1); m.ExportFunc("_start", "", "i", "", wasmtest.Const(0)) }), "its export _start is () -> i32, not () -> ()"},
		{"a later version", module(func(m *wasmtest.Module) { m.ExportFunc("wasmill_abi_2", "", "", "") }), "it is built for version 2 of wasmill's interface, this build supports 1"},
		{"a strange version", module(func(m *wasmtest.Module) { m.ExportFunc("wasmill_abi_\x1b[2J", "", "", "") }), `it is built for version "\x1b[2J" of`},
		{"the marker with a parameter", changed(func(m *wasmtest.Module) { m.ExportFunc("wasmill_abi_1", "i", "", "") }), "its export wasmill_abi_1 is (i32) -> (), not () -> ()"},
		{"the marker as a memory", changed(func(m *wasmtest.Module) { m.Export("wasmill_abi_1", 2, 0) }), "its export wasmill_abi_1 is a memory, not a function"},
		{"alloc that returns i64", changed(func(m *wasmtest.Module) { m.ExportFunc("wasmill_alloc", "i", "l", "", wasmtest.Const64(0)) }), "its export wasmill_alloc is (i32) -> i64, not (i32) -> i32"},
		{"alloc that is a memory", changed(func(m *wasmtest.Module) { m.Export("wasmill_alloc", 2, 0) }), "its export wasmill_alloc is a memory, not a function"},
		{"_initialize with a result", changed(func(m *wasmtest.Module) { m.ExportFunc("_initialize", "", "i", "", wasmtest.Const(0)) }), "its export _initialize is () -> i32, not () -> ()"},
		{"memory above the limit", changed(func(m *wasmtest.Module) { m.Memory(17) }), "its memory begins with 1114112 bytes, the limit is 1048576: raise limits.memory"},
		{"65,536 pages", changed(func(m *wasmtest.Module) { m.Memory(65536) }), "memory section, byte 138: its memory begins with 4294967296 bytes, the limit is 1048576"},
		{"no memory", module(func(m *wasmtest.Module) { m.ExportFunc("wasmill_abi_1", "", "", "") }), `it does not export its memory as "memory"; it does not export wasmill_alloc (i32) -> i32; it does not export wasmill_init (i32, i32) -> i32; it does not export wasmill_process (i32, i32, i32) -> i32`},
		{"the host's own export", changed(func(m *wasmtest.Module) { m.ExportFunc("wasmill:stop", "", "", "") }), "its export wasmill:stop has a name that begins with wasmill:, which is the host's own: rename it"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if err := check(t, test.wasm); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}

func TestCheck_SaysWhatAnImportIs(t *testing.T) {
	for _, test := range []struct{ module, name, want string }{
		{"wasmill_v1", "emitt", "it imports wasmill_v1.emitt, which this build does not have: is wasmill_v1.emit meant?"},
		{"wasmill_v1", "state_gets", "is wasmill_v1.state_get meant?"},
		{"wasmill_v1", "fd_write", "is wasi_snapshot_preview1.fd_write meant?"},
		{"wasmill_v1", "teleport", "which this build does not have: it may belong to a newer wasmill"},
		{"wasmill_v2", "emit", "only wasmill_v1 and wasi_snapshot_preview1 may be imported from; this is another version of wasmill's functions"},
		{"wasi_snapshot_preview1", "fd_wirte", "is wasi_snapshot_preview1.fd_write meant?"},
		{"wasi_snapshot_preview1", "sock_accept", "which this build does not have: a step has no sockets"},
		{"wasi_snapshot_preview1", "frobnicate_everything", "it imports wasi_snapshot_preview1.frobnicate_everything, which this build does not have"},
		{"wasi_unstable", "fd_write", "a draft of WASI from before preview 1"},
		{"wasi:io/streams@0.2.0", "read", "WASI preview 2, which needs components: build for preview 1"},
		{"wasix_32v1", "fork", "this is WASIX"},
		{"wasi", "thread-spawn", "a step has none"},
		{"wasi_nn", "load", "a proposal to WASI"},
		{"env", "foo", "it imports env.foo; only wasmill_v1 and wasi_snapshot_preview1 may be imported from; env is where linkers put functions that they did not find: link the library that defines it"},
		{"env", "abort", "AssemblyScript's abort: compile with --use abort="},
		{"env", "proxy_log", "proxy-wasm"},
		{"env", "emscripten_resize_heap", "Emscripten's runtime"},
		{"extism:host/env", "input_length", "Extism's plugins"},
		{"wbg", "__wbg_now", "wasm-bindgen"},
		{"__wbindgen_placeholder__", "__wbindgen_describe", "wasm-bindgen"},
		{"gojs", "runtime.wasmExit", "Go for browsers: build with GOOS=wasip1"},
		{"other tenant", "f", "it imports other tenant.f; only wasmill_v1 and"},
		{"", "", `it imports "".""; only`},
		{"wasmill_meter", "tick", "it imports wasmill_meter.tick: this module is the host's own and not for guests"},
		{"e\x1b[31mvil", "\u202egpj", `it imports "e\x1b[31mvil"."\u202egpj"; only`},
		{strings.Repeat("long", 1000), "f", strings.Repeat("long", 20) + "….f; only"},
	} {
		err := check(t, changed(func(m *wasmtest.Module) { m.Import(test.module, test.name, "", "") }))
		if err == nil || !strings.HasPrefix(err.Error(), "import section, byte ") || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%.40q.%q: error %v, want %q", test.module, test.name, err, test.want)
		}
	}
	err := check(t, changed(func(m *wasmtest.Module) { m.Import("wasmill_v1", "now", "", "i") }))
	if err == nil || !strings.Contains(err.Error(), "it imports wasmill_v1.now as () -> i32, but it is () -> i64") {
		t.Errorf("error %v", err)
	}
}

// Only functions may be imported: another guest's memory, table or global
// could be written through them.
func TestCheck_RefusesImportsOfOtherKinds(t *testing.T) {
	for _, test := range []struct{ kind, body, want string }{
		{"memory", "\x02\x00\x01", "a memory: only functions may be imported; let the module define its memory"},
		{"table", "\x01\x70\x00\x01", "a table: only functions may be imported"},
		{"global", "\x03\x7f\x01", "a global: only functions may be imported"},
	} {
		b := []byte(head + section(1, "\x01\x60\x00\x00") + section(2, "\x01\x0awasmill_v1\x01x", test.body) + section(3, "\x01\x00") +
			section(7, "\x01\x0dwasmill_abi_1\x00\x00") + section(10, "\x01\x02\x00\x0b"))
		want := "import section, byte 17: it imports wasmill_v1.x, " + test.want
		if err := check(t, b); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", test.kind, err, want)
		}
	}
}

func TestCheck_ListsAFewOfManyFaults(t *testing.T) {
	err := check(t, changed(func(m *wasmtest.Module) {
		for i := range 100 {
			m.Import("env", fmt.Sprint("f", i), "", "")
		}
	}))
	var all admit.Faults
	if !errors.As(err, &all) || len(all) != 100 {
		t.Fatalf("%d faults", len(all))
	}
	if n := strings.Count(err.Error(), "it imports"); n != 8 || !strings.HasSuffix(err.Error(), "; and 92 faults more") {
		t.Errorf("error %v", err)
	}
}
