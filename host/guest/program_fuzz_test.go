package guest

import (
	"bytes"
	"testing"
	"time"

	"github.com/wasmill/wasmill/abi"
	"github.com/wasmill/wasmill/host/guest/wasi"
)

// FuzzProgram writes to a program's standard output: whatever it is, the host
// serves it or ends the call, and does the same for it in any pieces.
func FuzzProgram(f *testing.F) {
	ask := func(function uint32, args ...byte) []byte {
		return closeFrame(append(appendHeader(nil, kindRequest, function, 0), args...), 0)
	}
	returns := closeFrame(appendHeader(nil, kindReturn, uint32(abi.OpBatch), 0), 0)
	f.Add(returns, uint8(1))
	f.Add(append(ask(18), returns...), uint8(7))
	f.Add(ask(3, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 'k', 0, 0, 0, 0, 0, 0, 0), uint8(40))
	f.Add(ask(6, make([]byte, 24)...), uint8(3))
	f.Add(ask(1, append([]byte{32, 0, 0, 0, 0, 0, 0, 0}, returns...)...), uint8(3))
	f.Add([]byte("hello"), uint8(2))
	write := func(t *testing.T, b []byte, piece int) (string, []byte) {
		in := &instance{calls: deaf{}, op: abi.OpBatch, records: 1, stores: 1, outputs: []string{"out"}, limits: Limits{}.WithDefaults(), config: []byte("{}")}
		in.log = newLogger(in.calls, time.Now, 0)
		var err error
		if in.wasi, err = wasi.New(wasi.Config{}); err != nil {
			t.Fatal(err)
		}
		p := newProgram(in)
		p.op, p.serving, p.called = abi.OpBatch, true, true
		end := func() (end string) {
			defer func() {
				if r := recover(); r != nil {
					end = r.(*unwind).text // any other panic is a fault of the host
				}
			}()
			for len(b) > 0 {
				n := min(piece, len(b))
				if _, err := p.Write(b[:n]); err != nil {
					t.Fatal(err)
				}
				b = b[n:]
			}
			return ""
		}()
		return end, p.inbox
	}
	f.Fuzz(func(t *testing.T, b []byte, piece uint8) {
		end, replies := write(t, bytes.Clone(b), len(b)+1)
		again, same := write(t, bytes.Clone(b), int(piece)+1)
		if (end == "") != (again == "") || !bytes.Equal(replies, same) {
			t.Errorf("in pieces of %d it ends with %q instead of %q", int(piece)+1, again, end)
		}
	})
}
