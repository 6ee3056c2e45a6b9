package task

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/wasmill/wasmill/abi"
	"github.com/wasmill/wasmill/host/guest"
)

const maxMetrics = 64 // of one step

// metrics are the counters and gauges that a step's guests define.
type metrics struct {
	mu     sync.Mutex // guards names and the slice; values are read at any time
	names  map[string]uint32
	values []*atomic.Int64
}

func (m *metrics) define(kind guest.MetricKind, name []byte) (uint32, abi.Errno) {
	if kind != guest.Counter && kind != guest.Gauge || len(name) == 0 || len(name) > 128 {
		return 0, abi.EINVAL
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if h, ok := m.names[string(name)]; ok {
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
	m.values = append(m.values, new(atomic.Int64))
	return h, abi.OK
}

func (m *metrics) add(handle uint32, delta int64) abi.Errno {
	if int64(handle) >= int64(len(m.values)) {
		return abi.EBADF
	}
	m.values[handle].Add(delta)
	return abi.OK
}

// snapshot returns the values by name.
func (m *metrics) snapshot() map[string]int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := make(map[string]int64, len(m.names))
	for _, n := range slices.Sorted(maps.Keys(m.names)) {
		out[n] = m.values[m.names[n]].Load()
	}
	return out
}
