package wasm_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/wasmill/wasmill/host/guest/wasm"
)

// fault returns what is wrong with a module or with its code.
func fault(b []byte) error {
	m, err := wasm.Parse(b, wasm.Caps{})
	if err != nil {
		return err
	}
	var in wasm.Instr
	for i := range m.Bodies {
		c := m.Code(&m.Bodies[i])
		for c.Next(&in) {
		}
		if err := c.Err(); err != nil {
			return err
		}
	}
	return nil
}

func TestParse_RefusesMalformedModules(t *testing.T) {
	var (
		types   = section(1, "\x01\x60\x00\x00")
		table   = section(4, "\x01\x70\x00\x01")
		memory  = section(5, "\x01\x00\x01")
		one     = types + section(3, "\x01\x00")
		oneCode = section(10, "\x01\x02\x00\x0b")
	)
	for _, test := range []struct{ name, body, want string }{
		{"section without length", "\x01", "byte 9: the bytes end in the middle of something"},
		{"section past the end", "\x01\x05\x00", "byte 9: 5 entries do not fit into the 1 bytes that are left"},
		{"section past the end by 2^32", "\x01\xff\xff\xff\xff\x0f", "byte 9: 4294967295 entries do not fit into the 0 bytes"},
		{"unknown section", "\x0e\x00", "byte 8: section 14 is unknown"},
		{"count that lies", "\x01\x05\xff\xff\xff\xff\x0f", "type section, byte 10: 4294967295 entries do not fit"},
		{"number too big", "\x01\x05\xff\xff\xff\xff\x1f", "type section, byte 10: a number does not fit into 32 bits"},
		{"number too long", "\x01\x06\xff\xff\xff\xff\xff\xff", "type section, byte 10: a number does not fit into 32 bits"},
		{"padded number that is too long", "\x01\x06\x80\x80\x80\x80\x80\x00", "type section, byte 10: a number does not fit into 32 bits"},
		{"left over", types + section(3, "\x00\x00"), "function section, byte 17: 1 bytes are left over"},
		{"sections out of order", memory + table, "table section, byte 13: it is twice there or out of order"},
		{"a section twice", types + types, "type section, byte 14: it is twice there or out of order"},
		{"code before the data count", one + oneCode + section(12, "\x00"), "data count section, byte 24: it is twice there or out of order"},
		{"form of a type", section(1, "\x01\x61\x00\x00"), "type section, byte 11: type form 0x61 is not a function's"},
		{"value type", section(1, "\x01\x60\x01\x40\x00"), "type section, byte 13: value type 0x40 is unknown"},
		{"import of no type", section(2, "\x01\x01a\x01b\x00\x00"), "type 0 of 0"},
		{"import of no kind", section(2, "\x01\x01a\x01b\x09\x00"), "import section, byte 11: the import a.b is of kind 9"},
		{"name not UTF-8", section(2, "\x01\x01\xff\x01b\x00\x00"), "import section, byte 11: a name is not UTF-8"},
		{"export's name not UTF-8", memory + section(7, "\x01\x02\xc3\x28\x02\x00"), "export section, byte 16: a name is not UTF-8"},
		{"custom section's name not UTF-8", section(0, "\x01\x80"), "custom section, byte 10: a name is not UTF-8"},
		{"name past the end", section(0, "\x05ab"), "custom section, byte 10: 5 entries do not fit into the 2 bytes"},
		{"function of no type", section(3, "\x01\x00"), "function section, byte 11: type 0 of 0"},
		{"table of numbers", section(4, "\x01\x7f\x00\x00"), "table section, byte 11: type 0x7f is not a reference type"},
		{"limits the wrong way round", section(4, "\x01\x70\x01\x05\x04"), "table section, byte 12: the maximum of a table, 4, is below its minimum, 5"},
		{"flags of limits", section(5, "\x01\x08\x00"), "memory section, byte 11: limits of a memory have flags 0x8, which are unknown"},
		{"memory of more than 4 GiB", section(5, "\x01\x00\x81\x80\x04"), "memory section, byte 11: a memory of more than 65536 pages"},
		{"mutability", section(6, "\x01\x7f\x02\x41\x00\x0b"), "global section, byte 12: mutability 2 of a global"},
		{"global from a later one", section(6, "\x01\x7f\x00\x23\x00\x0b"), "global section, byte 13: global 0 of 0 in a constant expression"},
		{"expression of no constant", section(6, "\x01\x7f\x00\x20\x00\x0b"), "global section, byte 13: instruction 0x20 in a constant expression"},
		{"expression without end", section(6, "\x01\x7f\x00\x41\x00"), "the bytes end in the middle of something"},
		{"export of nothing", section(7, "\x01\x01f\x00\x07"), "export section, byte 11: it exports function 7 of 0"},
		{"export of no memory", section(7, "\x01\x01m\x02\x00"), "it exports memory 0 of 0"},
		{"export of a tag", section(7, "\x01\x01t\x04\x00"), "it exports tag 0 of 0"},
		{"export of no kind", section(7, "\x01\x01t\x05\x00"), "an export of kind 5"},
		{"two exports of one name", memory + section(7, "\x02\x01m\x02\x00\x01m\x02\x00"), "export section, byte 20: two exports have the same name"},
		{"start of nothing", section(8, "\x00"), "start section, byte 10: start function 0 of 0"},
		{"flags of elements", table + section(9, "\x01\x08\x41\x00\x0b\x00"), "element section, byte 17: a segment with flags 8"},
		{"elements for no table", section(9, "\x01\x00\x41\x00\x0b\x00"), "element section, byte 11: a segment for table 0 of 0"},
		{"kind of elements", section(9, "\x01\x01\x01\x00"), "element section, byte 11: a segment of element kind 1"},
		{"element of nothing", table + section(9, "\x01\x00\x41\x00\x0b\x01\x00"), "element section, byte 22: function 0 of 0"},
		{"fewer bodies", one + section(10, "\x00"), "code section, byte 20: 0 bodies for 1 functions"},
		{"no code", one, "code section, byte 18: there are functions without a body"},
		{"body past the end", one + section(10, "\x01\x05\x00\x0b"), "code section, byte 21: 5 entries do not fit into the 2 bytes"},
		{"locals past the body", one + section(10, "\x01\x02\x02\x0b"), "code section, byte 22: 2 entries do not fit into the 1 bytes"},
		{"2^31 locals", one + section(10, "\x01\x08\x01\xff\xff\xff\xff\x0f\x7f\x0b"), "code section, byte 23: a function of 4294967295 locals"},
		{"body without instructions", one + section(10, "\x01\x01\x00"), "code section, byte 23: a body without instructions"},
		{"body without end", one + section(10, "\x01\x02\x00\x01"), "code section, byte 24: a body without its end"},
		{"code behind the end", one + section(10, "\x01\x03\x00\x0b\x01"), "code section, byte 24: 1 bytes behind the end of a body"},
		{"instruction cut short", one + section(10, "\x01\x03\x00\x41\x80"), "code section, byte 25: the bytes end in the middle of something"},
		{"else without if", one + section(10, "\x01\x03\x00\x05\x0b"), "code section, byte 23: else without if"},
		{"branch out of too much", one + section(10, "\x01\x04\x00\x0c\x01\x0b"), "code section, byte 24: a branch out of 1 blocks where 1 are open"},
		{"target out of too much", one + section(10, "\x01\x06\x00\x0e\x01\x03\x00\x0b"), "code section, byte 25: a branch out of 3 blocks where 1 are open"},
		{"targets that lie", one + section(10, "\x01\x06\x00\x0e\xff\x7f\x00\x0b"), "code section, byte 24: 16383 entries do not fit into the 2 bytes"},
		{"i32 too big", one + section(10, "\x01\x08\x00\x41\xff\xff\xff\xff\x4f\x0b"), "code section, byte 24: a number does not fit into 32 bits"},
		{"i64 too big", one + section(10, "\x01\x0d\x00\x42\xff\xff\xff\xff\xff\xff\xff\xff\xff\x41\x0b"), "code section, byte 24: a number does not fit into 64 bits"},
		{"alignment", one + section(10, "\x01\x06\x00\x41\x00\x28\x20\x0b"), "an alignment of 2^32"},
		{"data flags", memory + section(11, "\x01\x03\x00"), "data section, byte 16: a segment with flags 3"},
		{"data for no memory", section(11, "\x01\x00\x41\x00\x0b\x00"), "data section, byte 11: a segment for memory 0 of 0"},
		{"data past the end", memory + section(11, "\x01\x00\x41\x00\x0b\x05a"), "data section, byte 20: 5 entries do not fit into the 1 bytes"},
		{"data count of another number", memory + section(12, "\x02") + section(11, "\x01\x01\x00"), "data section, byte 18: 1 segments, but the data count is 2"},
		{"data count without data", memory + section(12, "\x02"), "the data count names segments that are not there"},
	} {
		t.Run(test.name, func(t *testing.T) { refused(t, head+test.body, test.want) })
	}
}

