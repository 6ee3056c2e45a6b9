package guest

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"github.com/wasmill/wasmill/abi"
	"github.com/wasmill/wasmill/abi/wire"
)

// The kinds of frames over fd 0 and 1.
const (
	kindCall    = 0x100
	kindReturn  = 0x101
	kindRequest = 0x102
	kindReply   = 0x103
	kindPark    = 0x104
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// appendHeader begins a frame, which closeFrame ends.
func appendHeader(b []byte, kind uint16, count, number uint32) []byte {
	le := binary.LittleEndian
	b = le.AppendUint32(b, wire.Magic)
	b = le.AppendUint16(b, abi.Version)
	b = le.AppendUint16(b, kind)
	b = le.AppendUint32(b, count)
	b = le.AppendUint32(b, 0)
	b = le.AppendUint32(b, number)
	return append(b, make([]byte, wire.HeaderSize-20)...)
}

// closeFrame writes the lengths and the checksum of the frame that begins at
// start and ends where b does.
func closeFrame(b []byte, start int) []byte {
	le := binary.LittleEndian
	content := len(b) - start - wire.HeaderSize
	b = append(b, make([]byte, -content&7)...)
	frame := b[start:]
	le.PutUint32(frame[12:], uint32(len(frame)))
	le.PutUint32(frame[20:], uint32(content))
	le.PutUint32(frame[24:], crc32.Checksum(frame, castagnoli))
	return b
}

// maxUnread is how many bytes of replies the host holds for a guest that asks
// on without reading them.
const maxUnread = 32 << 20

// hand puts a whole frame into the inbox.
func (p *program) hand(kind uint16, count, number uint32, content []byte) {
	switch unread := len(p.inbox) - p.read; {
	case unread == 0:
		p.inbox, p.read = p.inbox[:0], 0
	case kind == kindReply && unread+len(content) > maxUnread:
		p.fault("it asked for more than it reads: %d bytes of replies wait for it", unread+len(content))
	}
	start := len(p.inbox)
	p.inbox = appendHeader(p.inbox, kind, count, number)
	p.inbox = closeFrame(append(p.inbox, content...), start)
}

// frame is one that the guest wrote.
type frame struct {
	kind    uint16
	count   uint32
	number  int32
	content []byte
}

// Write is what the guest writes to fd 1: frames, in pieces of any size.
func (p *program) Write(b []byte) (int, error) {
	p.outbox = append(p.outbox, b...)
	rest := p.outbox
	for {
		size, err := p.frameSize(rest)
		if err != nil {
			p.fault("%v", err)
		}
		if size == 0 || len(rest) < size {
			p.outbox = p.outbox[:copy(p.outbox, rest)]
			return len(b), nil
		}
		f, err := parseFrame(rest[:size])
		if err != nil {
			p.fault("%v", err)
		}
		rest = rest[size:]
		p.take(f)
	}
}

// fault ends the call: the guest broke the interface.
func (p *program) fault(format string, args ...any) {
	p.in.faulty(format, args...)
	panic(&unwind{kind: TrapABI, text: p.in.fault})
}

// frameSize returns the bytes of the frame that b begins with, 0 as long as
// there is no telling.
func (p *program) frameSize(b []byte) (int, error) {
	magic := binary.LittleEndian.AppendUint32(nil, wire.Magic)
	if n := min(len(b), len(magic)); string(b[:n]) != string(magic[:n]) {
		return 0, fmt.Errorf("it wrote %q to standard output, where only frames belong: what is meant for people goes to standard error", clean(string(b), 80))
	}
	if len(b) < wire.HeaderSize {
		return 0, nil
	}
	size := binary.LittleEndian.Uint32(b[12:])
	if most := p.in.limits.Emit + p.in.limits.Batch + 1<<20; size < wire.HeaderSize || uint64(size) > uint64(most) {
		return 0, fmt.Errorf("it wrote a frame that says it has %d bytes: %d to %d are allowed", size, wire.HeaderSize, most)
	}
	return int(size), nil
}

func parseFrame(b []byte) (frame, error) {
	le := binary.LittleEndian
	f := frame{kind: le.Uint16(b[6:]), count: le.Uint32(b[8:]), number: int32(le.Uint32(b[16:]))}
	if v := le.Uint16(b[4:]); v != abi.Version {
		return f, fmt.Errorf("it wrote a frame of version %d, not %d", v, abi.Version)
	}
	n := le.Uint32(b[20:])
	if uint64(n) > uint64(len(b)-wire.HeaderSize) {
		return f, fmt.Errorf("it wrote a frame of %d bytes that says it holds %d", len(b), n)
	}
	f.content = b[wire.HeaderSize:][:n]
	sum := le.Uint32(b[24:])
	if sum == 0 { // not given
		return f, nil
	}
	le.PutUint32(b[24:], 0)
	if have := crc32.Checksum(b, castagnoli); have != sum {
		return f, fmt.Errorf("it wrote a frame whose checksum is %#x, not %#x", have, sum)
	}
	return f, nil
}
