//go:build wasip1

// Package host is the border: what the module imports from the host. Under
// wasip1 these are the imports of module wasmill_v1; in a native build they
// go to the Host that package wasmilltest sets.
package host

import "unsafe"

// Emit and the others have the meaning and the results that abi/SPEC.md gives
// to the import of that name.
func Emit(frame []byte) int32 { return emit(ptr(frame), size(frame)) }

func Fail(index uint32, code int32, message string) int32 {
	return fail(index, code, unsafe.Pointer(unsafe.StringData(message)), uint32(len(message)))
}

func StateGet(store uint32, key, buf []byte) int32 {
	return stateGet(store, ptr(key), size(key), ptr(buf), size(buf))
}

func StatePut(store uint32, key, value []byte) int32 {
	return statePut(store, ptr(key), size(key), ptr(value), size(value))
}

func StateDelete(store uint32, key []byte) int32 { return stateDelete(store, ptr(key), size(key)) }

func StateScan(store uint32, start, end, buf []byte) int32 {
	return stateScan(store, ptr(start), size(start), ptr(end), size(end), ptr(buf), size(buf))
}

func StateGetMany(store uint32, keys, buf []byte) int32 {
	return stateGetMany(store, ptr(keys), size(keys), ptr(buf), size(buf))
}

func Resume(token []byte) int32 { return resume(ptr(token), size(token)) }

func Log(level int32, message string) int32 {
	return log(level, unsafe.Pointer(unsafe.StringData(message)), uint32(len(message)))
}

func LogEnabled(level int32) int32 { return logEnabled(level) }

func MetricDefine(kind int32, name string) int32 {
	return metricDefine(kind, unsafe.Pointer(unsafe.StringData(name)), uint32(len(name)))
}

func MetricAdd(handle int32, delta int64) int32 { return metricAdd(handle, delta) }

func Now() int64 { return now() }

// Random fills b by WASI's random_get, which begins anew with every call.
func Random(b []byte) { randomGet(ptr(b), size(b)) }

func ptr(b []byte) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(b)) }
func size(b []byte) uint32        { return uint32(len(b)) }

//go:wasmimport wasmill_v1 emit
//go:noescape
func emit(ptr unsafe.Pointer, n uint32) int32

//go:wasmimport wasmill_v1 fail
//go:noescape
func fail(index uint32, code int32, ptr unsafe.Pointer, n uint32) int32

//go:wasmimport wasmill_v1 state_get
//go:noescape
func stateGet(store uint32, key unsafe.Pointer, klen uint32, buf unsafe.Pointer, room uint32) int32

//go:wasmimport wasmill_v1 state_put
//go:noescape
func statePut(store uint32, key unsafe.Pointer, klen uint32, value unsafe.Pointer, vlen uint32) int32

//go:wasmimport wasmill_v1 state_delete
//go:noescape
func stateDelete(store uint32, key unsafe.Pointer, klen uint32) int32

//go:wasmimport wasmill_v1 state_scan
//go:noescape
func stateScan(store uint32, start unsafe.Pointer, slen uint32, end unsafe.Pointer, elen uint32, buf unsafe.Pointer, room uint32) int32

//go:wasmimport wasmill_v1 state_get_many
//go:noescape
func stateGetMany(store uint32, keys unsafe.Pointer, klen uint32, buf unsafe.Pointer, room uint32) int32

//go:wasmimport wasmill_v1 resume
//go:noescape
func resume(ptr unsafe.Pointer, n uint32) int32

//go:wasmimport wasmill_v1 log
//go:noescape
func log(level int32, ptr unsafe.Pointer, n uint32) int32

//go:wasmimport wasmill_v1 log_enabled
func logEnabled(level int32) int32

//go:wasmimport wasmill_v1 metric_define
//go:noescape
func metricDefine(kind int32, ptr unsafe.Pointer, n uint32) int32

//go:wasmimport wasmill_v1 metric_add
func metricAdd(handle int32, delta int64) int32

//go:wasmimport wasmill_v1 now
func now() int64

//go:wasmimport wasi_snapshot_preview1 random_get
//go:noescape
func randomGet(buf unsafe.Pointer, n uint32) int32
