// Package debugdata finds the places in the source that an instruction of a
// module comes from, by the DWARF data that compilers put into it: versions 2
// to 5, as described by the standard and by "DWARF for WebAssembly".
//
// The data is a stranger's. It is read within a budget that counts what is
// read and not time, so that an answer does not depend on the machine: one
// lookup, and all lookups of a module, end after so many steps, whatever the
// data says. Nothing is allocated from a count that the data claims. What is
// corrupt has no places, and neither has what lies behind it.
//
// Not read: the 64-bit format, split and supplementary files, type units.
package debugdata
