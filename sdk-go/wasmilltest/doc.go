// Package wasmilltest runs a step natively, against a host that keeps its
// state in memory, so that go test covers a step without WebAssembly:
//
//	h := wasmilltest.New(t, wasmilltest.Options{Stores: []string{"counts"}})
//	got := h.Batch(wasmill.Record{Key: []byte("a"), Value: []byte("1")})
//	// got.Emitted, got.Failed, h.Store("counts")
//
// It is as strict as the host: limits hold, malformed frames are refused, a
// batch with failed records is undone and the others run again, and what the
// step keeps of a batch after its function has returned is overwritten.
package wasmilltest
