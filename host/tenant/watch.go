package tenant

import (
	"fmt"
	"time"

	"github.com/wasmill/wasmill/host"
)

const (
	beatEvery  = 200 * time.Millisecond // as often as progress is drawn
	weighEvery = time.Second
)

// watch asks the worker what it does until it is ended, and kills it if it
// does not answer in time or takes too much memory. A worker whose guest
// keeps the garbage collector waiting does not answer, nor does one that the
// system has stopped.
func (w *worker) watch(status func(host.Status)) {
	t := time.NewTimer(beatEvery)
	defer t.Stop()
	var weighed time.Time
	for {
		select {
		case <-w.done:
			return
		case <-t.C:
		}
		if now := time.Now(); now.Sub(weighed) >= weighEvery {
			weighed = now
			w.weigh()
		}
		if !w.beat(status) {
			return
		}
		t.Reset(beatEvery)
	}
}

// beat asks once. It returns false if there is nobody to ask any more.
func (w *worker) beat(status func(host.Status)) bool {
	var s host.Status
	c := w.begin("Beat", Nothing(0), &s)
	t := time.NewTimer(w.o.Heartbeat)
	defer t.Stop()
	select {
	case <-c.Done:
	case <-w.done:
		return false
	case <-t.C:
		select {
		case <-c.Done: // it was this process that was late
		default:
			w.kill(fmt.Sprintf("it did not answer for %v", w.o.Heartbeat))
			return false
		}
	}
	if c.Error != nil {
		return false
	}
	status(s)
	return true
}

// weigh kills the worker if it takes more memory than it may.
func (w *worker) weigh() {
	m, err := memoryOf(w.cmd.Process.Pid)
	if err != nil {
		return // it has ended
	}
	if m.private > w.o.Memory {
		w.kill(fmt.Sprintf("it took %d MiB of memory, its limit is %d MiB", m.private>>20, w.o.Memory>>20))
	}
}
