package admit

import "math"

// effort is an upper estimate of what a function costs the compiler beyond
// perByte for each of its bytes, in nanoseconds of one CPU. wazero's compiler
// is linear in most things, at 0.1 to 2 s a MiB, and more than linear in
// these, as measured with functions made of nothing else:
//
//	blocks²             12 ns   dominators, layout; 40,000 empty blocks (120 KB) take 13 s
//	blocks x variables   4 µs   a variable is carried into each block where ways meet
//	values               4 µs   results of calls and values that blocks hand on: 1.6 µs, but 270 bytes
//
// A target of a br_table counts as a quarter of a block; the depth of nesting
// matters only by the number of blocks. What real functions cost is explained
// by their bytes, but for a few of an interpreter's.
type effort struct {
	blocks    int // straight pieces of code: what begins where ways part or meet
	targets   int // of br_tables
	variables int // parameters, locals and the most operands at once
	values    int // that calls, blocks and branches take and give
}

// perByte is what a byte of code may cost: 10 s a MB, several times what
// ordinary code does.
const perByte = 10_000

func (e *effort) nanoseconds(bytes int) float64 {
	b, v := float64(e.blocks)+float64(e.targets)/4, float64(e.variables)
	return max(0, 12*b*b+4000*(b*v+float64(e.values))-perByte*float64(bytes))
}

// milliseconds rounds down, and holds what no int could.
func milliseconds(ns float64) int { return int(min(ns/1e6, math.MaxInt32)) }
