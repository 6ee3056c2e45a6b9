package meter_test

import (
	"bytes"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/wasmill/wasmill/host/guest/meter"
)

// The compiler must not answer a check in a straight line from the one before:
// 20,000 copies of 1 MiB take a second and more, and the flag is set when the
// first is made.
func TestRewrite_ChecksInAStraightLineAreFresh(t *testing.T) {
	segment := make([]byte, 1<<20)
	segment[0] = 1
	once := op(0x41, 0, 0x41, 0, 0x41, 0x80, 0x80, 0xc0, 0, 0xfc, 8, 0, 0)
	b := raw(sec(1, sig("", "")), sec(3, op(0)), sec(5, op(0, 16)), sec(7, export("line", 0, 0)), op(12, 1, 1),
		sec(10, body(bytes.Repeat(once, 20_000))), sec(11, append(appendLen([]byte{1}, len(segment)), segment...)))
	// The guest must not have the only CPU: who sets the flag needs one.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(max(2, runtime.NumCPU())))
	w := start(t, b, meter.Options{})
	flag := w.global(meter.ExportFlag)
	first, _ := w.Memory().Read(0, 4)
	begun := (*uint32)(unsafe.Pointer(&first[0]))
	for range 5 { // on a busy machine the flag may be set when it is over
		atomic.StoreUint32(begun, 0)
		flag.Set(0)
		var wait sync.WaitGroup
		var over, late atomic.Bool
		ready := make(chan struct{})
		wait.Go(func() {
			close(ready)
			for atomic.LoadUint32(begun) == 0 {
			}
			flag.Set(1)
			late.Store(over.Load())
		})
		<-ready
		_, err := w.call("line")
		over.Store(true)
		wait.Wait()
		if errors.Is(err, errStopped) {
			return
		}
		if !late.Load() {
			t.Fatalf("the flag was set, and it ended with %v", err)
		}
	}
	t.Fatal("the flag was never set in time")
}
