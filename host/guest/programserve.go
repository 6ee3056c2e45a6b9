package guest

import (
	"encoding/binary"

	"github.com/tetratelabs/wazero/api"

	"github.com/wasmill/wasmill/abi"
)

// shapes say what the arguments of each host function are in a request: "i" an
// integer, "b" bytes, which are an address and a length in a module's call;
// "r" is the buffer for a reply, which a request leaves out.
var shapes = [len(abi.Imports)]string{
	"b", "iib", "ibr", "ibb", "ib", "ibbr", "ibr", "ibr", "bi", "b", "b", "ib", "i", "ib", "ii", "r", "br", "",
}

// firstReply is the room for a reply that is tried first: that of one page of
// a scan.
const firstReply = 64 << 10

// scratch stands in for the guest's memory: the content of a request, and
// behind it the room for the reply.
type scratch []byte

func (m scratch) Read(offset, n uint32) ([]byte, bool) {
	if uint64(offset)+uint64(n) > uint64(len(m)) {
		return nil, false
	}
	return m[offset : offset+n : offset+n], true
}

func (m scratch) Size() uint32 { return uint32(len(m)) }

// serve answers a request by the function that serves the import.
func (p *program) serve(f frame) {
	if f.count == 0 || f.count > uint32(len(abi.Imports)) {
		p.fault("it asked for function %d of %d", f.count, len(abi.Imports))
	}
	name, shape := abi.Imports[f.count-1].Name, shapes[f.count-1]
	function, ok := hostFuncs[name]
	if !ok {
		function = hostMissing
	}
	replies := false
	for room := firstReply; ; {
		p.reply = append(p.reply[:0], f.content...)
		var s [7]uint64
		if replies = p.arguments(name, shape, &s, room); replies {
			p.reply = append(p.reply, make([]byte, room)...)
		}
		function(p.in, scratch(p.reply), s[:])
		if p.in.fault != "" {
			p.fault("%s", p.in.fault)
		}
		if name == "now" {
			p.hand(kindReply, f.count, 0, binary.LittleEndian.AppendUint64(nil, s[0]))
			return
		}
		result := int32(uint32(s[0]))
		if !replies || result < 0 {
			p.hand(kindReply, f.count, uint32(result), nil)
			return
		}
		if int(result) <= room {
			p.hand(kindReply, f.count, uint32(result), p.reply[len(f.content):][:result])
			return
		}
		room = int(result)
	}
}

// arguments puts the arguments of a request of that shape, which p.reply begins
// with, into s as a call of the import would have them. It returns whether there
// is a reply.
func (p *program) arguments(name, shape string, s *[7]uint64, room int) (replies bool) {
	le := binary.LittleEndian
	b, at, n := p.reply, 0, 0
	for _, kind := range shape {
		if kind == 'r' {
			s[n], s[n+1] = uint64(len(b)), uint64(room)
			return true
		}
		if len(b)-at < 8 {
			p.fault("its request of %s has %d bytes, which are too few", name, len(b))
		}
		if kind == 'i' {
			s[n] = le.Uint64(b[at:])
			at, n = at+8, n+1
			continue
		}
		size := uint64(le.Uint32(b[at:]))
		if at += 8; size > uint64(len(b)-at) {
			p.fault("its request of %s has an argument of %d bytes where %d are left", name, size, len(b)-at)
		}
		s[n], s[n+1] = uint64(at), size
		at, n = at+int(size), n+2
		at = min(at+(-at&7), len(b))
	}
	return false
}

var _ memory = api.Memory(nil) // the guest's own is one, too
