package guest_test

import (
	"context"
	"encoding/binary"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/wasmill/wasmill/abi"
	"github.com/wasmill/wasmill/host/guest"
	"github.com/wasmill/wasmill/host/guest/corpus"
	"github.com/wasmill/wasmill/host/guest/wasmtest"
)

func program(t *testing.T, c *calls, how guest.Run) guest.Instance {
	t.Helper()
	e := engine(t, guest.EngineOptions{MemoryLimit: 4 << 20})
	m, err := e.Compile(context.Background(), corpus.Program(t), "m")
	if err != nil {
		t.Fatal(err)
	}
	in, err := m.Instantiate(context.Background(), guest.Init{Stores: []string{"s"}, Outputs: []string{"out"}, Run: how}, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(in.Close(context.Background()), m.Close(context.Background())); err != nil {
			t.Error(err)
		}
	})
	return in
}

func TestProgram_ServesCallsOverStandardInputAndOutput(t *testing.T) {
	c := &calls{state: map[string]string{}, time: 5}
	in := program(t, c, guest.Run{Patient: true})
	run(t, in, batch("a", "get", "put", "get", "scan", "log", "now"))
	run(t, in, batch("b", "fail"))
	if more, status, err := in.End(context.Background(), nil); more || status != abi.OK || err != nil {
		t.Fatalf("end: %v %v %v", more, status, err)
	}
	var got []string
	for _, r := range c.records {
		got = append(got, r.value)
	}
	now := string(binary.LittleEndian.AppendUint64(nil, 5+1000)) // a microsecond further
	want := []string{"a", "absent", "v", "\x01\x00\x00\x00\x01\x00\x00\x00kv", now, "b"}
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("emitted %q, want %q", got, want)
	}
	if len(c.fails) != 1 || c.fails[0] != (fail{1, 7, "no"}) {
		t.Errorf("failed %v", c.fails)
	}
	if len(c.lines) != 1 || !strings.Contains(c.lines[0], "said") {
		t.Errorf("logged %q", c.lines)
	}
	if c.records[0].cause != 0 || c.records[2].cause != 3 {
		t.Errorf("causes %v", c.records)
	}
}

// Whoever waits for input that nobody will write is told that there is none.
func TestProgram_InputEndsBehindTheCall(t *testing.T) {
	c := &calls{}
	run(t, program(t, c, guest.Run{Patient: true}), batch("read"))
	if len(c.records) != 1 || c.records[0].value != "end" {
		t.Errorf("emitted %v", c.records)
	}
}

func TestProgram_Faults(t *testing.T) {
	for _, test := range []struct {
		value string
		kind  guest.TrapKind
		want  string
	}{
		{"stray", guest.TrapABI, `it wrote "hello, world" to standard output, where only frames belong`},
		{"silent", guest.TrapExit, "the guest exited with code 0"},
		{"exit", guest.TrapExit, "the guest exited with code 3"},
		{"loop", guest.TrapQuantum, "did not return within 10ms"},
		{"unknown", guest.TrapABI, "it asked for function 99 of 18"},
		{"flood", guest.TrapABI, "it asked for more than it reads"},
		{"short", guest.TrapABI, "its request of emit has 3 bytes, which are too few"},
		{"twice", guest.TrapABI, "it returned from batch, which is not what it was called for"},
	} {
		t.Run(test.value, func(t *testing.T) {
			in := program(t, &calls{state: map[string]string{"k": strings.Repeat("v", 60<<10)}}, guest.Run{Patient: test.kind != guest.TrapQuantum, RecordTime: time.Minute})
			run(t, in, batch("a"))
			_, err := in.Batch(context.Background(), batch(test.value))
			var trap *guest.Trap
			if !errors.As(err, &trap) || trap.Kind != test.kind || !strings.Contains(trap.Message, test.want) {
				t.Fatalf("error %v, want %s: %s", err, test.kind, test.want)
			}
			if _, err := in.Batch(context.Background(), batch("a")); !errors.Is(err, trap) {
				t.Errorf("after its end: %v", err)
			}
		})
	}
}

func TestProgram_OneThatSpeaksNoFramesSaysSo(t *testing.T) {
	m := wasmtest.New()
	write := m.Import("wasi_snapshot_preview1", "fd_write", "iiii", "i")
	m.Memory(1)
	m.Data(0, []byte{16, 0, 0, 0, 3, 0, 0, 0})
	m.Data(16, []byte("hi\n"))
	m.ExportFunc(abi.ExportStart, "", "", "", wasmtest.Const(1), wasmtest.Const(0), wasmtest.Const(1), wasmtest.Const(8), wasmtest.Call(write), wasmtest.Drop)
	quiet := wasmtest.New()
	quiet.Memory(1)
	quiet.ExportFunc(abi.ExportStart, "", "", "")
	for _, test := range []struct {
		name string
		wasm []byte
		want string
	}{
		{"it prints", m.Bytes(), `start-up: it wrote "hi " to standard output`},
		{"it ends", quiet.Bytes(), "start-up: the program has ended: a step is a library with the exports of a wasmill SDK, or a program that reads frames"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := instantiate(t, engine(t, guest.EngineOptions{}), test.wasm, &calls{})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("error %v, want %q", err, test.want)
			}
		})
	}
}

func TestProgram_AContextThatEndsStopsIt(t *testing.T) {
	in := program(t, &calls{}, guest.Run{Patient: true})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := in.Batch(ctx, batch("a")); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	run(t, in, batch("a"))
}
