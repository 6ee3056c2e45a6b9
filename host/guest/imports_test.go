package guest_test

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/wasmill/wasmill/abi"
	"github.com/wasmill/wasmill/host/guest"
	"github.com/wasmill/wasmill/host/guest/wasmtest"
)

// letters writes an import's signature as wasmtest does.
func letters(types string) string {
	return strings.NewReplacer("i32", "i", "i64", "l", " ", "").Replace(types)
}

// pointers tells for each import which of its arguments are addresses; the
// one behind each is its length.
var pointers = map[string][]int{
	"emit": {0}, "fail": {2}, "state_get": {1, 3}, "state_put": {1, 3}, "state_delete": {1},
	"state_scan": {1, 3, 5}, "state_get_many": {1, 3}, "table_get_many": {}, "timer_set": {}, "timer_delete": {},
	"resume": {0}, "log": {1}, "log_enabled": {}, "metric_define": {1}, "metric_add": {}, "config": {0},
	"secret": {}, "now": {},
}

func TestImports_ABadAddressEndsTheBatch(t *testing.T) {
	for _, im := range abi.Imports {
		at, ok := pointers[im.Name]
		if !ok {
			t.Errorf("%s: this test does not know its addresses", im.Name)
		}
		for _, p := range at {
			for _, bad := range [][2]int32{{65536 - 4, 8}, {-1, 1}, {8, -1}, {65537, 0}} {
				args := make([]any, len(letters(im.Params)))
				for i := range args {
					args[i] = int32(0)
				}
				args[p], args[p+1] = bad[0], bad[1]
				c := &calls{}
				in := instance(t, wasmtest.Probe(im.Name, letters(im.Params), letters(im.Results), nil, args...), c)
				tr := trap(t, in, batch("a"))
				if tr.Kind != guest.TrapABI || !strings.HasPrefix(tr.Message, im.Name+" got ") {
					t.Errorf("%s, argument %d = %v: %v", im.Name, p, bad, tr)
				}
				if len(c.fails) != 1 || c.fails[0].code != -14 {
					t.Errorf("%s, argument %d = %v: the guest saw %v, want EFAULT", im.Name, p, bad, c.fails)
				}
			}
		}
	}
}

func TestImports_ThoseThatAreMissingAnswerENOSYS(t *testing.T) {
	n := 0
	for _, im := range abi.Imports {
		if im.Implemented {
			continue
		}
		n++
		var args []any
		for _, l := range letters(im.Params) {
			args = append(args, any(int32(0)))
			if l == 'l' {
				args[len(args)-1] = int64(0)
			}
		}
		c := &calls{}
		run(t, instance(t, wasmtest.Probe(im.Name, letters(im.Params), letters(im.Results), nil, args...), c), batch("a"))
		if c.fails[0].code != -38 {
			t.Errorf("%s returned %d", im.Name, c.fails[0].code)
		}
	}
	if n != 4 {
		t.Errorf("%d imports are missing, want 4", n)
	}
}

// keys packs keys as state_get_many takes them.
func keys(ks ...string) []byte {
	var b []byte
	for _, k := range ks {
		b = append(binary.LittleEndian.AppendUint32(b, uint32(len(k))), k...)
	}
	return b
}

