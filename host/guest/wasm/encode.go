package wasm

// AppendU32 appends an unsigned LEB128.
func AppendU32(b []byte, v uint32) []byte {
	for v >= 0x80 {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v))
}

// AppendS64 appends a signed LEB128.
func AppendS64(b []byte, v int64) []byte {
	for {
		c := byte(v & 0x7f)
		v >>= 7
		if v == 0 && c&0x40 == 0 || v == -1 && c&0x40 != 0 {
			return append(b, c)
		}
		b = append(b, c|0x80)
	}
}

// AppendOp appends an instruction's number.
func AppendOp(b []byte, op Op) []byte {
	if op <= 0xff {
		return append(b, byte(op))
	}
	return AppendU32(append(b, byte(op>>8)), uint32(op&0xff))
}

// AppendName appends a length and a name.
func AppendName(b []byte, name string) []byte {
	return append(AppendU32(b, uint32(len(name))), name...)
}

// AppendSection appends a section with its number and length.
func AppendSection(b []byte, id byte, body []byte) []byte {
	return append(AppendU32(append(b, id), uint32(len(body))), body...)
}

// AppendBlockType appends the type of a block as Instr.Block has it.
func AppendBlockType(b []byte, t int32) []byte { return AppendS64(b, int64(t)) }