func refused(t *testing.T, b, want string) {
	t.Helper()
	err := fault([]byte(b))
	var e *wasm.Error
	if !errors.As(err, &e) || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q", err, want)
		return
	}
	if e.Offset < 0 || e.Offset > len(b) {
		t.Errorf("byte %d of %d", e.Offset, len(b))
	}
}

// What is no core module of version 1 or 2 gets a sentence: what it is, that
// it is not supported, and often what to do.
func TestParse_SaysWhatIsNotSupported(t *testing.T) {
	for _, test := range []struct{ name, wasm, want string }{
		{"nothing", "", "it is too short to be a module"},
		{"text", "(module)", `it is not WebAssembly: it does not begin with \0asm`},
		{"an ELF file", "\x7fELF", `it is not WebAssembly`},
		{"a component", "\x00asm\x0d\x00\x01\x00", "it is a component, and components are not supported: build a core module"},
		{"a later component", "\x00asm\x0e\x00\x01\x00\x07", "it is a component"},
		{"version 2 of the format", "\x00asm\x02\x00\x00\x00", "its version of the binary format is not 1"},
		{"memory64", head + section(5, "\x01\x04\x01"), "a 64-bit memory belongs to memory64, which is not supported: build for wasm32"},
		{"a 64-bit table", head + section(4, "\x01\x70\x04\x01"), "a 64-bit table belongs to memory64"},
		{"a shared memory", head + section(5, "\x01\x03\x01\x02"), "a shared memory belongs to threads, which are not supported: build without atomics and shared memory"},
		{"an imported shared memory", head + section(2, "\x01\x03env\x06memory\x02\x03\x01\x02"), "a shared memory belongs to threads"},
		{"structures", head + section(1, "\x01\x5f\x00"+"\x00"), "type form 0x5f belongs to garbage collection, which is not supported"},
		{"recursive types", head + section(1, "\x01\x4e\x00\x00"), "garbage collection"},
		{"a reference to a type", head + section(1, "\x01\x60\x01\x64\x00"), "value type 0x64 belongs to typed function references"},
		{"anyref", head + section(1, "\x01\x60\x01\x6e\x00"), "value type 0x6e belongs to garbage collection"},
		{"exnref", head + section(1, "\x01\x60\x01\x69\x00"), "value type 0x69 belongs to exception handling"},
		{"tags", head + section(13, "\x01\x00\x00"), "section 13 is unknown: it belongs to exception handling, which is not supported"},
		{"an imported tag", head + section(2, "\x01\x03env\x05__cpp\x04\x00\x00"), "the import env.__cpp is a tag: exception handling is not supported"},
		{"a table with a value", head + section(4, "\x01\x40\x00\x70\x00\x01\xd0\x70\x0b"), "typed function references"},
		{"extended constants", head + section(6, "\x01\x7f\x00\x41\x01\x41\x01\x6a\x0b"), "a constant expression of more than one instruction belongs to extended constants"},
		{"a second memory in an access", function("\x41\x00\x28\x42\x01\x00\x1a"), "flags 0x42 name a memory: more than one memory is not supported"},
		{"a second memory in memory.size", function("\x3f\x01\x1a"), "memory 1 is named: more than one memory is not supported"},
		{"try", function("\x06\x40\x0b"), "instruction 0x6 belongs to exception handling, which is not supported: build without exceptions"},
		{"throw", function("\x08\x00"), "instruction 0x8 belongs to exception handling"},
		{"try_table", function("\x1f\x40\x00\x0b"), "instruction 0x1f belongs to exception handling"},
		{"return_call", function("\x12\x00"), "instruction 0x12 belongs to tail calls, which are not supported"},
		{"return_call_indirect", function("\x13\x00\x00"), "tail calls"},
		{"call_ref", function("\x14\x00"), "instruction 0x14 belongs to typed function references"},
		{"ref.eq", function("\xd3"), "instruction 0xd3 belongs to garbage collection"},
		{"struct.new", function("\xfb\x00\x00"), "belongs to garbage collection"},
		{"atomics", function("\xfe\x00\x02\x00"), "belongs to threads, which are not supported: build without atomics"},
		{"relaxed vectors", function("\xfd\x80\x02"), "belongs to relaxed vectors or another proposal"},
		{"a later bulk operation", function("\xfc\x12\x00"), "belongs to a proposal that is not supported"},
		{"no instruction", function("\xf0"), "instruction 0xf0 is unknown"},
		{"no instruction at all", function("\xff\x00"), "instruction 0xff is unknown"},
	} {
		t.Run(test.name, func(t *testing.T) { refused(t, test.wasm, test.want) })
	}
}

