package guest

import (
	"encoding/binary"
	"math"

	"github.com/wasmill/wasmill/abi"
)

// store checks the number of a store.
func (in *instance) store(s []uint64) (uint32, bool) {
	if !in.running(s) {
		return 0, false
	}
	n := uint32(s[0])
	if uint64(n) >= uint64(in.stores) {
		setErrno(s, abi.EBADF)
		return 0, false
	}
	return n, true
}

// views returns the two runs of bytes whose addresses and lengths begin at s[1].
func (in *instance) views(m memory, function string, s []uint64) (a, b []byte, ok bool) {
	a, ok = in.view(m, function, s[1], s[2])
	if ok {
		b, ok = in.view(m, function, s[3], s[4])
	}
	if !ok {
		setErrno(s, abi.EFAULT)
	}
	return a, b, ok
}

// state_get(store, kptr, klen, buf, buflen)
func hostStateGet(in *instance, m memory, s []uint64) {
	store, ok := in.store(s)
	if !ok {
		return
	}
	key, buf, ok := in.views(m, "state_get", s)
	if !ok {
		return
	}
	if len(key) > in.limits.Key {
		setErrno(s, abi.E2BIG)
		return
	}
	value, e := in.calls.StateGet(store, key)
	if e != abi.OK {
		setErrno(s, e)
		return
	}
	reply(s, buf, value)
}

// state_put(store, kptr, klen, vptr, vlen)
func hostStatePut(in *instance, m memory, s []uint64) {
	store, ok := in.store(s)
	if !ok {
		return
	}
	key, value, ok := in.views(m, "state_put", s)
	if !ok {
		return
	}
	if len(key) > in.limits.Key || len(value) > in.limits.StateValue {
		setErrno(s, abi.E2BIG)
		return
	}
	setErrno(s, in.calls.StatePut(store, key, value))
}

// state_delete(store, kptr, klen)
func hostStateDelete(in *instance, m memory, s []uint64) {
	store, ok := in.store(s)
	if !ok {
		return
	}
	key, ok := in.view(m, "state_delete", s[1], s[2])
	switch {
	case !ok:
		setErrno(s, abi.EFAULT)
	case len(key) > in.limits.Key:
		setErrno(s, abi.E2BIG)
	default:
		setErrno(s, in.calls.StateDelete(store, key))
	}
}

// state_scan(store, sptr, slen, eptr, elen, buf, buflen)
func hostStateScan(in *instance, m memory, s []uint64) {
	store, ok := in.store(s)
	if !ok {
		return
	}
	start, end, ok := in.views(m, "state_scan", s)
	if !ok {
		return
	}
	buf, ok := in.view(m, "state_scan", s[5], s[6])
	if !ok {
		setErrno(s, abi.EFAULT)
		return
	}
	if len(start) > in.limits.Key || len(end) > in.limits.Key {
		setErrno(s, abi.E2BIG)
		return
	}
	// The buffer may lie over the bounds, so they are kept apart.
	in.many = append(append(in.many[:0], start...), end...)
	start, end = in.many[:len(start)], in.many[len(start):]
	n, e := in.calls.StateScan(store, start, end, buf)
	if e != abi.OK {
		setErrno(s, e)
		return
	}
	setLen(s, n)
}

// state_get_many(store, kptr, klen, buf, buflen): the keys come as (u32
// length, key), the values go as (u32 length, value), all-ones for one that
// is absent. The reply is built apart, since the guest's buffer may lie over
// its keys.
func hostStateGetMany(in *instance, m memory, s []uint64) {
	store, ok := in.store(s)
	if !ok {
		return
	}
	keys, buf, ok := in.views(m, "state_get_many", s)
	if !ok {
		return
	}
	if !in.keysFit(s, keys) {
		return
	}
	in.many = in.many[:0]
	need := 0
	for len(keys) > 0 {
		n := binary.LittleEndian.Uint32(keys)
		key := keys[4 : 4+n]
		keys = keys[4+n:]
		value, e := in.calls.StateGet(store, key)
		length := uint32(len(value))
		switch e {
		case abi.OK:
		case abi.ENOENT:
			value, length = nil, math.MaxUint32
		default:
			setErrno(s, e)
			return
		}
		need += 4 + len(value)
		if need <= len(buf) {
			in.many = binary.LittleEndian.AppendUint32(in.many, length)
			in.many = append(in.many, value...)
		}
	}
	if need > math.MaxInt32 {
		setErrno(s, abi.E2BIG)
		return
	}
	if need <= len(buf) {
		copy(buf, in.many)
	}
	setLen(s, need)
}

// keysFit checks the keys of a state_get_many.
func (in *instance) keysFit(s []uint64, keys []byte) bool {
	for len(keys) > 0 {
		if len(keys) < 4 {
			setErrno(s, abi.EINVAL)
			return false
		}
		n := uint64(binary.LittleEndian.Uint32(keys))
		if n > uint64(len(keys)-4) {
			setErrno(s, abi.EINVAL)
			return false
		}
		if n > uint64(in.limits.Key) {
			setErrno(s, abi.E2BIG)
			return false
		}
		keys = keys[4+n:]
	}
	return true
}
