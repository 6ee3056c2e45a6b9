package guest

import (
	"runtime"
	"sync"

	"github.com/wasmill/wasmill/host/guest/sched"
)

// CPUs is how many calls run at once, in the whole process: as many as
// GOMAXPROCS was when it was first asked for.
func CPUs() int { return cpus() }

var cpus = sync.OnceValue(func() int { return runtime.GOMAXPROCS(0) })

// scheduler shares the CPUs among all tenants of the process. Go gets one
// processor more than there are slots for calls. It cannot preempt a guest, so
// that without that one, whenever all slots are taken, every goroutine that
// gives way, or wakes up, waits for the end of a guest's quantum: runtime.GC
// once for each span that it sweeps, hundreds of times. With it the operating
// system decides between that goroutine and the guests, and gives it a CPU at
// once.
var scheduler = sync.OnceValue(func() *sched.Scheduler {
	n := CPUs()
	runtime.GOMAXPROCS(n + 1)
	return sched.New(n)
})
