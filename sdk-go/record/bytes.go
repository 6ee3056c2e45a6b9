package record

// Little-endian numbers, in the form that the compiler turns into one load or
// store. encoding/binary would bring package reflect into every module.

func get16(b []byte) uint16 { _ = b[1]; return uint16(b[0]) | uint16(b[1])<<8 }

func get32(b []byte) uint32 {
	_ = b[3]
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
}

func get64(b []byte) uint64 {
	_ = b[7]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

func put16(b []byte, v uint16) { _ = b[1]; b[0], b[1] = byte(v), byte(v>>8) }

func put32(b []byte, v uint32) {
	_ = b[3]
	b[0], b[1], b[2], b[3] = byte(v), byte(v>>8), byte(v>>16), byte(v>>24)
}

func put64(b []byte, v uint64) {
	_ = b[7]
	b[0], b[1], b[2], b[3] = byte(v), byte(v>>8), byte(v>>16), byte(v>>24)
	b[4], b[5], b[6], b[7] = byte(v>>32), byte(v>>40), byte(v>>48), byte(v>>56)
}

func append32(b []byte, v uint32) []byte {
	return append(b, byte(v), byte(v>>8), byte(v>>16), byte(v>>24))
}

// pad returns n rounded up to a multiple of 8.
func pad(n int) int { return (n + 7) &^ 7 }

// zeroTail reports whether b is zero from off to its end, fewer than 8 bytes
// away. b has 8 bytes at least.
func zeroTail(b []byte, off int) bool {
	n := len(b) - off
	return n == 0 || get64(b[len(b)-8:])>>(64-8*n) == 0
}

func length(b []byte) uint32 {
	if b == nil {
		return null
	}
	return uint32(len(b))
}