func TestImports_Results(t *testing.T) {
	const d = int32(wasmtest.ProbeData)
	many := keys("a", "no", "e")
	state := map[string]string{"a": "one", "b": "two", "e": ""}
	for _, test := range []struct {
		name, imp string
		data      string
		args      []any
		want      int32
		shows     string // beginning of the data afterwards
	}{
		{"value", "state_get", "a...........", []any{int32(0), d, int32(1), d + 4, int32(8)}, 3, "a...one....."},
		{"empty value", "state_get", "e...", []any{int32(0), d, int32(1), d + 1, int32(3)}, 0, "e..."},
		{"value that does not fit", "state_get", "a...", []any{int32(0), d, int32(1), d + 1, int32(2)}, 3, "a..."},
		{"absent value", "state_get", "x...", []any{int32(0), d, int32(1), d + 1, int32(3)}, -2, "x..."},
		{"no such store", "state_get", "a...", []any{int32(1), d, int32(1), d + 1, int32(3)}, -9, "a..."},
		{"negative store", "state_put", "a...", []any{int32(-1), d, int32(1), d + 1, int32(3)}, -9, "a..."},
		{"key too long", "state_get", "", []any{int32(0), d, int32(4097), d, int32(3)}, -7, ""},
		{"put", "state_put", "newvalue", []any{int32(0), d, int32(3), d + 3, int32(5)}, 0, ""},
		{"put of a long key", "state_put", "", []any{int32(0), d, int32(4097), d, int32(5)}, -7, ""},
		{"delete", "state_delete", "b", []any{int32(0), d, int32(1)}, 0, ""},
		{"scan", "state_scan", "ac", []any{int32(0), d, int32(1), d + 1, int32(1), d, int32(64)}, 24, "\x01\x00\x00\x00\x03\x00\x00\x00aone\x01\x00\x00\x00\x03\x00\x00\x00btwo"},
		{"scan into too little", "state_scan", "ac..", []any{int32(0), d, int32(1), d + 1, int32(1), d, int32(4)}, 12, "ac.."},
		{"scan from a long key", "state_scan", "", []any{int32(0), d, int32(4097), d, int32(0), d, int32(4)}, -7, ""},
		{"scan of nothing", "state_scan", "xz..", []any{int32(0), d, int32(1), d + 1, int32(1), d, int32(4)}, 0, "xz.."},
		{"many over its own keys", "state_get_many", string(many), []any{int32(0), d, int32(len(many)), d, int32(64)}, 15, "\x03\x00\x00\x00one\xff\xff\xff\xff\x00\x00\x00\x00"},
		{"many that do not fit", "state_get_many", string(many), []any{int32(0), d, int32(len(many)), d, int32(14)}, 15, string(many)},
		{"many, cut short", "state_get_many", string(many), []any{int32(0), d, int32(len(many) - 1), d, int32(64)}, -22, string(many)},
		{"many, key past the end", "state_get_many", "\xff\xff\xff\x7fa", []any{int32(0), d, int32(5), d, int32(64)}, -22, ""},
		{"resume outside of end", "resume", "", []any{d, int32(0)}, -1, ""},
		{"log", "log", "hello", []any{int32(1), d, int32(5)}, 0, ""},
		{"log at no level", "log", "hello", []any{int32(4), d, int32(5)}, -22, ""},
		{"log enabled", "log_enabled", "", []any{int32(1)}, 1, ""},
		{"log disabled", "log_enabled", "", []any{int32(0)}, 0, ""},
		{"log at a negative level", "log_enabled", "", []any{int32(-1)}, 0, ""},
		{"metric", "metric_define", "hits", []any{int32(0), d, int32(4)}, 4, ""},
		{"metric of no kind", "metric_define", "hits", []any{int32(2), d, int32(4)}, -22, ""},
		{"metric with digits", "metric_define", "hits_2", []any{int32(1), d, int32(6)}, 6, ""},
		{"metric with a capital", "metric_define", "Hits", []any{int32(0), d, int32(4)}, -22, ""},
		{"metric that begins with a digit", "metric_define", "2hits", []any{int32(0), d, int32(5)}, -22, ""},
		{"metric with a long name", "metric_define", strings.Repeat("a", 65), []any{int32(0), d, int32(65)}, -22, ""},
		{"metric without a name", "metric_define", "hits", []any{int32(0), d, int32(0)}, -22, ""},
		{"metric add", "metric_add", "", []any{int32(0), int64(-5)}, 0, ""},
		{"config", "config", "", []any{d, int32(2048)}, 268, `{"abi_minor":1,"tenant":"","job":"","step":"step"`},
		{"config that does not fit", "config", "....", []any{d, int32(3)}, 268, "...."},
	} {
		t.Run(test.imp+": "+test.name, func(t *testing.T) {
			im, ok := abi.FindImport(test.imp)
			if !ok {
				t.Fatal("there is no such import")
			}
			c := &calls{state: map[string]string{}, level: guest.Info}
			for k, v := range state {
				c.state[k] = v
			}
			in := instance(t, wasmtest.Probe(test.imp, letters(im.Params), letters(im.Results), []byte(test.data), test.args...), c)
			run(t, in, batch("a"))
			if got := c.fails[0]; got.code != test.want || !strings.HasPrefix(got.message, test.shows) {
				t.Fatalf("returned %d, data %q; want %d, %q", got.code, got.message, test.want, test.shows)
			}
			switch test.name {
			case "put":
				if c.state["new"] != "value" {
					t.Fatalf("state %q", c.state)
				}
			case "delete":
				if _, ok := c.state["b"]; ok {
					t.Fatal("b is still there")
				}
			case "metric add":
				if c.metric != -5 {
					t.Fatalf("metric %d", c.metric)
				}
			case "log":
				if len(c.lines) != 1 || c.lines[0] != "hello" {
					t.Fatalf("lines %q", c.lines)
				}
			}
		})
	}
}

