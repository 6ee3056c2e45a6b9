package task

import (
	"runtime"
	"testing"
	"time"
)

func TestStopwatch_CountsNoTimeOffTheCPU(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("this system does not tell the CPU time of a thread")
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	w := startWatch()
	time.Sleep(50 * time.Millisecond) // it is the sleep that must not count
	if e := w.elapsed(); e > 25*time.Millisecond {
		t.Errorf("a sleep of 50 ms counts as %v", e)
	}
	w = startWatch()
	for began := time.Now(); time.Since(began) < 20*time.Millisecond; {
	}
	if e := w.elapsed(); e <= 0 {
		t.Errorf("20 ms of work count as %v", e)
	}
}
