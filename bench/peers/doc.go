// Package peers compares a step of wasmill with the same step in other
// programs that run WebAssembly from Go: Benthos' wasm processor and Extism's
// Go SDK. It is a module of its own, so that theirs stay out of wasmill's.
//
//	go test -run '^$' -bench .
package peers
