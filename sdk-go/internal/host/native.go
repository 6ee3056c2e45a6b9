//go:build !wasip1

// Package host is the border: what the module imports from the host. Under
// wasip1 these are the imports of module wasmill_v1; in a native build they
// go to the Host that package wasmilltest sets.
package host

import "sync"

// Host has one method for each import of module wasmill_v1, whose meaning is in
// abi/SPEC.md, and Random for WASI's random_get. Slices are the caller's and good for the length of the call.
type Host interface {
	Emit(frame []byte) int32
	Fail(index uint32, code int32, message string) int32
	StateGet(store uint32, key, buf []byte) int32
	StatePut(store uint32, key, value []byte) int32
	StateDelete(store uint32, key []byte) int32
	StateScan(store uint32, start, end, buf []byte) int32
	StateGetMany(store uint32, keys, buf []byte) int32
	Resume(token []byte) int32
	Log(level int32, message string) int32
	LogEnabled(level int32) int32
	MetricDefine(kind int32, name string) int32
	MetricAdd(handle int32, delta int64) int32
	Now() int64
	Random(b []byte)
}

// Instance is the module's side: its exports.
type Instance interface {
	Alloc(n int) []byte
	Init(payload []byte) int32
	Process(op int32, payload []byte) int32
}

// NewInstance makes an instance of the module; package wasmill sets it.
var NewInstance func() Instance

var (
	mu      sync.Mutex // held during a call into an instance: its imports go to current
	current Host
)

// Call runs fn, during which the imports go to h. Calls of all hosts of a
// process follow one another, because a module's variables are shared.
func Call(h Host, fn func() int32) int32 {
	mu.Lock()
	defer mu.Unlock()
	current = h
	defer func() { current = nil }()
	return fn()
}

func Emit(frame []byte) int32 { return current.Emit(frame) }

func Fail(index uint32, code int32, message string) int32 {
	return current.Fail(index, code, message)
}

func StateGet(store uint32, key, buf []byte) int32   { return current.StateGet(store, key, buf) }
func StatePut(store uint32, key, value []byte) int32 { return current.StatePut(store, key, value) }
func StateDelete(store uint32, key []byte) int32     { return current.StateDelete(store, key) }

func StateScan(store uint32, start, end, buf []byte) int32 {
	return current.StateScan(store, start, end, buf)
}

func StateGetMany(store uint32, keys, buf []byte) int32 {
	return current.StateGetMany(store, keys, buf)
}

func Resume(token []byte) int32                  { return current.Resume(token) }
func Log(level int32, message string) int32      { return current.Log(level, message) }
func LogEnabled(level int32) int32               { return current.LogEnabled(level) }
func MetricDefine(kind int32, name string) int32 { return current.MetricDefine(kind, name) }
func MetricAdd(handle int32, delta int64) int32  { return current.MetricAdd(handle, delta) }
func Now() int64                                 { return current.Now() }
func Random(b []byte)                            { current.Random(b) }
