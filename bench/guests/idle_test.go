package guests_test

import (
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/wasmill/wasmill/host/guest"
)

// idleInstances is how many live side by side when their memory is measured.
const idleInstances = 50

// BenchmarkIdle measures the resident memory of an instance that has done a
// batch of 16 records of the case json and waits for the next.
func BenchmarkIdle(b *testing.B) {
	c := &cases[1]
	some := func(l *language, m guest.Module, n int) {
		for range n {
			l.start(b, m, c, "fast").must(b, c.batch(16))
		}
	}
	modules := map[*language]guest.Module{}
	for _, l := range built(b) {
		e, end := newEngine(b, "")
		defer end() // none before all are measured: what it frees would count
		modules[l] = l.compile(b, e)
		some(l, modules[l], 10) // what the first ones cost is the module's
	}
	for _, l := range built(b) {
		before := resident(b)
		some(l, modules[l], idleInstances)
		each := float64(resident(b)-before) / idleInstances / 1024
		b.Run("guest="+l.name, func(b *testing.B) {
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(each, "KiB/instance")
		})
	}
}

// resident returns the resident memory in bytes once the heap has given back
// what it does not need. A page that several instances share, as those of an
// image that nobody has written to, counts once.
func resident(b *testing.B) int {
	b.Helper()
	debug.FreeOSMemory()
	debug.FreeOSMemory() // what had a finaliser the first time
	rollup, err := os.ReadFile("/proc/self/smaps_rollup")
	if err != nil {
		b.Skip("the resident memory is read from /proc")
	}
	kib := 0
	_, rest, _ := strings.Cut(string(rollup), "\nPss:")
	if _, err := fmt.Sscan(rest, &kib); err != nil {
		b.Fatal(err)
	}
	return kib << 10
}
