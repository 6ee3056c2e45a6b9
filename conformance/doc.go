// Package conformance holds what every SDK has to do: its tests build the
// conformance program of each, in guests, and run all cases in the real engine
// against one expected result, byte for byte. README.md tells what the program
// does in each case.
package conformance
