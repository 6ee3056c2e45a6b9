// Package passthrough holds the least guest: it emits every batch as it
// came, with each record caused by itself. Benchmarks measure with it what
// the host costs, tests take it where any guest will do.
package passthrough

import _ "embed"

// Wasm is the module. wasmtest.PassThrough assembles it.
//
//go:embed passthrough.wasm
var Wasm []byte