func TestImports_AreRefusedDuringInit(t *testing.T) {
	emit := wasmtest.StepWith(func(m *wasmtest.Module, im wasmtest.Imports) {
		m.ExportFunc(abi.ExportInit, "ii", "i", "",
			wasmtest.Const(0), wasmtest.Const(0), wasmtest.Const(0), wasmtest.Const(0), wasmtest.Const(0), wasmtest.Call(im.StatePut))
	}, func(wasmtest.Imports) []byte { return wasmtest.Const(0) })
	_, err := instantiate(t, engine(t, guest.EngineOptions{}), emit, &calls{})
	if err == nil || !strings.Contains(err.Error(), "wasmill_init returned EPERM (-1)") {
		t.Fatalf("error %v", err)
	}
}

func TestImports_EmitsAreLimited(t *testing.T) {
	im, _ := abi.FindImport("emit")
	wasm := wasmtest.Probe("emit", letters(im.Params), letters(im.Results), nil, int32(0), int32(math.MaxUint16))
	e := engine(t, guest.EngineOptions{})
	m, err := e.Compile(t.Context(), wasm, "emit")
	if err != nil {
		t.Fatal(err)
	}
	c := &calls{}
	in, err := m.Instantiate(t.Context(), guest.Init{Limits: guest.Limits{Emit: 1000}}, c)
	if err != nil {
		t.Fatal(err)
	}
	if tr := trap(t, in, batch("a")); tr.Kind != guest.TrapABI || tr.Message != "emit got more than 1000 bytes in one call (limits.max_emit)" {
		t.Fatalf("trap %v", tr)
	}
	if c.fails[0].code != -7 {
		t.Fatalf("emit returned %d, want E2BIG", c.fails[0].code)
	}
}

func TestImports_WhatIsRefusedIsNotLostInSilence(t *testing.T) {
	im, _ := abi.FindImport("fail")
	wasm := wasmtest.Probe("fail", letters(im.Params), letters(im.Results), nil, int32(1), int32(0), int32(0), int32(0))
	c := &calls{}
	if tr := trap(t, instance(t, wasm, c), batch("a")); tr.Kind != guest.TrapABI || tr.Message != "fail got record 1 of a call with 1" {
		t.Fatalf("trap %v", tr)
	}
	if c.fails[0].code != -22 {
		t.Fatalf("fail returned %d, want EINVAL", c.fails[0].code)
	}
	c = &calls{refuse: abi.E2BIG}
	if tr := trap(t, instance(t, wasmtest.PassThrough(), c), batch("a")); tr.Kind != guest.TrapABI || !strings.Contains(tr.Message, "refused with E2BIG") {
		t.Fatalf("trap %v", tr)
	}
	if tr := trap(t, instance(t, wasmtest.FailOn("a", ""), &calls{refuse: abi.EIO}), batch("a")); tr.Kind != guest.TrapABI || tr.Message != "fail was refused with EIO" {
		t.Fatalf("trap %v", tr)
	}
}
