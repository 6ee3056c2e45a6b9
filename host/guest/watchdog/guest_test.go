package watchdog_test

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/tetratelabs/wazero"
)

func TestDog_StopsAGuestThatLoops(t *testing.T) {
	l := newLoop(t, newRuntime(t, wazero.NewRuntimeConfig()))
	s := slot(t, l.flag)
	for range 5 { // the flag is cleared: the instance can be called again
		stopped, took := l.run(t, s, 10*time.Millisecond)
		if !stopped || took < 10*time.Millisecond || took > 10*time.Second {
			t.Errorf("stopped %v after %v, want it between 10 ms and 10 s", stopped, took)
		}
		t.Log(took)
		if v := atomic.LoadUint64(l.flag); v != 0 {
			t.Errorf("the flag is %d after End", v)
		}
	}
}

// A garbage collection stops the world and waits for the guest; no goroutine
// runs until the guest is back.
func TestDog_StopsAGuestThatACollectionWaitsFor(t *testing.T) {
	if !ownThread {
		t.Skip("here the dog needs the Go scheduler")
	}
	const limit = 500 * time.Millisecond
	l := newLoop(t, newRuntime(t, wazero.NewRuntimeConfig()))
	s := slot(t, l.flag)
	mem, ok := l.mod.Memory().Read(0, 4)
	if !ok {
		t.Fatal("no memory")
	}
	began := time.Now()
	var wg sync.WaitGroup
	defer wg.Wait()
	wg.Go(func() {
		if stopped, took := l.run(t, s, limit); !stopped {
			t.Errorf("not stopped, but back after %v", took)
		}
	})
	running := (*uint32)(unsafe.Pointer(&mem[0]))
	for atomic.LoadUint32(running) == 0 {
		runtime.Gosched()
	}
	if since := time.Since(began); since > limit/2 {
		t.Skipf("the guest began after %v: this machine is too busy to show anything", since)
	}
	runtime.GC()
	if took := time.Since(began); took < limit || took > limit+10*time.Second {
		t.Errorf("the collection was over after %v, want it soon after the limit of %v", took, limit)
	} else {
		t.Logf("the collection was over %v after the limit", took-limit)
	}
}

func TestDog_StopsManyGuestsAtOnce(t *testing.T) {
	r := newRuntime(t, wazero.NewRuntimeConfig())
	var wg sync.WaitGroup
	for i := range 16 {
		l := newLoop(t, r)
		s := slot(t, l.flag)
		limit := time.Duration(i%4+1) * 5 * time.Millisecond
		wg.Go(func() {
			if stopped, took := l.run(t, s, limit); !stopped || took < limit {
				t.Errorf("limit %v: stopped %v after %v", limit, stopped, took)
			}
		})
	}
	wg.Wait()
}