// Each cap refuses one more than it allows and says of what.
func TestParse_HoldsCaps(t *testing.T) {
	types := section(1, "\x02\x60\x02\x7f\x7f\x00\x60\x00\x00")
	for _, test := range []struct {
		caps wasm.Caps
		over string
	}{
		{wasm.Caps{Types: 1}, "types"}, {wasm.Caps{Values: 1}, "values of a type"}, {wasm.Caps{Functions: 1}, "functions"},
		{wasm.Caps{Body: 3}, "bytes of a function"}, {wasm.Caps{Locals: 1}, "locals of a function"}, {wasm.Caps{AllLocals: 3}, "locals"},
		{wasm.Caps{Customs: 1}, "custom sections"}, {wasm.Caps{Name: 1}, "bytes of a name"},
	} {
		b := head + section(0, "\x02ab") + types + section(3, "\x02\x01\x01") +
			section(10, "\x02", "\x04\x01\x02\x7f\x0b", "\x04\x01\x02\x7f\x0b") + section(0, "\x01c")
		_, err := wasm.Parse([]byte(b), test.caps)
		var e *wasm.Error
		if !errors.As(err, &e) || e.Over != test.over || !strings.Contains(e.Text, "are allowed") {
			t.Errorf("%+v: error %v", test.caps, err)
		}
		if _, err := wasm.Parse([]byte(b), wasm.Caps{Types: 2, Values: 2, Functions: 2, Body: 4, Locals: 2, AllLocals: 4, Customs: 2, Name: 2}); err != nil {
			t.Errorf("refused within the caps: %v", err)
		}
	}
}
