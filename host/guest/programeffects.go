package guest

import (
	"github.com/wasmill/wasmill/abi"
)

// effects does what a call answered by a value of marshal asks for, and returns
// the call's status for one that answered status. The guest was told the limits
// and holds to them, but for the length of what the host encodes: whatever is
// refused is a fault in the interface.
func (p *program) effects(content []byte, status int32) int32 {
	if len(content) == 0 { // there is nothing to do
		return status
	}
	in := p.in
	e, err := p.decoder.Return(content, len(in.outputs))
	if err != nil {
		p.fault("it returned what is no value of codec %d: %v", codecMarshal, err)
	}
	if e.Refused != abi.OK {
		in.log.write(Error, []byte(e.Reason))
		return e.Refused.Status()
	}
	p.parked.want = e.Want
	for i := range e.Writes {
		w := &e.Writes[i]
		errno := abi.OK
		switch {
		case uint64(w.Store) >= uint64(in.stores):
			errno = abi.EBADF
		case len(w.Key) > in.limits.Key || len(w.Value) > in.limits.StateValue:
			errno = abi.E2BIG
		case w.Delete:
			errno = in.calls.StateDelete(w.Store, w.Key)
		default:
			errno = in.calls.StatePut(w.Store, w.Key, w.Value)
		}
		if errno != abi.OK {
			p.fault("it returned a write to store %d with a key of %d and a value of %d bytes, which the host refused: %s", w.Store, len(w.Key), len(w.Value), errno.Error())
		}
	}
	if len(e.Frame) > 0 {
		in.emit(e.Frame)
	}
	for i := range e.Fails {
		in.reject(e.Fails[i].Index, e.Fails[i].Code, e.Fails[i].Text)
	}
	if in.fault != "" {
		p.fault("%s", in.fault)
	}
	return status
}
