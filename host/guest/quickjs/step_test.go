package quickjs_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/abi/wire"
)

func frameOf(records ...record.Record) []byte {
	b := &wire.Batch{Partition: record.Partition{Name: "file.txt", Number: 7}}
	for i := range records {
		b.Add(&records[i])
	}
	return b.AppendFrame(nil)
}

// values runs a batch of records with these values and returns what was
// emitted, "cause value".
func (in *instance) values(texts ...string) []string {
	in.t.Helper()
	var records []record.Record
	for i, s := range texts {
		records = append(records, record.Record{Time: int64(100 + i), Value: []byte(s)})
	}
	if status := in.process(1, frameOf(records...)); status != 0 {
		in.t.Fatal(status, in.logs)
	}
	return in.emitted()
}

func (in *instance) emitted() []string {
	in.t.Helper()
	var out []string
	for _, f := range in.frames {
		b, err := wire.Parse(f)
		if err != nil {
			in.t.Fatal(err)
		}
		var r record.Record
		for rest := b.Records; len(rest) > 0; {
			rest = wire.Next(rest, &r)
			out = append(out, fmt.Sprintf("%d %s", int32(r.Cause), r.Value))
		}
	}
	return out
}

func started(t *testing.T, step string, files ...string) *instance {
	t.Helper()
	in, status := start(t, step, files...)
	if status != 0 {
		t.Fatal(status, in.logs)
	}
	return in
}

