package guests_test

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/wasmill/wasmill/abi"
	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/abi/wire"
	"github.com/wasmill/wasmill/host/guest"
)

// hostCalls is the host of an instance: a store that is a map, and emitted
// frames that are kept if keep is set, else dropped. What is measured is the
// guest, its SDK and the border, not a store.
type hostCalls struct {
	guest.Calls // nil: nothing else is called
	keep        bool
	frames      [][]byte
	state       map[string][]byte
	metrics     []string
	said        string // last line of the log, for errors
}

func newHost() *hostCalls { return &hostCalls{state: map[string][]byte{}} }

func (h *hostCalls) Emit(frame []byte) abi.Errno {
	if h.keep {
		h.frames = append(h.frames, bytes.Clone(frame))
	}
	return abi.OK
}

func (h *hostCalls) Fail(index uint32, code int32, message []byte) abi.Errno {
	h.said = fmt.Sprintf("record %d failed, code %d: %s", index, code, message)
	return abi.EINVAL // ends the call: no record may fail here
}

func (h *hostCalls) StateGet(_ uint32, key []byte) ([]byte, abi.Errno) {
	v, ok := h.state[string(key)]
	if !ok {
		return nil, abi.ENOENT
	}
	return v, abi.OK
}

func (h *hostCalls) StatePut(_ uint32, key, value []byte) abi.Errno {
	h.state[string(key)] = append(h.state[string(key)][:0], value...)
	return abi.OK
}

func (h *hostCalls) StateDelete(_ uint32, key []byte) abi.Errno {
	delete(h.state, string(key))
	return abi.OK
}

func (h *hostCalls) Now() int64                        { return 1_700_000_000_000_000_000 }
func (h *hostCalls) LogEnabled(level guest.Level) bool { return level >= guest.Info }
func (h *hostCalls) Log(_ guest.Level, message []byte) { h.said = string(message) }
func (h *hostCalls) MetricAdd(uint32, int64) abi.Errno { return abi.OK }

// MetricDefine gives handles that count from 0, so that an image can be taken.
func (h *hostCalls) MetricDefine(_ guest.MetricKind, name []byte) (uint32, abi.Errno) {
	at := slices.Index(h.metrics, string(name))
	if at < 0 {
		at, h.metrics = len(h.metrics), append(h.metrics, string(name))
	}
	return uint32(at), abi.OK
}

// emitted returns the records of the frames that were kept, a line each.
func (h *hostCalls) emitted() (lines []string, err error) {
	for _, frame := range h.frames {
		b, err := wire.Parse(frame)
		if err != nil {
			return nil, err
		}
		var r record.Record
		for rest := b.Records; len(rest) > 0; {
			rest = wire.Next(rest, &r)
			lines = append(lines, fmt.Sprintf("%d %q %q", r.Cause, r.Key, r.Value))
		}
	}
	return lines, nil
}
