package main_test

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/wasmill/wasmill/host/guest"
	"github.com/wasmill/wasmill/host/guest/archive"
	"github.com/wasmill/wasmill/host/guest/wasmtest"
)

// refusedModule has three faults: one in what it imports, one in what it
// exports, and its memory.
func refusedModule() []byte {
	return wasmtest.StepWith(func(m *wasmtest.Module, _ wasmtest.Imports) {
		m.Import("env", "\x1b[31mred", "", "")
		m.ExportFunc("wasmill_alloc", "i", "l", "", wasmtest.Const64(0))
		m.Memory(2000)
	}, func(wasmtest.Imports) []byte { return wasmtest.Const(0) })
}

// formLine is what the rewriter makes, which has tests of its own.
var formLine = regexp.MustCompile(`(?m)^(fast|patient|counted) .*$`)

func TestInspect_Golden(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "pass.wasm", string(wasmtest.PassThrough()))
	write(t, dir, "refused.wasm", string(refusedModule()))
	write(t, dir, "lies.wasm", "\x00asm\x01\x00\x00\x00\x0b\x05\xff\xff\xff\xff\x07")
	for _, tt := range []struct {
		name string
		code int
	}{{"pass", 0}, {"refused", 1}, {"lies", 1}} {
		r := wasmill(t, dir, "inspect", tt.name+".wasm")
		if r.code != tt.code || r.stderr != "" {
			t.Errorf("%s: exit code %d, want %d; standard error %q", tt.name, r.code, tt.code, r.stderr)
		}
		got := formLine.ReplaceAllString(r.stdout, "$1 …")
		golden := "testdata/inspect." + tt.name
		if *rewrite {
			if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.name, got, want)
		}
	}
}

// What is wrong with the machine is no verdict on the module.
func TestInspect_AnInterpreterThatIsNowhere(t *testing.T) {
	dir := t.TempDir()
	step := archive.Step{Language: "none", Carrier: archive.ABI, Interpreter: archive.Interpreter{Name: "none", Version: "1.2", Digest: guest.Digest(nil)}}
	var app bytes.Buffer
	if err := archive.Write(&app, step, nil, nil); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "step.wasmill", app.String())
	r := wasmill(t, dir, "inspect", "step.wasmill")
	r.has(t, 2)
	if r.stdout != "" || !strings.Contains(r.stderr, "step.wasmill: its interpreter: build: the interpreter none 1.2 has to be fetched") {
		t.Errorf("standard output %q, standard error %q", r.stdout, r.stderr)
	}
}

// The keys are what programs rely on.
func TestInspect_JSONHasItsKeys(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "pass.wasm", string(wasmtest.PassThrough()))
	r := wasmill(t, dir, "inspect", "pass.wasm", "--output", "json", "--memory", "1MiB")
	r.has(t, 0)
	var doc map[string]any
	if err := json.Unmarshal([]byte(r.stdout), &doc); err != nil {
		t.Fatal(err)
	}
	var keys []string
	for k := range doc {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	if want := strings.Fields("abi bytes debug digest exports forms image imports limits memory memory_limit names runs sections"); !slices.Equal(keys, want) {
		t.Errorf("keys %q, want %q", keys, want)
	}
	if doc["runs"] != true || doc["memory_limit"] != float64(1<<20) || doc["image"] != true {
		t.Errorf("got %s", r.stdout)
	}
	for key, want := range map[string]string{
		"imports": "kind module name type", "exports": "kind name type", "limits": "have most what",
		"forms": "budgeted bytes checks entries name", "sections": "bytes name",
	} {
		var have []string
		list, _ := doc[key].([]any)
		for _, entry := range list {
			for k := range entry.(map[string]any) {
				have = append(have, k)
			}
		}
		slices.Sort(have)
		have = slices.Compact(have)
		if got := strings.Join(have, " "); got != want {
			t.Errorf("%s have the keys %q, want %q", key, got, want)
		}
	}
}

func TestInspect_SaysWhyAModuleIsRefused(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "pass.wasm", string(wasmtest.PassThrough()))
	write(t, dir, "invalid.wasm", string(wasmtest.Step(func(wasmtest.Imports) []byte { return wasmtest.Drop })))
	write(t, dir, "component.wasm", "\x00asm\x0d\x00\x01\x00")
	write(t, dir, "text.wasm", "(module)")
	for _, tt := range []struct{ args, want string }{
		{"refused.wasm", "limits.memory"},
		{"invalid.wasm", "it does not compile: "},
		{"component.wasm", "byte 4: it is a component"},
		{"text.wasm", "byte 0: it is not WebAssembly"},
	} {
		write(t, dir, "refused.wasm", string(refusedModule()))
		for _, output := range []string{"table", "json"} {
			r := wasmill(t, dir, append([]string{"inspect", "--output", output}, strings.Fields(tt.args)...)...)
			r.has(t, 1)
			if !strings.Contains(r.stdout, tt.want) || strings.Contains(r.stdout, "\x1b") {
				t.Errorf("%s as %s: got %q, want %q", tt.args, output, r.stdout, tt.want)
			}
		}
	}
}

func TestInspect_WrongUse(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "pass.wasm", string(wasmtest.PassThrough()))
	write(t, dir, "pass.txt", "")
	for _, tt := range []struct{ args, want string }{
		{"inspect", "wasmill: MODULE is missing: write wasmill inspect MODULE [flags]"},
		{"inspect none.wasm", "wasmill: build: none.wasm does not exist: name a directory with source, or a .wasm or .wasmill file"},
		{"inspect pass.txt", "is neither a directory with source nor a .wasm or .wasmill file"},
		{"inspect .", "holds no source that this build knows"},
		{"inspect pass.wasm --memory lots", `wasmill: --memory "lots" is not a size`},
		{"inspect pass.wasm --memory 1KiB", "wasmill: --memory 1KiB is not between 64KiB and 4GiB"},
		{"inspect pass.wasm --output yaml", "it is one of table, json"},
	} {
		r := wasmill(t, dir, strings.Fields(tt.args)...)
		r.has(t, 2, tt.want)
		if r.stdout != "" {
			t.Errorf("%s: standard output %q", tt.args, r.stdout)
		}
	}
}
