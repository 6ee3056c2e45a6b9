//go:build !wasip1

package wasmilltest

import (
	"encoding/binary"
	"maps"
	"math"
	"slices"

	wasmill "github.com/wasmill/wasmill/sdk-go"
)

// reply writes value into buf as a call does: the length, or the length that
// is needed.
func reply(buf, value []byte) int32 {
	if len(value) <= len(buf) {
		copy(buf, value)
	}
	return int32(len(value))
}

func (h *fake) checkKey(store uint32, key []byte) int32 {
	if h.op == 0 {
		return negative(wasmill.EPERM)
	}
	if int64(store) >= int64(len(h.stores)) {
		return negative(wasmill.EBADF)
	}
	if len(key) > h.opts.Key {
		return negative(wasmill.E2BIG)
	}
	return 0
}

func (h *fake) StateGet(store uint32, key, buf []byte) int32 {
	if e := h.checkKey(store, key); e < 0 {
		return e
	}
	v, ok := h.stores[store][string(key)]
	if !ok {
		return negative(wasmill.ENOENT)
	}
	return reply(buf, []byte(v))
}

func (h *fake) StatePut(store uint32, key, value []byte) int32 {
	if e := h.checkKey(store, key); e < 0 {
		return e
	}
	if len(value) > maxStateValue {
		return negative(wasmill.E2BIG)
	}
	h.stores[store][string(key)] = string(value)
	return 0
}

func (h *fake) StateDelete(store uint32, key []byte) int32 {
	if e := h.checkKey(store, key); e < 0 {
		return e
	}
	delete(h.stores[store], string(key))
	return 0
}

func (h *fake) StateScan(store uint32, start, end, buf []byte) int32 {
	if e := h.checkKey(store, nil); e < 0 {
		return e
	}
	var out []byte
	for _, k := range slices.Sorted(maps.Keys(h.stores[store])) {
		if k < string(start) || len(end) > 0 && k >= string(end) {
			continue
		}
		v := h.stores[store][k]
		if need := 8 + len(k) + len(v); len(out)+need > len(buf) {
			if len(out) == 0 {
				return int32(need)
			}
			break
		}
		out = binary.LittleEndian.AppendUint32(out, uint32(len(k)))
		out = binary.LittleEndian.AppendUint32(out, uint32(len(v)))
		out = append(append(out, k...), v...)
	}
	return reply(buf, out)
}

func (h *fake) StateGetMany(store uint32, keys, buf []byte) int32 {
	var out []byte
	for len(keys) > 0 {
		if len(keys) < 4 || uint64(binary.LittleEndian.Uint32(keys)) > uint64(len(keys)-4) {
			return negative(wasmill.EINVAL)
		}
		n := binary.LittleEndian.Uint32(keys)
		key := keys[4 : 4+n]
		keys = keys[4+n:]
		if e := h.checkKey(store, key); e < 0 {
			return e
		}
		v, ok := h.stores[store][string(key)]
		if !ok {
			out = binary.LittleEndian.AppendUint32(out, math.MaxUint32)
			continue
		}
		out = binary.LittleEndian.AppendUint32(out, uint32(len(v)))
		out = append(out, v...)
	}
	if e := h.checkKey(store, nil); e < 0 {
		return e
	}
	return reply(buf, out)
}
