package task

import (
	"encoding/binary"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/wasmill/wasmill/abi"
	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/abi/wire"
	"github.com/wasmill/wasmill/host/epoch"
	"github.com/wasmill/wasmill/host/guest"
)

// calls serves the instance of one step. During a call it gathers what the
// call would do: records in outs, rejected inputs in failed. State goes
// into the overlay, which takes it back if the call comes to nothing.
type calls struct {
	s *step

	in        *Batch // inputs of the call; no records in an end
	positions []record.Position
	outs      []*Batch // one for each output of the step
	emitted   int      // bytes
	written   int      // writes of state
	put       int      // bytes that they put
	failed    []failure
	rejected  []uint64 // a bit for each input that is in failed
	fault     string   // first breach of the ABI
	token     []byte   // of resume
	clock     int64    // nanoseconds
	kept      int64    // the clock as of the last call that took effect
	key       []byte
	many      []byte

	holding   bool // see hold
	held      []logLine
	heldBytes int
}

// logLine is a line that the guest logged.
type logLine struct {
	level slog.Level
	text  string
}

// failure is an input that the guest rejected.
type failure struct {
	index   uint32
	code    int32
	message string
	keyless bool // found by the host: a key is missing before a step with stores
}

const (
	maxFailMessage = 4 << 10
	maxWritten     = 64 << 20 // bytes of state that one call may put
	maxHeld        = 64 << 10 // bytes of log lines that are held
)

// begin makes c ready for a call over in.
func (c *calls) begin(in *Batch) {
	c.in = in
	c.positions = c.positions[:0]
	c.emitted, c.written, c.put = 0, 0, 0
	c.failed = c.failed[:0]
	c.fault = ""
	c.token = c.token[:0]
	c.clock = c.kept // what runs again gets the same times
	for i := range c.outs {
		c.outs[i] = newBatch(in.Partition)
	}
	for _, r := range in.each() {
		c.positions = append(c.positions, positionOf(r))
		if t := timeOf(r); t != record.NoTime {
			c.clock = max(c.clock, t*int64(time.Millisecond))
		}
	}
	words := (in.Count + 63) / 64
	c.rejected = slices.Grow(c.rejected[:0], words)[:words]
	clear(c.rejected)
}

// payload says what the guest was called with.
func (c *calls) payload() string {
	if c.in.Count == 0 {
		return "the end of its input"
	}
	return "the batch"
}

// drop forgets the gathered records.
func (c *calls) drop() {
	for i, b := range c.outs {
		if b != nil {
			b.free()
			c.outs[i] = nil
		}
	}
}

// breach notes a breach of the ABI, which ends the call.
func (c *calls) breach(format string, args ...any) abi.Errno {
	if c.fault == "" {
		c.fault = fmt.Sprintf(format, args...)
	}
	return abi.EINVAL
}

// Emit copies the records of a frame out of the guest's memory, each to the
// batch of its output, with the position and origin of its cause.
func (c *calls) Emit(frame []byte) abi.Errno {
	c.emitted += len(frame)
	b, err := wire.Parse(frame)
	if err != nil {
		return c.breach("emit: %v", err)
	}
	for rest := b.Records; len(rest) > 0; {
		n := recordSize(rest)
		if e := c.emitOne(rest[:n]); e != abi.OK {
			return e
		}
		rest = rest[n:]
	}
	return abi.OK
}

func (c *calls) emitOne(r []byte) abi.Errno {
	le := binary.LittleEndian
	out := int(le.Uint16(r[offStream:]))
	if out >= len(c.outs) {
		return c.breach("emit: output %d of %d", out, len(c.outs))
	}
	if len(r) > c.s.t.Limits.Record+wire.RecordHeaderSize+8 {
		c.breach("emit: a record of %d bytes is longer than %d (limits.max_record)", len(r), c.s.t.Limits.Record)
		return abi.E2BIG
	}
	cause := le.Uint32(r[offCause:])
	var from Origin
	var pos record.Position
	switch {
	case int64(cause) < int64(len(c.positions)):
		from, pos = c.in.Origins[cause], c.positions[cause]
	case cause != abi.CauseBatch:
		return c.breach("emit: cause %d of %d inputs", cause, len(c.positions))
	case len(c.positions) > 0:
		from, pos = c.in.Origins[0].aggregate(), c.positions[0]
	}
	if k := le.Uint32(r[offKey:]); k != nullLength && int(k) > c.s.t.Limits.Key {
		if cause == abi.CauseBatch {
			return c.breach("emit: a key of %d bytes is longer than %d (limits.max_key)", k, c.s.t.Limits.Key)
		}
		// A record that a source delivers may have such a key, and a step that
		// hands it on is not at fault.
		return c.Fail(cause, 0, fmt.Appendf(nil, "it emits a key of %d bytes, which is longer than %d (limits.max_key)", k, c.s.t.Limits.Key))
	}
	b := c.outs[out]
	at := len(b.Records)
	b.addRaw(r, from)
	le.PutUint64(b.Records[at+offPosition:], uint64(pos))
	return abi.OK
}

