package admit_test

import (
	"strings"
	"testing"

	"github.com/wasmill/wasmill/host/guest/admit"
	"github.com/wasmill/wasmill/host/guest/wasmtest"
)

func TestRead_SeesImportsAndExports(t *testing.T) {
	m := wasmtest.New()
	m.Import("a", "b", "il", "l")
	f := m.ExportFunc("run", "i", "", "")
	m.Export("again", 0, f)
	m.Memory(3)
	s, err := admit.Read(m.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Imports) != 1 || s.Imports[0].Name != "b" || s.Imports[0].Type.String() != "(i32, i64) -> i64" {
		t.Errorf("imports %+v", s.Imports)
	}
	if e, ok := s.Export("again"); !ok || e.Kind != admit.ExternFunc || e.Type.String() != "(i32) -> ()" {
		t.Errorf("export %+v", e)
	}
	if e, ok := s.Export("memory"); !ok || e.Kind != admit.ExternMemory {
		t.Errorf("export %+v", e)
	}
	if s.MemoryMin != 3 {
		t.Errorf("memory of %d pages", s.MemoryMin)
	}
}

func TestRead_RefusesMalformedModules(t *testing.T) {
	const head = "\x00asm\x01\x00\x00\x00"
	for _, test := range []struct{ name, body, want string }{
		{"section past the end", "\x01\x05\x00", "5 entries do not fit into 1 bytes"},
		{"section without length", "\x01", "the module ends early"},
		{"count that lies", "\x01\x05\xff\xff\xff\xff\x0f", "its type section is malformed: byte 15: 4294967295 entries do not fit"},
		{"number too big", "\x01\x05\xff\xff\xff\xff\x1f", "a number does not fit into 32 bits"},
		{"endless number", "\x01\x06\xff\xff\xff\xff\xff\xff", "a number does not fit into 32 bits"},
		{"not a function type", "\x01\x04\x01\x5f\x00\x00", "type form 0x5f"},
		{"left over", "\x03\x03\x01\x00\x00", "its function section is malformed: byte 12: 1 bytes are left over"},
		{"import of no type", "\x02\x07\x01\x01a\x01b\x00\x00", "type 0 does not exist"},
		{"import of no kind", "\x02\x07\x01\x01a\x01b\x09\x00", "an import of kind 9"},
		{"name not UTF-8", "\x02\x07\x01\x01\xff\x01b\x00\x00", "a name is not UTF-8"},
		{"export of no function", "\x07\x05\x01\x01f\x00\x07", `its export "f" names function 7, which does not exist`},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, err := admit.Read([]byte(head + test.body)); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("error %v, want %q", err, test.want)
			}
		})
	}
}

func TestCheck_ListsAFewOfManyFaults(t *testing.T) {
	wasm := wasmtest.StepWith(func(m *wasmtest.Module, _ wasmtest.Imports) {
		for range 100 {
			m.Import("env", "f", "", "")
		}
	}, func(wasmtest.Imports) []byte { return wasmtest.Const(0) })
	s, err := admit.Read(wasm)
	if err != nil {
		t.Fatal(err)
	}
	err = s.Check(admit.Host{}, 1<<20)
	if n := strings.Count(err.Error(), "it imports"); n != 8 || !strings.HasSuffix(err.Error(), "and 96 faults more") {
		t.Fatalf("error %v", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(wasmtest.PassThrough())
	f.Add(wasmtest.Exit(1))
	f.Add([]byte("\x00asm\x01\x00\x00\x00\x01\x05\xff\xff\xff\xff\x0f"))
	f.Fuzz(func(t *testing.T, wasm []byte) {
		s, err := admit.Read(wasm)
		if err != nil {
			return
		}
		if n := len(s.Imports) + len(s.Exports); n > len(wasm) {
			t.Fatalf("%d imports and exports from %d bytes", n, len(wasm))
		}
		_ = s.Check(admit.Host{}, 1<<20)
	})
}
