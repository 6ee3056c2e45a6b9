package task

import (
	"sync"
	"sync/atomic"

	"github.com/wasmill/wasmill/abi"
	"github.com/wasmill/wasmill/host/guest"
)

const maxMetrics = 64 // of one step

// metrics are the counters and gauges that a step's guests define. The task's
// goroutine defines and adds; others take snapshots.
type metrics struct {
	mu     sync.Mutex // held to change names and values, and by snapshot
	names  map[string]uint32
	values []*metric
}

type metric struct {
	kind  guest.MetricKind
	value atomic.Int64
}

// define returns the handle of a metric, which it makes if there is none of
// that name. The instance has checked kind and name.
func (m *metrics) define(kind guest.MetricKind, name []byte) (uint32, abi.Errno) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if h, ok := m.names[string(name)]; ok {
		if m.values[h].kind != kind {
			return 0, abi.EINVAL
		}
		return h, abi.OK
	}
	if len(m.values) == maxMetrics {
		return 0, abi.ENOSPC
	}
	if m.names == nil {
		m.names = map[string]uint32{}
	}
	h := uint32(len(m.values))
	m.names[string(name)] = h
	m.values = append(m.values, &metric{kind: kind})
	return h, abi.OK
}

func (m *metrics) add(handle uint32, delta int64) abi.Errno {
	if int64(handle) >= int64(len(m.values)) {
		return abi.EBADF
	}
	v := m.values[handle]
	if v.kind == guest.Counter && delta < 0 {
		return abi.EINVAL
	}
	v.value.Add(delta)
	return abi.OK
}

// snapshot returns the values by name.
func (m *metrics) snapshot() map[string]int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := make(map[string]int64, len(m.names))
	for name, h := range m.names {
		out[name] = m.values[h].value.Load()
	}
	return out
}
