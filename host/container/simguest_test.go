package container_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/wasmill/wasmill/abi"
	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/abi/wire"
	"github.com/wasmill/wasmill/host/guest"
)

// code is a step of the simulation behind the interface of guests.
type code struct {
	sim   *sim
	s     *simStep
	step  [2]int // in the spec, and the task
	calls guest.Calls
	rng   *rand.Rand
	yield func()
}

// modules returns the graph's steps as modules.
func (s *sim) modules(sc *sched) []guest.Module {
	var all []guest.Module
	for i, st := range s.g.steps {
		if st.kind == hand {
			all = append(all, nil)
			continue
		}
		var instances [16]uint64 // by task
		all = append(all, guest.Native(st.name, func(init guest.Init, calls guest.Calls) (guest.NativeInstance, error) {
			c := &code{sim: s, s: st, step: [2]int{i, init.Task}, calls: calls, yield: func() { sc.yield(2000 + 16*i + init.Task) }}
			c.yield()
			if instances[init.Task]++; s.strike(30) {
				return nil, errInit
			}
			c.rng = rand.New(rand.NewPCG(s.g.seed, uint64(i)<<40|uint64(init.Task)<<32|instances[init.Task]))
			return c, nil
		}))
	}
	return all
}

func (c *code) emit(b *wire.Batch, out uint16, cause uint32, r item) abi.Errno {
	rec := record.Record{Time: record.NoTime, Stream: out, Cause: cause, Value: []byte(r.encode())}
	if r.key != "" {
		rec.Key = []byte(r.key)
	}
	if c.s.aggregates {
		rec.Cause = abi.CauseBatch
	}
	b.Add(&rec)
	if c.rng.IntN(3) > 0 {
		return abi.OK
	}
	return c.flush(b)
}

func (c *code) flush(b *wire.Batch) abi.Errno {
	if b.Count == 0 {
		return abi.OK
	}
	e := c.calls.Emit(b.AppendFrame(nil))
	b.Reset()
	return e
}

// count adds one to a key's count. A count that makes no sense is far off.
func (c *code) count(key string, at record.Position) (n uint64, e abi.Errno) {
	v, e := c.calls.StateGet(0, []byte(key))
	if e != abi.OK && e != abi.ENOENT {
		return 0, e
	}
	if n = countOf(v); n > 0 && n < 1000 {
		if last := record.Position(binary.LittleEndian.Uint64(v[8:])); at <= last {
			n += 1000 // a position of the partition came twice
		}
	}
	n++
	row := binary.LittleEndian.AppendUint64(nil, n)
	return n, c.calls.StatePut(0, []byte(key), binary.LittleEndian.AppendUint64(row, uint64(at)))
}

// countOf is the count in a row, far off if it is not a row of count.
func countOf(row []byte) uint64 {
	switch len(row) {
	case 0:
		return 0
	case 16:
		return binary.LittleEndian.Uint64(row)
	}
	return 1_000_000
}

// three counts a key up to three, once by get and once by a scan.
func (c *code) three(key string, at record.Position) (uint64, abi.Errno) {
	n, e := c.count(key, at)
	if e != abi.OK {
		return 0, e
	}
	var rows []string
	for start := []byte(key + "/"); ; start = append([]byte(rows[len(rows)-1]), 0) {
		page, e := c.scan(1, start, []byte(key+"0"))
		if e != abi.OK {
			return 0, e
		}
		if len(page) == 0 {
			break
		}
		for k, v := range entries(page) {
			if got, e := c.calls.StateGet(1, k); e != abi.OK || string(got) != string(v) {
				n += 10_000 // scan and get differ
			}
			rows = append(rows, string(k))
		}
	}
	if uint64(len(rows)) != n-1 {
		return n + 100_000, abi.OK
	}
	if n < 3 {
		return n, c.calls.StatePut(1, fmt.Appendf(nil, "%s/%d", key, n), []byte{byte(n)})
	}
	for _, k := range append(rows, "none") {
		if e := c.calls.StateDelete(1, []byte(k)); e != abi.OK {
			return 0, e
		}
	}
	return n, c.calls.StateDelete(0, []byte(key))
}

