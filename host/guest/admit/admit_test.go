package admit_test

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/wasmill/wasmill/host/guest/admit"
	"github.com/wasmill/wasmill/host/guest/wasm"
	"github.com/wasmill/wasmill/host/guest/wasmtest"
)

const head = "\x00asm\x01\x00\x00\x00"

// section returns a section of a module.
func section(id byte, parts ...string) string {
	return string(wasm.AppendSection(nil, id, []byte(strings.Join(parts, ""))))
}

func u32(n int) string { return string(wasm.AppendU32(nil, uint32(n))) }

// function returns a module of one function () -> () with that code, which
// needs no end, and the types given beside its own.
func function(code string, types ...string) []byte {
	body := "\x00" + code + "\x0b"
	return []byte(head + section(1, u32(1+len(types)), "\x60\x00\x00", strings.Join(types, "")) + section(3, "\x01\x00") +
		section(5, "\x01\x00\x01") + section(10, "\x01", u32(len(body)), body))
}

func TestRead_CountsWhatIsLimited(t *testing.T) {
	b := wasmtest.StepWith(func(m *wasmtest.Module, _ wasmtest.Imports) {
		m.Data(0, []byte("x"))
		m.Func("f", "iiiiiii", "", "ii", wasmtest.Block, wasmtest.Block, wasmtest.End, wasmtest.End)
	}, func(wasmtest.Imports) []byte { return wasmtest.Const(0) })
	m, err := admit.Read(b, admit.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []struct {
		limit admit.Limit
		have  int
	}{
		{admit.Bytes, len(b)},
		{admit.Imports, 4}, {admit.Functions, 5}, {admit.Exports, 5}, {admit.Memories, 1}, {admit.Tables, 0}, {admit.Data, 1},
		{admit.Values, 7}, {admit.Locals, 6}, {admit.AllLocals, 9}, {admit.Nesting, 2}, {admit.Targets, 0},
		{admit.Customs, 1}, {admit.NameBytes, len("wasmill_process")}, {admit.Effort, 0},
	} {
		if m.Have[want.limit] != want.have {
			t.Errorf("%s: %d, want %d", admit.Table()[want.limit].What, m.Have[want.limit], want.have)
		}
	}
}

// Every limit refuses what is one above it and names section, offset, the
// value, the limit and what to do.
func TestRead_HoldsEveryLimit(t *testing.T) {
	oneFunction := func(locals string, code string) string {
		body := locals + code + "\x0b"
		return section(1, "\x01\x60\x00\x00") + section(3, "\x01\x00") + section(10, "\x01", u32(len(body)), body)
	}
	memory, table := section(5, "\x01\x00\x01"), section(4, "\x01\x70\x00\x03")
	for _, test := range []struct {
		limit admit.Limit
		most  int
		body  string
		want  string // place and value
	}{
		{admit.Bytes, 13, section(5, "\x01\x00\x01") + section(0, "\x00"), "byte 0: 16 bytes, at most 13"},
		{admit.Types, 1, section(1, "\x02\x60\x00\x00\x60\x00\x00"), "type section, byte 10: 2 types, at most 1"},
		{admit.Values, 2, section(1, "\x01\x60\x03\x7f\x7f\x7f\x00"), "type section, byte 12: a type of 3 parameters"},
		{admit.Values, 2, section(1, "\x01\x60\x00\x03\x7f\x7f\x7f"), "type section, byte 13: a type of 3 results"},
		{admit.Imports, 1, section(1, "\x01\x60\x00\x00") + section(2, "\x02", strings.Repeat("\x01a\x01b\x00\x00", 2)), "import section, byte 16: 2 imports"},
		{admit.Functions, 1, section(1, "\x01\x60\x00\x00") + section(3, "\x02\x00\x00") + section(10, "\x02\x02\x00\x0b\x02\x00\x0b"), "function section, byte 16: 2 functions"},
		{admit.Tables, 1, section(4, "\x02\x70\x00\x00\x70\x00\x00"), "table section, byte 10: 2 tables"},
		{admit.TableMin, 2, table, "table section, byte 12: 3 entries of a table at its start"},
		{admit.Memories, 1, section(5, "\x02\x00\x01\x00\x01"), "memory section, byte 10: 2 memories, at most 1 are allowed: build without the multi-memory feature"},
		{admit.Globals, 1, section(6, "\x02", strings.Repeat("\x7f\x00\x41\x00\x0b", 2)), "global section, byte 10: 2 globals"},
		{admit.Exports, 1, memory + section(7, "\x02\x01a\x02\x00\x01b\x02\x00"), "export section, byte 15: 2 exports"},
		{admit.Elements, 1, table + section(9, "\x02", strings.Repeat("\x00\x41\x00\x0b\x00", 2)), "element section, byte 16: 2 element segments"},
		{admit.Entries, 2, oneFunction2(table + section(9, "\x01\x00\x41\x00\x0b\x03\x00\x00\x00")), "element section, byte 31: 3 entries of element segments"},
		{admit.Data, 1, memory + section(11, "\x02", strings.Repeat("\x00\x41\x00\x0b\x00", 2)), "data section, byte 15: 2 data segments"},
		{admit.BodyBytes, 3, oneFunction("\x00", "\x01\x01\x01"), "code section, byte 22: a function of 5 bytes"},
		{admit.Locals, 4, oneFunction("\x02\x03\x7f\x02\x7e", ""), "code section, byte 25: a function of 5 locals"},
		{admit.AllLocals, 4, oneFunction("\x02\x03\x7f\x02\x7e", ""), "code section, byte 22: functions with 5 locals in all"},
		{admit.Nesting, 1, oneFunction("\x00", "\x02\x40\x02\x40\x0b\x0b"), "code section, byte 25: 2 blocks inside each other"},
		{admit.Targets, 1, oneFunction("\x00", "\x41\x00\x0e\x02\x00\x00\x00"), "code section, byte 25: 2 targets of a br_table"},
		{admit.Effort, 1, oneFunction("\x00", strings.Repeat("\x02\x40\x0b", 5000)), "code section, byte 24: its code may take the compiler 149 ms beyond what its size explains, at most 1 are allowed; function 0 with 15002 bytes"},
		{admit.Customs, 1, section(0, "\x01a") + section(0, "\x01b"), "custom section, byte 12: 2 custom sections"},
		{admit.CustomBytes, 4, section(0, "\x01ahello"), "custom section, byte 17: 5 bytes of custom sections"},
		{admit.NameBytes, 3, section(0, "\x04name"), "custom section, byte 10: a name of 4 bytes"},
	} {
		row := admit.Table()[test.limit]
		t.Run(row.What, func(t *testing.T) {
			var l admit.Limits
			l[test.limit] = test.most
			_, err := admit.Read([]byte(head+test.body), l)
			var e *wasm.Error
			if !errors.As(err, &e) || !strings.HasPrefix(e.Error(), test.want) || !strings.HasSuffix(e.Text, ": "+row.Do) {
				t.Errorf("error %v, want %q and %q", err, test.want, row.Do)
			}
			if l[test.limit] = 1 << 20; test.limit == admit.Bytes {
				l[test.limit] = len(head + test.body)
			}
			if _, err := admit.Read([]byte(head+test.body), l); err != nil {
				t.Errorf("refused below the limit: %v", err)
			}
		})
	}
}

// oneFunction2 puts sections before the code between those of one function.
func oneFunction2(between string) string {
	return section(1, "\x01\x60\x00\x00") + section(3, "\x01\x00") + between + section(10, "\x01\x02\x00\x0b")
}

func TestTable_HasAReasonForEach(t *testing.T) {
	seen := map[string]bool{}
	for i, r := range admit.Table() {
		if r.What == "" || r.Default <= 0 || r.Why == "" || r.Do == "" || seen[r.What] {
			t.Errorf("row %d: %+v", i, r)
		}
		seen[r.What] = true
	}
}

// What names nothing is refused before the compiler, whichever kind it is of.
func TestRead_RefusesIndicesOfNothing(t *testing.T) {
	for _, test := range []struct{ code, want string }{
		{"\x20\x00", "local 0 of 0"},
		{"\x23\x05", "global 5 of 0"},
		{"\x10\x01", "function 1 of 1"},
		{"\xd2\x01", "function 1 of 1"},
		{"\x11\x09\x00", "type 9 of 1"},
		{"\x11\x00\x00", "table 0 of 0"},
		{"\x25\x02", "table 2 of 0"},
		{"\xfc\x0e\x00\x00", "table 0 of 0"},
		{"\xfc\x0d\x00", "element segment 0 of 0"},
		{"\xfc\x0c\x03\x00", "element segment 3 of 0"},
		{"\xfc\x09\x00", "data segment 0 of 0"},
		{"\xfc\x08\x00\x00", "data segment 0 of 0"},
		{"\x02\x07\x0b", "type 7 of 1"},
	} {
		_, err := admit.Read(function(test.code), admit.Limits{})
		if want := "code section, byte 28: an instruction names " + test.want; err == nil || err.Error() != want {
			t.Errorf("% x: error %v, want %q", test.code, err, want)
		}
	}
}

// The estimate of the compiler's time sees each thing that makes it slow, and
// not what is merely long.
func TestRead_EstimatesTheCompilersTime(t *testing.T) {
	results := "\x60\x00\xe8\x07" + strings.Repeat("\x7f", 1000)
	both := "\x60\x0a" + strings.Repeat("\x7f", 10) + "\x0a" + strings.Repeat("\x7f", 10)
	table := "\x41\x00\x0e\x80\x10" + strings.Repeat("\x00", 2049)
	for _, test := range []struct {
		name  string
		wasm  []byte
		least int // ms
	}{
		{"a long straight function", function(strings.Repeat("\x41\x00\x1a", 300_000)), 0},
		{"a long function of ordinary code", function(strings.Repeat("\x02\x40"+strings.Repeat("\x41\x00\x1a", 20)+"\x0b", 2000)), 0},
		{"blocks side by side", function(strings.Repeat("\x02\x40\x0b", 20_000)), 4000},
		{"blocks inside each other", function(strings.Repeat("\x02\x40", 9000) + strings.Repeat("\x0b", 9000)), 700},
		{"loops", function(strings.Repeat("\x03\x40\x0b", 20_000)), 15_000},
		{"ways that part", function("\x02\x40" + strings.Repeat("\x41\x00\x0d\x00", 20_000) + "\x0b"), 4000},
		{"many br_tables", function(strings.Repeat("\x02\x40"+table+"\x0b", 60)), 10_000},
		{"calls with many results", function(strings.Repeat("\x02\x01\x00\x0b", 5000), results), 8000},
		{"operands over many blocks", function(strings.Repeat("\x41\x00", 3000) + strings.Repeat("\x02\x40\x0b", 2000) + strings.Repeat("\x1a", 3000)), 20_000},
		{"blocks with parameters", function(strings.Repeat("\x41\x00", 10)+strings.Repeat("\x02\x01\x0b", 10_000)+strings.Repeat("\x1a", 10), both), 1000},
	} {
		t.Run(test.name, func(t *testing.T) {
			m, err := admit.Read(test.wasm, admit.Limits{admit.Effort: 1 << 40})
			if err != nil {
				t.Fatal(err)
			}
			if have := m.Have[admit.Effort]; have < test.least || test.least == 0 && have > 0 {
				t.Errorf("estimated at %d ms, want at least %d", have, test.least)
			}
		})
	}
}

// Rows 20 and 21 of what bare wazero takes seconds to minutes for.
func TestRead_RefusesWhatTakesTheCompilerMinutes(t *testing.T) {
	for _, test := range []struct {
		name string
		wasm []byte
		want string
	}{
		{"a br_table of 40,000 targets", function("\x41\x00\x0e" + u32(40_000) + strings.Repeat("\x00", 40_001)), "40000 targets of a br_table, at most 16384 are allowed"},
		{"20,000 nested blocks", function(strings.Repeat("\x02\x40", 20_000) + strings.Repeat("\x0b", 20_000)), "10001 blocks inside each other, at most 10000 are allowed"},
		{"300,000 blocks side by side", function(strings.Repeat("\x02\x40\x0b", 300_000)), "its code may take the compiler 1070999 ms"},
		{"a function of 2 MB", function(strings.Repeat("\x01", 2_000_000)), "a function of 2000002 bytes, at most 1048576 are allowed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, err := admit.Read(test.wasm, admit.Limits{}); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %.200v, want %q", err, test.want)
			}
		})
	}
	if _, err := admit.Read(function(strings.Repeat("\x41\x00\x1a", 233_000)), admit.Limits{}); err != nil {
		t.Errorf("a straight function of 700 KB is refused: %v", err)
	}
}

