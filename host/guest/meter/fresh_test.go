package meter_test

import (
	"bytes"
	"sync"
	"testing"

	"github.com/wasmill/wasmill/host/guest/meter"
)

// The compiler must not answer a check in a straight line from the one before:
// 20,000 copies of 1 MiB take a second and more, and the flag is set when they
// begin.
func TestRewrite_ChecksInAStraightLineAreFresh(t *testing.T) {
	segment := make([]byte, 1<<20)
	once := op(0x41, 0, 0x41, 0, 0x41, 0x80, 0x80, 0xc0, 0, 0xfc, 8, 0, 0)
	b := raw(sec(1, sig("", "")), sec(3, op(0)), sec(5, op(0, 16)), sec(7, export("line", 0, 0)), op(12, 1, 1),
		sec(10, body(bytes.Repeat(once, 20_000))), sec(11, append(appendLen([]byte{1}, len(segment)), segment...)))
	o := meter.Options{}
	w := start(t, b, o)
	var (
		flag  = w.global(meter.ExportFlag)
		wait  sync.WaitGroup
		begun = make(chan struct{})
	)
	wait.Go(func() {
		<-begun
		flag.Set(1)
	})
	close(begun)
	w.wantEnd(t, errStopped, "line")
	wait.Wait()
}
