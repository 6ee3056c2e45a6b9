// Package wasmill is the Go SDK for the steps of a wasmill job.
//
// A step is an ordinary main package that registers its functions in an init
// function, because a module's main never runs:
//
//	package main
//
//	import wasmill "github.com/wasmill/wasmill/sdk-go"
//
//	func init() {
//		wasmill.Step(func(cx *wasmill.Context, r *wasmill.Record) error {
//			return cx.Emit(&wasmill.Record{Key: r.Key, Value: bytes.ToUpper(r.Value)})
//		})
//	}
//
//	func main() {}
//
// wasmill builds it when a job names its directory; by hand it is
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -o step.wasm .
//
// A batch is a transaction. If a record fails, by an error that the function
// returns for it, by Fail or by a panic, all that the batch did is dropped,
// the failed records go to the job's error policy, and the others run again
// as one batch. So what a step keeps in variables between records must not
// outlive the batch: the host may run a batch again, and may replace the
// instance between any two batches. What has to last is kept in a store.
//
// In a native build the same functions run against the fake host of package
// wasmilltest, so that go test needs no WebAssembly.
package wasmill
