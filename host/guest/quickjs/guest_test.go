package quickjs_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/wasmill/wasmill/abi"
	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/abi/wire"
	"github.com/wasmill/wasmill/host/guest"
	"github.com/wasmill/wasmill/host/guest/archive"
	"github.com/wasmill/wasmill/host/guest/compile"
	"github.com/wasmill/wasmill/host/guest/quickjs"
)

func TestMain(m *testing.M) {
	if compile.Main(context.Background()) {
		return
	}
	os.Exit(m.Run())
}

// calls keeps what a step says; what it does not need is not there.
type calls struct {
	guest.Calls
	values, fails, logs []string
}

func (c *calls) Emit(frame []byte) abi.Errno {
	b, err := wire.Parse(frame)
	if err != nil {
		return abi.EINVAL
	}
	var r record.Record
	for rest := b.Records; len(rest) > 0; {
		rest = wire.Next(rest, &r)
		c.values = append(c.values, string(r.Value))
	}
	return abi.OK
}

func (c *calls) Fail(index uint32, code int32, text []byte) abi.Errno {
	first, _, _ := strings.Cut(string(text), "\n")
	c.fails = append(c.fails, fmt.Sprint(index, " ", code, " ", first))
	return abi.OK
}

func (c *calls) Now() int64                  { return 1_700_000_000_000_000_000 }
func (c *calls) LogEnabled(guest.Level) bool { return true }
func (c *calls) Log(level guest.Level, line []byte) {
	c.logs = append(c.logs, fmt.Sprint(level, " ", string(line)))
}

// module compiles a step in the engine that runs jobs.
func module(t *testing.T, step string) guest.Module {
	t.Helper()
	ctx := context.Background()
	var b bytes.Buffer
	if err := archive.Write(&b, archive.Step{
		Language: "javascript", Carrier: archive.ABI, ABI: "1.1", SDK: "test",
		Interpreter: archive.Interpreter{Name: quickjs.Name, Version: quickjs.Version, Digest: quickjs.Digest()},
	}, []archive.File{{Name: "step.js", Data: []byte(step)}}, quickjs.Engine()); err != nil {
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
	m, err := engine.Compile(ctx, b.Bytes(), "step")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func instantiate(t *testing.T, m guest.Module) (guest.Instance, *calls) {
	t.Helper()
	c := &calls{}
	in, err := m.Instantiate(context.Background(), guest.Init{Job: "test", Step: "test", Inputs: []string{"in"}, Outputs: []string{"out"}, Run: guest.Run{Patient: true}}, c)
	if err != nil {
		t.Fatal(err)
	}
	return in, c
}

// run gives the instance one batch.
func run(t *testing.T, in guest.Instance, values ...string) {
	t.Helper()
	b := &wire.Batch{Partition: record.Partition{Name: "f"}}
	for _, v := range values {
		b.Add(&record.Record{Time: record.NoTime, Value: []byte(v)})
	}
	if status, err := in.Batch(context.Background(), b); status != abi.OK || err != nil {
		t.Fatal(status, err)
	}
}

// TestGuest_InstancesOfAnImageAreAlike: one that replaces another has what the
// step loaded, and draws the same numbers.
func TestGuest_InstancesOfAnImageAreAlike(t *testing.T) {
	m := module(t, sdk+`
const loaded = [Math.random()];
let n = 0;
w.init = () => { loaded.push("ready"); };
w.step = (r, cx) => cx.emit({ value: [loaded[1], n++, Math.random() === loaded[0], Math.random()] });`)
	var all []string
	for range 3 {
		in, c := instantiate(t, m)
		run(t, in, "x")
		all = append(all, c.values...)
	}
	if !strings.HasPrefix(all[0], `["ready",0,false,0.`) || all[1] != all[0] || all[2] != all[0] {
		t.Errorf("instances gave %q", all)
	}
}

// TestGuest_TooDeepIsAnException: recursion meets the bound of QuickJS, not
// that of the host, which would cost the instance.
func TestGuest_TooDeepIsAnException(t *testing.T) {
	in, c := instantiate(t, module(t, sdk+`
const nested = (n) => { let x = 1; for (let i = 0; i < n; i++) x = [x]; return x; };
const deep = {
  calls() { const f = () => f() + 1; return f(); },
  methods() { const f = () => [2, 1].sort(() => f()); return f(); },
  parse: () => JSON.parse("[".repeat(1e5)),
  revive: () => JSON.parse("[".repeat(1e3) + "]".repeat(1e3), (k, v) => deep.revive()),
  stringify: () => JSON.stringify(nested(1e5)),
  emit: (cx) => cx.emit({ value: nested(1e5) }),
  text: () => String(nested(1e5)),
  flat: () => nested(1e5).flat(Infinity),
  proxy: () => { let p = {}; for (let i = 0; i < 1e5; i++) p = new Proxy(p, {}); return p.x; },
  getter: () => { const o = { get x() { return this.x; } }; return o.x; },
  construct() { class A { constructor() { new A(); } } return new A(); },
  generate() { function* g() { yield* g(); } return [...g()]; },
  fine() {},
};
w.step = (r, cx) => { deep[r.text](cx); cx.emit({ value: r.text }); };`))
	all := []string{"calls", "methods", "parse", "revive", "stringify", "emit", "text", "flat", "proxy", "getter", "construct", "generate"}
	var want []string
	for _, name := range all {
		run(t, in, name)
		want = append(want, "0 -1 RangeError: Maximum call stack size exceeded")
	}
	run(t, in, "fine")
	equal(t, c.fails, want...)
	equal(t, c.values, "fine")
}
