//go:build wasip1

package wasmill

import "unsafe"

// instance is the one of this module's memory.
var instance Context

//go:wasmexport wasmill_abi_1
func exportMarker() {}

//go:wasmexport wasmill_alloc
func exportAlloc(n int32) unsafe.Pointer {
	return unsafe.Pointer(unsafe.SliceData(instance.alloc(int(n))))
}

//go:wasmexport wasmill_init
func exportInit(ptr unsafe.Pointer, n int32) int32 {
	return instance.initialise(unsafe.Slice((*byte)(ptr), n))
}

//go:wasmexport wasmill_process
func exportProcess(op int32, ptr unsafe.Pointer, n int32) int32 {
	return instance.process(op, unsafe.Slice((*byte)(ptr), n))
}
