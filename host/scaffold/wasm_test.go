package scaffold_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wasmill/wasmill/abi"
	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/abi/wire"
	"github.com/wasmill/wasmill/host/guest"
	"github.com/wasmill/wasmill/host/guest/build"
	"github.com/wasmill/wasmill/host/scaffold"
)

// calls is the host of one instance, with its state in memory.
type calls struct {
	emitted []string // "output cause key=value time"
	frames  []int    // bytes of each
	failed  []string
	stores  []map[string]string
	token   []byte
	logs    []string
	metrics map[string]int64
	names   []string
	quiet   bool
}

func (c *calls) Emit(frame []byte) abi.Errno {
	b, err := wire.Parse(frame)
	if err != nil {
		return abi.EINVAL
	}
	c.frames = append(c.frames, len(frame))
	if c.quiet {
		return abi.OK
	}
	var r record.Record
	for recs := b.Records; len(recs) > 0; {
		recs = wire.Next(recs, &r)
		c.emitted = append(c.emitted, fmt.Sprintf("%d %d %s=%s %d", r.Stream, int32(r.Cause), r.Key, r.Value, r.Time))
	}
	return abi.OK
}

func (c *calls) Fail(index uint32, code int32, message []byte) abi.Errno {
	c.failed = append(c.failed, fmt.Sprintf("%d %d %s", index, code, message))
	return abi.OK
}

func (c *calls) StateGet(store uint32, key []byte) ([]byte, abi.Errno) {
	v, ok := c.stores[store][string(key)]
	if !ok {
		return nil, abi.ENOENT
	}
	return []byte(v), abi.OK
}

func (c *calls) StatePut(store uint32, key, value []byte) abi.Errno {
	c.stores[store][string(key)] = string(value)
	return abi.OK
}

func (c *calls) StateDelete(store uint32, key []byte) abi.Errno {
	delete(c.stores[store], string(key))
	return abi.OK
}

func (c *calls) StateScan(store uint32, start, end, buf []byte) (int, abi.Errno) {
	n := 0
	for _, k := range slices.Sorted(maps.Keys(c.stores[store])) {
		if k < string(start) || len(end) > 0 && k >= string(end) {
			continue
		}
		v := c.stores[store][k]
		if need := 8 + len(k) + len(v); n+need > len(buf) {
			if n == 0 {
				return need, abi.OK
			}
			break
		}
		binary.LittleEndian.PutUint32(buf[n:], uint32(len(k)))
		binary.LittleEndian.PutUint32(buf[n+4:], uint32(len(v)))
		n += 8
		n += copy(buf[n:], k)
		n += copy(buf[n:], v)
	}
	return n, abi.OK
}

func (c *calls) Resume(token []byte) abi.Errno {
	c.token = slices.Clone(token)
	return abi.OK
}

func (c *calls) Now() int64                  { return 1_700_000_000_000_000_000 }
func (c *calls) LogEnabled(guest.Level) bool { return true }

func (c *calls) Log(level guest.Level, line []byte) {
	c.logs = append(c.logs, fmt.Sprintf("%d %s", level, line))
}

func (c *calls) MetricDefine(_ guest.MetricKind, name []byte) (uint32, abi.Errno) {
	c.names = append(c.names, string(name))
	return uint32(len(c.names) - 1), abi.OK
}

func (c *calls) MetricAdd(handle uint32, delta int64) abi.Errno {
	if c.metrics == nil {
		c.metrics = map[string]int64{}
	}
	c.metrics[c.names[handle]] += delta
	return abi.OK
}

// start builds the step in dir and makes an instance of it.
func start(t testing.TB, dir string, init guest.Init, c *calls) (guest.Instance, error) {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("needs the go command")
	}
	if testing.Short() {
		t.Skip("builds and compiles a module")
	}
	ctx := context.Background()
	wasm, _, err := build.Resolve(ctx, dir, build.Options{})
	if err != nil {
		t.Fatal(err)
	}
	engine, err := guest.NewEngine(ctx, guest.EngineOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := engine.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	module, err := engine.Compile(ctx, wasm, dir)
	if err != nil {
		t.Fatal(err)
	}
	init.Tenant, init.Job, init.Step, init.Partitions = "default", "test", "test", 1
	if init.Outputs == nil {
		init.Outputs = []string{"out"}
	}
	init.Inputs, init.Lookups = []string{"in"}, []string{}
	for range init.Stores {
		c.stores = append(c.stores, map[string]string{})
	}
	init.Run.Patient = true // a call of these tests may take long
	return module.Instantiate(ctx, init, c)
}

func batch(records ...record.Record) *wire.Batch {
	b := &wire.Batch{Partition: record.Partition{Name: "file.txt", Number: 7}}
	for i := range records {
		b.Add(&records[i])
	}
	return b
}

// TestWrite_Runs builds a new step and runs it as the host does.
func TestWrite_Runs(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	if _, err := scaffold.Write(dir, scaffold.Options{Lang: "go"}); err != nil {
		t.Fatal(err)
	}
	c := &calls{}
	in, err := start(t, dir, guest.Init{Config: map[string]any{"match": "fox"}}, c)
	if err != nil {
		t.Fatal(err)
	}
	status, err := in.Batch(context.Background(), batch(
		record.Record{Time: 5, Key: []byte("k"), Value: []byte("a fox")},
		record.Record{Time: 6, Value: []byte("a dog")},
		record.Record{Time: 7, Value: []byte("fox\x00")},
	))
	if status != abi.OK || err != nil {
		t.Fatal(status, err)
	}
	if want := []string{"0 0 k=a fox 5"}; !slices.Equal(c.emitted, want) {
		t.Errorf("emitted %q, want %q", c.emitted, want)
	}
	if want := []string{"2 0 not a line of text"}; !slices.Equal(c.failed, want) {
		t.Errorf("failed %q, want %q", c.failed, want)
	}

	_, err = start(t, dir, guest.Init{Config: map[string]any{"macht": "fox"}}, &calls{})
	var trap *guest.Trap
	if !errors.As(err, &trap) || trap.Kind != guest.TrapInit || !strings.Contains(trap.Message, `unknown field "macht"`) {
		t.Errorf("a wrong config gives %v", err)
	}
}
