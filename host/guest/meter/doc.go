// Package meter rewrites modules so that the host can stop them, count what
// they do, bound their stacks, and make many instances of one of them.
//
// What the rewritten module computes is what the original computes, but for:
//
//   - It imports wasmill_meter.tick, and exports the names below.
//   - A stop. How, the Form says.
//   - A stack budget: calls that would use more than Options.Stack bytes end
//     in a tick whose depth is above the budget.
//   - Tables and memories have a maximum.
//   - Active data segments are gone or empty, for the host applies Result.Data; the
//     start function is an export, for the host calls it afterwards. So one
//     module serves fresh instances and those resumed from an image.
//   - All custom sections are dropped but the names of functions.
//
// # What the module exports
//
// "wasmill:flag" (i32) asks for a stop: the host stores 1, at any time.
// "wasmill:depth" (i32) are the bytes of stack in use; a call that ends in a
// trap leaves it wrong. "wasmill:fuel" (i64, Counted) is what is left; it is 0
// until the host sets it. "wasmill:start" is the start function, and
// "wasmill:g<N>" is the guest's own mutable global N.
//
// # What is counted
//
// Fuel is counted in instructions. A function's entry costs all instructions
// of the function that are outside of loops, and each pass of a loop's head
// all instructions of the loop that are outside of inner loops, whether they
// run or not; an end counts as an instruction. So the count is an upper bound
// and the same in every run. Besides, memory.fill and memory.copy cost a
// sixteenth of their bytes, memory.init a sixteenth of its segment's, and an
// instruction that fills, copies or grows a table 1,000. A function that runs
// out is stopped before what the fuel was for.
//
// # How long a guest can go unchecked
//
// There is a check at the head of every loop, before every call_indirect and
// in every cycle of direct calls. On a path without one there are at most
// 100,000 instructions, callees included, between two checks, and as many
// again as a function has in one piece without a call. Where recursion
// returns, frames follow each other: a frame in a cycle of calls that may run
// more than 1,000 instructions on its way back is checked behind its calls,
// and another pays a byte of stack for every 32 of them besides, so that a
// budget of 1 MiB unwinds in 32 million instructions at most.
package meter

// Version is that of the rewriting. It is part of the key of whatever is kept
// of a rewritten module.
const Version = 2

// The import that a rewritten module gets, behind its own: (i32 depth) -> ().
const (
	ImportModule = "wasmill_meter"
	ImportTick   = "tick"
)

// The exports that a rewritten module gets.
const (
	ExportFlag   = "wasmill:flag"
	ExportDepth  = "wasmill:depth"
	ExportFuel   = "wasmill:fuel"
	ExportStart  = "wasmill:start"
	ExportGlobal = "wasmill:g" // and the global's index

	exportPrefix = "wasmill:"
)

const (
	pathLimit    = 100_000  // instructions between two checks
	cycleSum     = 4_000    // from here on the longest path through a member of a cycle is looked for
	hostCall     = 100      // instructions that a call of a host function stands for
	tableCost    = 1_000    // instructions that a bulk operation on a table stands for
	bulkCost     = 1_000    // instructions that a bulk operation below bulkCheck stands for
	bulkCheck    = 16 << 10 // bytes from which on a bulk operation is checked
	bulkPiece    = 1 << 20  // bytes that are moved between two checks
	chainLimit   = 64 << 10 // bytes of frames that may be used without a budget
	longTail     = 1_000    // instructions behind calls in a cycle from which on returns are checked
	unwindShift  = 5        // log2 of the instructions that cost a byte of stack
	frameBytes   = 32       // of a frame without locals and operands
	mostFrame    = 1 << 30  // a frame's cost, and the greatest budget
	defaultStack = 1 << 20
	defaultTable = 100_000
)
