package guest_test

import (
	"encoding/binary"
	"maps"
	"slices"
	"sync"

	"github.com/wasmill/wasmill/abi"
	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/abi/wire"
	"github.com/wasmill/wasmill/host/guest"
)

// calls is a host that keeps what a guest does.
type calls struct {
	mu      sync.Mutex
	frames  int
	records []rec
	fails   []fail
	state   map[string]string
	token   []byte
	lines   []string
	metric  int64
	time    int64
	level   guest.Level
	quiet   bool      // keep nothing, for measurements
	broken  bool      // panic in Emit
	refuse  abi.Errno // answer of Emit and Fail
}

type rec struct {
	key, value string
	cause      uint32
	position   record.Position
	stream     uint16
}

type fail struct {
	index   uint32
	code    int32
	message string
}

func (c *calls) Emit(frame []byte) abi.Errno {
	if c.broken {
		panic("emit is broken")
	}
	b, err := wire.Parse(frame)
	if err != nil {
		return abi.EINVAL
	}
	if c.refuse != abi.OK {
		return c.refuse
	}
	c.frames++
	if c.quiet {
		return abi.OK
	}
	var r record.Record
	for recs := b.Records; len(recs) > 0; {
		recs = wire.Next(recs, &r)
		c.records = append(c.records, rec{string(r.Key), string(r.Value), r.Cause, r.Position, r.Stream})
	}
	return abi.OK
}

func (c *calls) Fail(index uint32, code int32, message []byte) abi.Errno {
	c.fails = append(c.fails, fail{index, code, string(message)})
	return c.refuse
}

func (c *calls) StateGet(_ uint32, key []byte) ([]byte, abi.Errno) {
	v, ok := c.state[string(key)]
	if !ok {
		return nil, abi.ENOENT
	}
	return []byte(v), abi.OK
}

func (c *calls) StatePut(_ uint32, key, value []byte) abi.Errno {
	if c.state == nil {
		c.state = map[string]string{}
	}
	c.state[string(key)] = string(value)
	return abi.OK
}

func (c *calls) StateDelete(_ uint32, key []byte) abi.Errno {
	delete(c.state, string(key))
	return abi.OK
}

func (c *calls) StateScan(_ uint32, start, end, buf []byte) (int, abi.Errno) {
	n := 0
	for _, k := range slices.Sorted(maps.Keys(c.state)) {
		if k < string(start) || len(end) > 0 && k >= string(end) {
			continue
		}
		size := 8 + len(k) + len(c.state[k])
		if n+size > len(buf) {
			if n == 0 {
				return size, abi.OK
			}
			break
		}
		binary.LittleEndian.PutUint32(buf[n:], uint32(len(k)))
		binary.LittleEndian.PutUint32(buf[n+4:], uint32(len(c.state[k])))
		n += 8 + copy(buf[n+8:], k+c.state[k])
	}
	return n, abi.OK
}

func (c *calls) Resume(token []byte) abi.Errno {
	c.token = slices.Clone(token)
	return abi.OK
}

func (c *calls) Now() int64 {
	c.time += 1000
	return c.time
}

func (c *calls) LogEnabled(level guest.Level) bool { return level >= c.level }

func (c *calls) Log(_ guest.Level, line []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lines = append(c.lines, string(line))
}

func (c *calls) MetricDefine(_ guest.MetricKind, name []byte) (uint32, abi.Errno) {
	return uint32(len(name)), abi.OK
}

func (c *calls) MetricAdd(_ uint32, delta int64) abi.Errno {
	c.metric += delta
	return abi.OK
}