// What is read is bounded by the bytes, whatever they claim: row 19.
func TestRead_AllocatesNothingFromClaims(t *testing.T) {
	for _, claim := range []string{
		head + "\x0b\x05\xff\xff\xff\xff\x07",
		head + "\x03\x05\xff\xff\xff\xff\x07",
		head + "\x01\x05\xff\xff\xff\xff\x0f",
	} {
		var err error
		if n := testing.AllocsPerRun(5, func() { _, err = admit.Read([]byte(claim), admit.Limits{}) }); n > 40 {
			t.Errorf("%q: %v allocations", claim, n)
		}
		if err == nil || !strings.Contains(err.Error(), "do not fit into the") {
			t.Errorf("%q: error %v", claim, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(wasmtest.PassThrough())
	f.Add(wasmtest.Exit(1))
	f.Add([]byte(head + "\x01\x05\xff\xff\xff\xff\x0f"))
	f.Add(function("\x02\x01\x0b\x41\x00\x0e\x00\x00\x0b", "\x60\x01\x7f\x01\x7f"))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := admit.Read(b, admit.Limits{})
		if err != nil {
			var e *wasm.Error
			if !errors.As(err, &e) || e.Offset < 0 || e.Offset > len(b) || e.Text == "" {
				t.Fatalf("error %#v", err)
			}
			return
		}
		for i, have := range m.Have {
			if have < 0 || have > admit.Table()[i].Default {
				t.Fatalf("%d %s", have, admit.Table()[i].What)
			}
		}
		_ = m.Check(admit.Host{}, 1<<20)
	})
}

// Damaged modules are refused or read, and never more than that.
func TestRead_SurvivesDamage(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	good := wasmtest.FailOn("x", "message")
	refused := 0
	for range 5000 {
		b := append([]byte(nil), good...)
		for range 1 + r.IntN(3) {
			b[8+r.IntN(len(b)-8)] = byte(r.Uint32())
		}
		m, err := admit.Read(b, admit.Limits{})
		if err == nil {
			err = m.Check(admit.Host{}, 1<<20)
		}
		if err != nil {
			refused++
		}
	}
	if refused < 300 {
		t.Errorf("seed %d: only %d of 5,000 were refused", seed, refused)
	}
}

func BenchmarkRead(b *testing.B) {
	code := strings.Repeat("\x02\x40\x20\x00\x41\x01\x6a\x22\x00\x0d\x00\x0b", 80)
	body := "\x01\x01\x7f" + code + "\x0b"
	const n = 2000
	module := []byte(head + section(1, "\x01\x60\x00\x00") + section(3, u32(n), strings.Repeat("\x00", n)) +
		section(10, u32(n), strings.Repeat(u32(len(body))+body, n)))
	b.SetBytes(int64(len(module)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := admit.Read(module, admit.Limits{}); err != nil {
			b.Fatal(err)
		}
	}
}
