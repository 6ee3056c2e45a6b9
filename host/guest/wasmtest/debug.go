package wasmtest

import "encoding/binary"

// Unit is what there is of a compile unit's debug data: one function with at
// most one call that was inlined into it, and its lines. Addresses are offsets
// from the contents of the code section on.
type Unit struct {
	Dir       string // that the compiler ran in
	Files     []string
	Function  string
	Low, High uint32
	Inlined   string // name of the function whose call was; "" without one
	InlineLow uint32 // to High
	CallLine  uint64 // in the first file, column 3
	Rows      []Row  // in the order of their addresses
}

// Row says from where on code comes from a line. Files count from 1.
type Row struct {
	At           uint32
	File         byte
	Line, Column uint64
}

// Debug returns sections of DWARF version 4 by their names.
func Debug(u Unit) map[string][]byte {
	le := binary.LittleEndian
	sized := func(b []byte) []byte { return append(le.AppendUint32(nil, uint32(len(b))), b...) }
	zero := func(s string) []byte { return append([]byte(s), 0) }

	abbrev := join([][]byte{
		// compile unit: comp_dir string, stmt_list sec_offset, low_pc addr, high_pc data4
		{1, 0x11, 1, 0x1b, 0x08, 0x10, 0x17, 0x11, 0x01, 0x12, 0x06, 0, 0},
		// subprogram: name string, low_pc addr, high_pc data4
		{2, 0x2e, 1, 0x03, 0x08, 0x11, 0x01, 0x12, 0x06, 0, 0},
		// subprogram that is inlined: name strp
		{3, 0x2e, 0, 0x03, 0x0e, 0, 0},
		// inlined: abstract_origin ref4, low_pc addr, high_pc data4, call_file data1, call_line udata, call_column data1
		{4, 0x1d, 0, 0x31, 0x13, 0x11, 0x01, 0x12, 0x06, 0x58, 0x0b, 0x59, 0x0f, 0x57, 0x0b, 0, 0},
		{0},
	})
	info := []byte{4, 0, 0, 0, 0, 0, 4} // version, abbreviations at 0, bytes of an address
	info = append(append(info, 1), zero(u.Dir)...)
	info = le.AppendUint32(info, 0)
	info = le.AppendUint32(le.AppendUint32(info, u.Low), u.High-u.Low)
	origin := uint32(4 + len(info))
	info = append(info, 3, 0, 0, 0, 0)
	info = append(append(info, 2), zero(u.Function)...)
	info = le.AppendUint32(le.AppendUint32(info, u.Low), u.High-u.Low)
	if u.Inlined != "" {
		info = le.AppendUint32(append(info, 4), origin)
		info = le.AppendUint32(le.AppendUint32(info, u.InlineLow), u.High-u.InlineLow)
		info = append(append(append(info, 1), uleb(u.CallLine)...), 3)
	}
	info = append(info, 0, 0)

	header := []byte{1, 1, 1, 0xfb, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1, 0}
	for _, f := range u.Files {
		header = append(append(header, zero(f)...), 0, 0, 0)
	}
	header = append(header, 0)
	line := le.AppendUint32([]byte{4, 0}, uint32(len(header)))
	line = append(line, header...)
	previous := uint64(1)
	for _, r := range u.Rows {
		line = le.AppendUint32(append(line, 0, 5, 2), r.At)             // set_address
		line = append(line, 4, r.File)                                  // set_file
		line = append(append(line, 5), uleb(r.Column)...)               // set_column
		line = append(append(line, 3), sleb(int64(r.Line-previous))...) // advance_line
		line, previous = append(line, 1), r.Line                        // copy
	}
	line = le.AppendUint32(append(line, 0, 5, 2), u.High)
	line = append(line, 0, 1, 1) // end_sequence
	return map[string][]byte{
		".debug_abbrev": abbrev, ".debug_info": sized(info), ".debug_line": sized(line), ".debug_str": zero(u.Inlined),
	}
}

// WithSections appends custom sections to a module.
func WithSections(wasm []byte, sections map[string][]byte) []byte {
	wasm = append([]byte(nil), wasm...)
	for name, contents := range sections {
		body := append(str(name), contents...)
		wasm = append(append(append(wasm, 0), uleb(uint64(len(body)))...), body...)
	}
	return wasm
}
