// Package spectest has no code but tests: the proofs that a rewritten module
// does what the original does. One runs the specification's own suite over
// rewritten modules, the other compares generated modules with what the
// rewriter makes of them.
//
// The suite is the one that wazero carries with its tests, compiled to
// binary; it is read from the module cache.
package spectest
