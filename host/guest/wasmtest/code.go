package wasmtest

// Instructions without an immediate.
var (
	Unreachable = []byte{0x00}
	End         = []byte{0x0b}
	Return      = []byte{0x0f}
	Drop        = []byte{0x1a}
	MemorySize  = []byte{0x3f, 0}
	MemoryGrow  = []byte{0x40, 0}
	Eqz         = []byte{0x45}
	Eq          = []byte{0x46}
	Ne          = []byte{0x47}
	GeU         = []byte{0x4f}
	GtU         = []byte{0x4b}
	Add         = []byte{0x6a}
	Sub         = []byte{0x6b}
	DivU        = []byte{0x6e}
	And         = []byte{0x71}
	Shl         = []byte{0x74}
	ShrU        = []byte{0x76}
	Fill        = []byte{0xfc, 11, 0}
)

// Block opens a block without a result, which End closes.
var Block = []byte{0x02, 0x40}

// Loop opens a loop without a result.
var Loop = []byte{0x03, 0x40}

// If opens the branch taken when the top of the stack is not zero.
var If = []byte{0x04, 0x40}

// Br leaves depth+1 blocks, or begins a loop again.
func Br(depth byte) []byte { return []byte{0x0c, depth} }

// BrIf is Br when the top of the stack is not zero.
func BrIf(depth byte) []byte { return []byte{0x0d, depth} }

// Const pushes an i32.
func Const(v int32) []byte { return append([]byte{0x41}, sleb(int64(v))...) }

// Const64 pushes an i64.
func Const64(v int64) []byte { return append([]byte{0x42}, sleb(v)...) }

// Get pushes a local.
func Get(local byte) []byte { return []byte{0x20, local} }

// Set pops into a local.
func Set(local byte) []byte { return []byte{0x21, local} }

// Call calls a function.
func Call(f uint32) []byte { return append([]byte{0x10}, uleb(uint64(f))...) }

// Load pushes the i32 at the address popped plus off.
func Load(off uint32) []byte { return access(0x28, 2, off) }

// Load8 pushes the byte at the address popped plus off.
func Load8(off uint32) []byte { return access(0x2d, 0, off) }

// Store stores an i32 at the address below it plus off.
func Store(off uint32) []byte { return access(0x36, 2, off) }

// Store8 stores the low byte of an i32.
func Store8(off uint32) []byte { return access(0x3a, 0, off) }

// Store16 stores the low half of an i32.
func Store16(off uint32) []byte { return access(0x3b, 1, off) }

// Store64 stores an i64.
func Store64(off uint32) []byte { return access(0x37, 3, off) }

func access(op, align byte, off uint32) []byte {
	return append([]byte{op, align}, uleb(uint64(off))...)
}
