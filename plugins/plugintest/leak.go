package plugintest

import (
	"runtime"
	"testing"
	"time"
)

// NoLeak fails the test if, when it and its cleanups so far are over, more
// goroutines run than now. It waits up to half a minute for those that are ending.
func NoLeak(t testing.TB) {
	before := runtime.NumGoroutine()
	t.Cleanup(func() {
		deadline := time.Now().Add(30 * time.Second)
		for runtime.NumGoroutine() > before && time.Now().Before(deadline) {
			runtime.Gosched()
		}
		if n := runtime.NumGoroutine(); n > before {
			buf := make([]byte, 1<<16)
			t.Errorf("%d goroutines before, %d after:\n%s", before, n, buf[:runtime.Stack(buf, true)])
		}
	})
}