func equal(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestStep_ExceptionsRejectTheirRecordAlone(t *testing.T) {
	in := started(t, sdk+`
w.step = async (r, cx) => {
  const what = r.text;
  if (what === "reject") throw new Reject("not wanted", 7);
  if (what === "bug") r.nothing.x;
  if (what === "value") throw { a: [1] };
  if (what === "cause") throw new Error("outer", { cause: new TypeError("inner") });
  if (what === "later") { await null; throw new RangeError("late"); }
  if (what === "pending") return new Promise(() => {});
  if (what === "floating") Promise.reject(new Error("unheard"));
  if (what === "heard") Promise.reject(new Error("heard")).catch(() => cx.emit({ value: "heard" }));
  if (what === "microtask") queueMicrotask(() => { throw new Error("task"); });
  if (what === "json") r.json;
  if (what === "deep") { const f = () => f() + 1; f(); }
  if (what === "nested") JSON.parse("[".repeat(1e5));
  await null;
  cx.emit({ value: what + " done" });
};`)
	got := in.values("reject", "bug", "value", "cause", "later", "pending", "floating", "heard", "microtask", "json", "deep", "nested", "fine")
	equal(t, got, "6 floating done", "7 heard", "7 heard done", "8 microtask done", "12 fine done")
	wants := []string{
		"0 7 not wanted", "1 -1 TypeError: cannot read property 'x' of undefined\n    at <anonymous> (step.js:", `2 -1 thrown: {"a":[1]}`,
		"3 -1 Error: outer\n    at <anonymous> (step.js:", "4 -1 RangeError: late\n", "5 -1 TypeError: the promise that the function returned is pending",
		"6 -1 Error: unheard\n", "8 -1 Error: task\n", "9 -1 SyntaxError: ", "10 -1 RangeError: Maximum call stack size exceeded\n", "11 -1 RangeError: Maximum call stack size exceeded\n",
	}
	if len(in.fails) != len(wants) {
		t.Fatalf("failed %q", in.fails)
	}
	for i, want := range wants {
		if !strings.HasPrefix(in.fails[i], want) {
			t.Errorf("failed %q, want %q", in.fails[i], want)
		}
	}
	if !strings.Contains(in.fails[3], "cause: TypeError: inner\n") {
		t.Errorf("failed %q, without its cause", in.fails[3])
	}
	equal(t, in.values("again"), "0 again done")
}

// TestBatch_ExceptionRefusesItUntilTheRecordIsAlone: what the host tries in
// halves comes out with its reason.
func TestBatch_ExceptionRefusesItUntilTheRecordIsAlone(t *testing.T) {
	in := started(t, sdk+`
w.batch = async (records, cx) => {
  for (const r of records) if (r.text === "rejected") cx.fail(r, new Reject("by intent", 4));
  await null;
  if (records.some((r) => r.text === "bad")) throw new RangeError("oh");
  cx.emit({ value: String(records.length) });
  cx.emit({ value: "caused", cause: records[0] });
};`)
	if status := in.process(1, frameOf(record.Record{Value: []byte("a")}, record.Record{Value: []byte("bad")})); status != -22 {
		t.Errorf("status %d of two records, want -22", status)
	}
	if len(in.logs) != 1 || !strings.HasPrefix(in.logs[0], "3 RangeError: oh\n") {
		t.Errorf("logs %q", in.logs)
	}
	equal(t, in.values("bad"))
	if len(in.fails) != 1 || !strings.HasPrefix(in.fails[0], "0 -1 RangeError: oh\n") {
		t.Errorf("failed %q", in.fails)
	}
	equal(t, in.values("a", "rejected"), "-1 2", "0 caused")
	equal(t, in.fails, "1 4 by intent")
}

// TestStep_UnheardPromisesBelongToTheirRecord: also where the function is not
// async itself, and nothing is left for later records.
func TestStep_UnheardPromisesBelongToTheirRecord(t *testing.T) {
	in := started(t, sdk+`
w.step = (r, cx) => {
  if (r.text === "floating") Promise.reject(new Error("unheard"));
  if (r.text === "both") { Promise.reject(new Error("unheard")); throw new Error("thrown"); }
  if (r.text === "task") { Promise.reject(new Error("unheard")); queueMicrotask(() => { throw new Error("task"); }); }
  cx.emit({ value: r.text });
};`)
	in.values("floating", "a", "both", "b", "task", "c")
	var got []string
	for _, f := range in.fails {
		first, _, _ := strings.Cut(f, "\n")
		got = append(got, first)
	}
	equal(t, got, "0 -1 Error: unheard", "2 -1 Error: thrown", "4 -1 Error: task")
}

func TestStep_OutOfMemoryIsAnException(t *testing.T) {
	in := started(t, sdk+`
w.step = (r, cx) => {
  if (r.text === "oom") { const all = []; for (;;) all.push(new Uint8Array(1 << 20)); }
  cx.emit({ value: r.text });
};`)
	equal(t, in.values("a", "oom", "b"), "0 a", "2 b")
	if len(in.fails) != 1 || !strings.HasPrefix(in.fails[0], "1 -1 InternalError: out of memory") {
		t.Errorf("failed %q", in.fails)
	}
}

func TestStack_IsOfTheSource(t *testing.T) {
	// Two lines of one.ts in one of the bundle, made by hand: its columns 0 and
	// 20 are line 3 column 5 and line 9 column 1 of the source.
	in := started(t, sdk+"w.step = (r) => {        r.a.b }\n", "step.js.map",
		`{"version":3,"sources":["src/one.ts"],"names":[],"mappings":"`+strings.Repeat(";", strings.Count(sdk, "\n"))+`AAEI,oBAMJ"}`)
	in.values("x")
	if want := "0 -1 TypeError: cannot read property 'b' of undefined\n    at <anonymous> (src/one.ts:9:1)"; len(in.fails) != 1 || in.fails[0] != want {
		t.Errorf("failed %q, want %q", in.fails, want)
	}
}

// TestEmit_JSONIsThatOfStringify compares what emit writes with JSON.stringify.
func TestEmit_JSONIsThatOfStringify(t *testing.T) {
	in := started(t, sdk+`
const cases = [
  {}, [], [[]], { a: {} }, 0, -0, 1, -1, 1.5, 1e21, 1e-7, 123456789012345680, 4294967296, -9007199254740991, NaN, Infinity, 1e15, 999999999999999, 0.1 + 0.2,
  true, false, [null, undefined, () => 1, Symbol("s")], { u: undefined, f() {}, n: null, [Symbol("k")]: 1 },
  { "q\"\\": "\b\f\n\r\t\u0000\u001f\u007f\u2028", "é": "日本 😀", lone: "\ud800x\udc00" }, { 2: "b", 1: "a", x: 1 },
  new Date(0), { d: new Date(1) }, { toJSON: () => "t" }, { a: { toJSON: (k) => k } }, [new String("s"), new Number(1), new Boolean(true)], new Map([[1, 2]]),
  Object.create({ inherited: 1 }), new (class A { x = 1; #y = 2; get z() { return 3; } })(), Object.defineProperty({}, "hidden", { value: 1 }),
  { get computed() { return [1]; } }, new Uint16Array([1, 2]), [, 1], "x".repeat(5000).split(""), JSON.rawJSON ? { raw: JSON.rawJSON("1.0") } : 1,
  JSON.parse("[".repeat(100) + "]".repeat(100)), Array.from({ length: 300 }, (_, i) => ({ i, s: "v" + i })), new Proxy({ p: 1 }, {}),
];
w.step = (r, cx) => {
  for (const c of cases) {
    const want = JSON.stringify(c);
    cx.emit({ value: c });
    cx.emit({ value: want });
  }
};`)
	got := in.values("go")
	if len(in.fails) > 0 || len(got) < 60 {
		t.Fatal(in.fails, len(got))
	}
	for i := 0; i < len(got); i += 2 {
		if got[i] != got[i+1] {
			t.Errorf("case %d: emitted %q, JSON.stringify gives %q", i/2, got[i], got[i+1])
		}
		if !json.Valid([]byte(got[i][2:])) {
			t.Errorf("case %d: %q is no JSON", i/2, got[i])
		}
	}
}

// TestEmit_GettersMayEmit: a getter that runs while its object is written may
// emit as well.
func TestEmit_GettersMayEmit(t *testing.T) {
	in := started(t, sdk+`
w.step = (r, cx) => {
  cx.emit({ value: { a: 1, get b() { cx.emit({ value: { inner: [1, 2] } }); return "x".repeat(300); }, c: 3 } });
};`)
	equal(t, in.values("go"), `0 {"inner":[1,2]}`, `0 {"a":1,"b":"`+strings.Repeat("x", 300)+`","c":3}`)
}

func TestEmit_BuffersThatChange(t *testing.T) {
	in := started(t, sdk+`
w.step = (r, cx) => {
  const b = new ArrayBuffer(2, { maxByteLength: 8 }), u = new Uint8Array(b);
  u.fill(97);
  if (r.text === "grown") b.resize(3);
  if (r.text === "shrunk") b.resize(1);
  if (r.text === "gone") b.transfer();
  if (r.text === "decoded") { b.transfer(); new TextDecoder().decode(u); }
  cx.emit({ value: u });
  cx.emit({ value: new Uint8Array(0) });
};`)
	equal(t, in.values("as it is", "grown", "shrunk"), "0 aa", "0 ", "1 aa\x00", "1 ", "2 a", "2 ")
	in.values("gone", "decoded")
	if len(in.fails) != 2 || !strings.HasPrefix(in.fails[0], "0 -1 TypeError: ") || !strings.HasPrefix(in.fails[1], "1 -1 TypeError: ") {
		t.Errorf("failed %q", in.fails)
	}
	equal(t, in.values("as it is"), "0 aa", "0 ")
}

func TestStep_ClockAndRandomAreTheHosts(t *testing.T) {
	step := sdk + `w.step = (r, cx) => cx.emit({ value: [Date.now() > 0, String(cx.now()), Math.random()] });`
	draw := func(seed byte) string {
		in := started(t, step)
		if status := in.call("wasmill_process", slices.Repeat([]byte{seed}, 32), 4); status != 0 {
			t.Fatal(status)
		}
		return in.values("x")[0]
	}
	one, again, other := draw(1), draw(1), draw(2)
	if !strings.HasPrefix(one, `0 [true,"1700000000123456789",0.`) || one != again || one == other {
		t.Errorf("drew %s, then %s, with another seed %s", one, again, other)
	}
}

func TestStores_AllCalls(t *testing.T) {
	in := started(t, sdk+`
w.step = (r, cx) => {
  const s = cx.store("state");
  const say = (...all) => cx.emit({ value: all });
  s.put("a", "1"); s.put("b", { x: "é" }); s.put(Uint8Array.of(0xff, 0), Uint8Array.of(1, 2)); s.put("", ""); s.put("long", "v".repeat(200000));
  say(s.getText("a"), s.getJSON("b"), s.get("none") === undefined, s.getText("").length, s.getText("long").length);
  say(s.getMany(["b", "none", ""]).map((v) => v?.length ?? null), s.getMany([]));
  say([...s.scan("a", "c")].map((e) => [e.keyText, e.text, e.json]));
  let n = 0;
  for (const e of s.scan()) n += e.key.length + e.value.length;
  s.delete("a");
  say(n, s.get("a") === undefined);
  s.put("b", null);
};`)
	got := in.values("go")
	equal(t, got, `0 ["1",{"x":"é"},true,0,200000]`, `0 [[10,null,0],[]]`, `0 [[["a","1",1],["b","{\"x\":\"é\"}",{"x":"é"}]]]`, "0 [200021,true]")
	if len(in.fails) != 1 || !strings.HasPrefix(in.fails[0], "0 -1 TypeError: a store has no null values") {
		t.Errorf("failed %q", in.fails)
	}
}

func TestEnd_GoesOnFromItsToken(t *testing.T) {
	in := started(t, sdk+`
w.step = () => {};
w.end = async (cx, token) => {
  const n = token === null ? 0 : Number(new TextDecoder().decode(token));
  cx.emit({ value: String(n) });
  return n < 2 ? String(n + 1) : null;
};`)
	var all []string
	var token []byte
	status := int32(1)
	for ; status == 1; token = in.token {
		status = in.process(3, token)
		all = append(all, in.emitted()...)
	}
	equal(t, all, "-1 0", "-1 1", "-1 2")
	if status != 0 {
		t.Error(status)
	}
	if status := in.process(99, nil); status != -38 {
		t.Errorf("an unknown op gives %d", status)
	}
}

func TestInit_FaultsAreLogged(t *testing.T) {
	for _, test := range []struct{ step, want string }{
		{"syntax (", "3 SyntaxError: "},
		{sdk, "3 TypeError: the step registers no function: call step or batch of the package wasmill"},
		{sdk + `w.step = () => {}; w.init = async () => { await null; throw new Error("configured to fail"); };`, "3 Error: configured to fail\n"},
		{`import "fs";`, "3 ReferenceError: could not load module 'fs'"},
		{sdk + `await new Promise(() => {});`, "3 TypeError: the promise"},
		{sdk + `w.metric(0, "Bad");`, "3 metric_define Bad: errno 22"},
		{sdk + `w.step = () => {}; w.init = (cx) => cx.emit({ value: "x" });`, "3 emit : errno 1"},
	} {
		in, status := start(t, test.step)
		if status >= 0 || len(in.logs) != 1 || !strings.HasPrefix(in.logs[0], test.want) {
			t.Errorf("%q gives %d %q, want %q", test.step[len(test.step)-min(40, len(test.step)):], status, in.logs, test.want)
		}
	}
}

func TestGlobals_TextAndConsole(t *testing.T) {
	in := started(t, sdk+`
const m = w.metric(1, "level");
w.step = (r, cx) => {
  console.debug("a", 1, { b: [2] }, null, undefined, 5n);
  console.warn(new RangeError("r").name, Symbol("s"));
  m.add(-3); m.add(); m.add(2n ** 40n);
  const { read, written } = new TextEncoder().encodeInto("aé日", new Uint8Array(4));
  const fatal = (b) => { try { return new TextDecoder("utf-8", { fatal: true }).decode(b); } catch (e) { return e.name; } };
  cx.emit({ value: [read, written, new TextDecoder().decode(Uint8Array.of(0xef, 0xbb, 0xbf, 0x61, 0xff)), fatal(Uint8Array.of(0xff)), fatal(new TextEncoder().encode("\ufffd")),
    [...new TextEncoder().encode("\ud800")], typeof std, typeof os, typeof process] });
};`)
	equal(t, in.values("x"), `0 [2,3,"a�","TypeError","�",[239,191,189],"undefined","undefined","undefined"]`)
	equal(t, in.logs, `0 a 1 {"b":[2]} null undefined 5`, "2 RangeError Symbol(s)", "metric 7 -3", "metric 7 1", "metric 7 1099511627776")
}
