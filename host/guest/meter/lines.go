package meter

import (
	"encoding/binary"

	"github.com/wasmill/wasmill/host/guest/wasm"
)

// The smallest debug data, DWARF version 4, from which the engine takes a line
// for every address: a compile unit that covers the code, and one row. The
// line says nothing; the engine writes the code offset before it, as in
// "0x1f: w:1", and OffsetMap does the rest.
var (
	lineAbbrev = []byte{
		1, 0x11, 0, // a compile unit without children
		0x11, 0x01, // low_pc, an address
		0x12, 0x06, // high_pc, a length in 4 bytes
		0x10, 0x17, // stmt_list, an offset of sections
		0, 0, 0,
	}
	lineHeader = []byte{
		1, 1, 1, 0xfb, 14, 13, // bytes an instruction, operations, is_stmt, line base -5 and range, first special opcode
		0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1, // operands of the standard opcodes
		0,               // no directories
		'w', 0, 0, 0, 0, // one file
		0,
	}
)

// writeLines appends the debug data. Address 0 stands for code that was
// removed, so it begins at 1, which is within the section's count of bodies.
func (r *rewriter) writeLines() {
	if r.codeSize < 2 {
		return
	}
	le := binary.LittleEndian
	size := uint32(r.codeSize)
	custom := func(name string, body []byte) {
		section := r.begin(wasm.SecCustom)
		r.name(name)
		r.out = append(r.out, body...)
		r.end(section)
	}
	// Each unit begins with the length of what is behind the length.
	unit := func(body []byte) []byte {
		return append(le.AppendUint32(nil, uint32(len(body))), body...)
	}
	custom(".debug_abbrev", lineAbbrev)

	info := []byte{4, 0, 0, 0, 0, 0, 4, 1} // version, abbreviations at 0, bytes of an address, first abbreviation
	info = le.AppendUint32(info, 1)        // low_pc
	info = le.AppendUint32(info, size-1)   // high_pc, from there
	info = le.AppendUint32(info, 0)        // stmt_list
	custom(".debug_info", unit(info))

	line := le.AppendUint32([]byte{4, 0}, uint32(len(lineHeader)))
	line = append(line, lineHeader...)
	line = append(line, 0, 5, 2) // set_address
	line = le.AppendUint32(line, 1)
	line = append(line, 1, 2) // a row; advance_pc
	line = wasm.AppendU32(line, size-1)
	line = append(line, 0, 1, 1) // end of the sequence
	custom(".debug_line", unit(line))
}