// Fail rejects an input. The first word on an index counts.
func (c *calls) Fail(index uint32, code int32, message []byte) abi.Errno {
	word, bit := &c.rejected[index/64], uint64(1)<<(index%64)
	if *word&bit != 0 {
		return abi.OK
	}
	*word |= bit
	if len(message) > maxFailMessage {
		message = message[:maxFailMessage]
	}
	c.failed = append(c.failed, failure{index: index, code: code, message: string(message)})
	return abi.OK
}

// row returns the key of a store's row in the partition of the call.
func (c *calls) row(store uint32, key []byte) []byte {
	c.key = epoch.AppendStateKey(c.key[:0], c.s.stores[store], c.in.Partition.Number, key)
	return c.key
}

// broken notes that the store failed: the call comes to nothing and so does the epoch.
func (c *calls) broken(err error) abi.Errno {
	if c.s.t.broken == nil {
		c.s.t.broken = err
	}
	return abi.EIO
}

func (c *calls) StateGet(store uint32, key []byte) ([]byte, abi.Errno) {
	v, ok, err := c.s.t.State.Get(c.row(store, key))
	switch {
	case err != nil:
		return nil, c.broken(err)
	case !ok:
		return nil, abi.ENOENT
	}
	return v, abi.OK
}

func (c *calls) StatePut(store uint32, key, value []byte) abi.Errno {
	row := c.row(store, key)
	if c.put += len(row) + len(value); c.put > maxWritten {
		return abi.ENOSPC
	}
	c.written++
	c.s.t.State.Put(row, value)
	return abi.OK
}

func (c *calls) StateDelete(store uint32, key []byte) abi.Errno {
	row := c.row(store, key)
	if c.put += len(row); c.put > maxWritten { // the overlay holds it until it is in the store
		return abi.ENOSPC
	}
	c.written++
	c.s.t.State.Delete(row)
	return abi.OK
}

func (c *calls) StateScan(store uint32, start, end, buf []byte) (int, abi.Errno) {
	upper := c.many[:0]
	if len(end) > 0 {
		upper = epoch.AppendStateKey(upper, c.s.stores[store], c.in.Partition.Number, end)
	} else {
		upper = epoch.AppendStateEnd(upper, c.s.stores[store], c.in.Partition.Number)
	}
	c.many = upper
	scan, err := c.s.t.State.Scan(c.row(store, start), upper)
	if err != nil {
		return 0, c.broken(err)
	}
	defer scan.Close()
	n := 0
	for scan.Next() {
		k, v := scan.Key()[epoch.StatePrefixLen:], scan.Value()
		need := 8 + len(k) + len(v)
		if need > len(buf)-n {
			if n == 0 {
				return need, abi.OK
			}
			return n, abi.OK
		}
		binary.LittleEndian.PutUint32(buf[n:], uint32(len(k)))
		binary.LittleEndian.PutUint32(buf[n+4:], uint32(len(v)))
		copy(buf[n+8:], k)
		copy(buf[n+8+len(k):], v)
		n += need
	}
	if err := scan.Err(); err != nil {
		return 0, c.broken(err)
	}
	return n, abi.OK
}

func (c *calls) Resume(token []byte) abi.Errno {
	c.token = append(c.token[:0], token...)
	return abi.OK
}

// Now is the batch's time: the largest event time seen so far, advancing with each read.
func (c *calls) Now() int64 {
	c.clock += int64(time.Microsecond)
	return c.clock
}

var levels = [...]slog.Level{slog.LevelDebug, slog.LevelInfo, slog.LevelWarn, slog.LevelError}

func level(l guest.Level) slog.Level { return levels[l] }

func (c *calls) LogEnabled(l guest.Level) bool {
	return c.s.t.Log.Enabled(c.s.t.ctx, level(l))
}

func (c *calls) Log(l guest.Level, message []byte) {
	switch line := (logLine{level(l), string(message)}); {
	case !c.holding:
		c.say(line)
	case c.in.said:
	case c.heldBytes+len(message) > maxHeld:
		c.release()
		c.say(line)
	default:
		c.held = append(c.held, line)
		c.heldBytes += len(message)
	}
}

func (c *calls) say(l logLine) {
	c.s.t.Log.Log(c.s.t.ctx, l.level, l.text, "step", c.s.spec.Name)
}

// hold keeps the lines that the call over a batch logs until it is known what
// becomes of it: of records that run again they would come again, for each
// halving of their batch. That is 100 ms of CPU time at most. A record that is
// alone on a patient instance, and may take long, runs for the last time.
func (c *calls) hold() {
	c.holding = c.in.Count > 1 || c.in.Count == 1 && !c.s.init.Run.Patient
}

// release logs what is held, and holds no more.
func (c *calls) release() {
	for _, l := range c.held {
		c.say(l)
	}
	c.forget()
}

// forget drops what is held, and holds no more.
func (c *calls) forget() {
	clear(c.held)
	c.held, c.heldBytes, c.holding = c.held[:0], 0, false
}

func (c *calls) MetricDefine(kind guest.MetricKind, name []byte) (uint32, abi.Errno) {
	return c.s.metrics.define(kind, name)
}

func (c *calls) MetricAdd(handle uint32, delta int64) abi.Errno {
	return c.s.metrics.add(handle, delta)
}
