package guest

import (
	"encoding/binary"
	"fmt"

	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental/table"

	"github.com/wasmill/wasmill/abi"
	"github.com/wasmill/wasmill/host/guest/marshal"
)

// take does what a frame of the guest asks for.
func (p *program) take(f frame) {
	switch f.kind {
	case kindReturn:
		if !p.serving || f.count != uint32(p.op) {
			p.fault("it returned from %s, which is not what it was called for", callName(abi.Op(f.count)))
		}
		if p.op != 0 && p.parked != nil && p.parked.codec == codecMarshal && f.number >= 0 {
			f.number = p.effects(f.content, f.number)
		}
		p.serving, p.status = false, f.number
	case kindRequest:
		if !p.serving {
			p.fault("it asked the host for something outside of a call")
		}
		p.serve(f)
	case kindPark:
		p.park(f)
	default:
		p.fault("it wrote a frame of kind %#x, which is not one of a guest", f.kind)
	}
}

// The codecs of a program that has parked.
const (
	codecFrames  = 0 // payloads as for any guest
	codecMarshal = 1 // batches and what comes of them are values of Python's marshal
)

// parking is what a guest said when it parked.
type parking struct {
	address uint32 // of the callable
	codec   uint32
	want    marshal.Want // how records are handed over next
}

const parkingSize = 12

func (k *parking) save() []byte {
	b := binary.LittleEndian.AppendUint32(nil, k.address)
	b = binary.LittleEndian.AppendUint32(b, k.codec)
	return binary.LittleEndian.AppendUint32(b, uint32(k.want))
}

func parkingOf(b []byte) (*parking, error) {
	le := binary.LittleEndian
	if len(b) != parkingSize {
		return nil, fmt.Errorf("what it parked has %d bytes, not %d", len(b), parkingSize)
	}
	k := &parking{address: le.Uint32(b), codec: le.Uint32(b[4:]), want: marshal.Want(le.Uint32(b[8:]))}
	if k.codec > codecMarshal {
		return nil, fmt.Errorf("it parks with codec %d, which this host does not have", k.codec)
	}
	return k, nil
}

// park takes the word of a guest that wants to be called.
func (p *program) park(f frame) {
	if p.called || p.parking != nil || p.parked != nil {
		p.fault("it parks behind a call: that is for the end of start-up, before it has read anything (abi/SPEC.md, section 7)")
	}
	k, err := parkingOf(f.content)
	if err != nil {
		p.fault("%v", err)
	}
	p.parking = k
}

// leave is where a guest that has said that it parks leaves _start: as it reads
// the clock, for CPython lets go of its global lock to write, but not for that.
func (p *program) leave() {
	if p.parking == nil {
		return
	}
	p.parked, p.parking = p.parking, nil
	panic(&unwind{park: true})
}

// restore makes a fresh program one that has parked.
func (p *program) restore(b []byte) (err error) {
	if p.parked, err = parkingOf(b); err != nil {
		return err
	}
	return p.find()
}

// Where CPython 3.12 has what is needed to call an object, in 32 bits: the
// type of an object, in a type the place of its objects' vectorcall.
const (
	objectType       = 4
	vectorcallOffset = 28
)

// find looks up the function behind the callable that was parked: what the
// vectorcall protocol calls for it, with (callable, arguments, count, names).
func (p *program) find() (err error) {
	if p.parked == nil {
		return nil
	}
	defer func() {
		if r := recover(); r != nil { // of another type, or outside of the table
			err = fmt.Errorf("%v", r)
		}
		if err != nil {
			err = p.in.initTrap("parking", p.in.kill(&Trap{Kind: TrapABI, Message: fmt.Sprintf("%#x is not a callable of CPython 3.12: %v", p.parked.address, err)}))
		}
	}()
	at := p.parked.address
	class, ok := p.in.mem.ReadUint32Le(at + objectType)
	offset, ok2 := p.in.mem.ReadUint32Le(class + vectorcallOffset)
	function, ok3 := p.in.mem.ReadUint32Le(at + offset)
	if !ok || !ok2 || !ok3 || offset == 0 {
		return fmt.Errorf("there is no vectorcall")
	}
	const i32 = api.ValueTypeI32
	p.callee = table.LookupFunction(p.in.mod, 0, function, []api.ValueType{i32, i32, i32, i32}, []api.ValueType{i32})
	return nil
}