// scan returns one page of entries.
func (c *code) scan(store uint32, start, end []byte) ([]byte, abi.Errno) {
	buf := make([]byte, c.rng.IntN(80))
	n, e := c.calls.StateScan(store, start, end, buf)
	if n > len(buf) {
		buf = make([]byte, n)
		n, e = c.calls.StateScan(store, start, end, buf)
	}
	return buf[:n], e
}

// entries yields what a scan wrote.
func entries(b []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(k, v []byte) bool) {
		for len(b) > 0 {
			k, v := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:])
			if b = b[8:]; !yield(b[:k], b[k:k+v]) {
				return
			}
			b = b[k+v:]
		}
	}
}

func (c *code) Batch(b *wire.Batch) (abi.Errno, error) {
	c.yield() // a step that had to wait for a while comes from there
	if c.sim.ended[c.step] {
		c.sim.wrong = fmt.Sprintf("a batch came to step %s, task %d behind the end of its input", c.s.name, c.step[1])
	}
	if c.s.sleeps && c.rng.IntN(4) == 0 {
		time.Sleep(30 * time.Second)
		c.yield()
	}
	moody := c.s.moody && b.Count > 1 && c.rng.IntN(4) == 0
	var out wire.Batch
	var rec record.Record
	last := record.Position(-1)
	rest := b.Records
	for i := range b.Count {
		rest = wire.Next(rest, &rec)
		if rec.Position < last || int(rec.Stream) >= len(c.s.from) {
			c.sim.wrong = fmt.Sprintf("to step %s came position %d of input %d behind %d", c.s.name, rec.Position, rec.Stream, last)
		}
		last = rec.Position
		r := decode(rec.Key, rec.Value)
		var n uint64
		var e abi.Errno
		switch c.s.kind {
		case upsert, total:
			n, e = c.count(r.key, rec.Position)
		case third:
			n, e = c.three(r.key, rec.Position)
		}
		if e != abi.OK {
			return e, nil
		}
		if r.value == "bad" {
			switch c.s.fault {
			case rejects:
				c.calls.Fail(uint32(i), 7, []byte("bad"))
			case traps:
				return abi.OK, errors.New("bad")
			case malformed:
				c.calls.Emit([]byte("rubbish that is long enough to be a frame of 32 bytes or so"))
			case refuses:
				return abi.EINVAL, nil
			}
		}
		switch r.path += c.s.name; c.s.kind {
		case total:
			continue
		case upsert, third:
			r = made("count", c.s, r.key, int(n))
		case fork:
			more := r
			more.path += "+"
			e = c.emit(&out, 1, uint32(i), more)
		}
		if e2 := c.emit(&out, 0, uint32(i), r); e != abi.OK || e2 != abi.OK {
			return max(e, e2), nil
		}
	}
	if moody {
		return abi.OK, errors.New("too much at once")
	}
	return c.flush(&out), nil
}

func (c *code) End(token []byte) (bool, abi.Errno, error) {
	c.sim.ended[c.step] = true
	var out wire.Batch
	switch {
	case c.sim.strike(30):
		return false, abi.OK, errEnd
	case c.s.bye:
		e := c.emit(&out, 0, abi.CauseBatch, made("end", c.s, "k0", -1))
		return false, max(e, c.flush(&out)), nil
	case c.s.kind != total:
		return false, abi.OK, nil
	}
	page, e := c.scan(0, token, nil)
	if e != abi.OK || len(page) == 0 {
		return false, e, nil
	}
	for k, v := range entries(page) {
		if e := c.emit(&out, 0, abi.CauseBatch, made("end", c.s, string(k), int(countOf(v)))); e != abi.OK {
			return false, e, nil
		}
		token = append(slices.Clone(k), 0)
	}
	c.calls.Resume(token)
	return true, c.flush(&out), nil
}
