package watchdog_test

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

func TestDog_LiesDownAndWakes(t *testing.T) {
	d := dog(t)
	flag := new(uint64)
	s := slot(t, flag)
	for range 3 {
		until(t, "the dog lies", d.Lies)
		runtime.LockOSThread()
		s.Begin(time.Millisecond)
		spin(flag)
		if !s.End() {
			t.Error("a dog that was woken did not stop the guest")
		}
		runtime.UnlockOSThread()
	}
	until(t, "the dog lies", d.Lies)
	looks := d.Looks()
	<-time.After(50 * time.Millisecond)
	if n := d.Looks(); n > looks+1 { // the last look is made after it says so
		t.Errorf("a dog that lies looked %d times in 50 ms", n-looks)
	}
}

// Calls begin all the time while the dog lies down: none is missed.
func TestDog_MissesNoCallWhileItLiesDown(t *testing.T) {
	d := dog(t)
	flag := new(uint64)
	s := slot(t, flag)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for range 20 {
		until(t, "the dog is about to lie", func() bool {
			looks := d.Looks()
			for !d.Lies() && d.Looks() == looks {
			}
			return d.Lies()
		})
		s.Begin(0)
		spin(flag)
		if atomic.LoadUint64(flag) == 0 {
			t.Fatal("not stopped in 30 s: the wake-up was lost")
		}
		s.End()
	}
}
