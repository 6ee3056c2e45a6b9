package marshal_test

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"flag"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"
	"time"
)

var (
	soak = flag.Bool("soak", false, "compare with Python for longer")
	seed = flag.Uint64("seed", uint64(time.Now().UnixNano()), "of the random tests")
)

// rounds is how often a random test asks Python.
func rounds(n int) int {
	if *soak {
		return 100 * n
	}
	return n
}

// random returns numbers of the seed, which a failure shows.
func random(t *testing.T) *rand.Rand {
	t.Logf("-seed=%d", *seed)
	return rand.New(rand.NewPCG(*seed, 0))
}

// peer is a process of python3 that runs testdata/peer.py.
type peer struct {
	t   testing.TB
	in  io.WriteCloser
	out *bufio.Reader
}

func startPeer(t testing.TB) *peer {
	t.Helper()
	cmd := exec.Command("python3", "-I", "testdata/peer.py")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatalf("%v: these tests compare with Python 3, which has to be installed", err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil && !t.Failed() {
			t.Error(err)
		}
	})
	return &peer{t, in, bufio.NewReader(out)}
}

func (p *peer) write(messages ...[]byte) {
	p.t.Helper()
	for _, m := range messages {
		_, err := p.in.Write(append(binary.LittleEndian.AppendUint32(nil, uint32(len(m))), m...))
		if err != nil {
			p.t.Fatal(err)
		}
	}
}

func (p *peer) read() []byte {
	p.t.Helper()
	var head [4]byte
	if _, err := io.ReadFull(p.out, head[:]); err != nil {
		p.t.Fatal(err)
	}
	b := make([]byte, binary.LittleEndian.Uint32(head[:]))
	if _, err := io.ReadFull(p.out, b); err != nil {
		p.t.Fatal(err)
	}
	return b
}

func (p *peer) readJSON(v any) {
	p.t.Helper()
	if err := json.Unmarshal(p.read(), v); err != nil {
		p.t.Fatal(err)
	}
}

// eval returns what marshal.dumps(x, 2) gives for an expression of Python.
func (p *peer) eval(expression string) []byte {
	p.t.Helper()
	p.write([]byte("e" + expression))
	return p.read()
}
