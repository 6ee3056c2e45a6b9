package marshal_test

import (
	"encoding/base64"
	"fmt"
	"testing"

	"github.com/wasmill/wasmill/abi"
	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/abi/wire"
	"github.com/wasmill/wasmill/host/guest/marshal"
)

// expected is what json.dumps made of a value: a text, or what it raised.
type expected struct {
	encoded bool
	text    string
}

func (p *peer) dumps(seed uint64, count, version int) (content []byte, want []expected) {
	p.t.Helper()
	p.write(fmt.Appendf(nil, "d[%d,%d,%d]", seed, count, version))
	content = p.read()
	var raw [][2]any
	p.readJSON(&raw)
	for _, r := range raw {
		text, err := base64.StdEncoding.DecodeString(r[1].(string))
		if err != nil {
			p.t.Fatal(err)
		}
		want = append(want, expected{r[0].(bool), string(text)})
	}
	return content, want
}

// records returns the records of a frame.
func records(t *testing.T, frame []byte) (recs []record.Record) {
	t.Helper()
	if len(frame) == 0 {
		return nil
	}
	b, err := wire.Parse(frame)
	if err != nil {
		t.Fatal(err)
	}
	left := b.Records
	for range b.Count {
		var r record.Record
		left = wire.Next(left, &r)
		recs = append(recs, r)
	}
	return recs
}

func TestDecoder_EncodesAsJSONDumps(t *testing.T) {
	r := random(t)
	p := startPeer(t)
	var d marshal.Decoder
	for i := range rounds(10) {
		content, want := p.dumps(r.Uint64(), 400, 2+i%3)
		e, err := d.Return(content, 3)
		if err != nil {
			t.Fatal(err)
		}
		if e.Refused != abi.OK || e.Want != marshal.WantBytes|marshal.WantJSON {
			t.Fatalf("refused %v, want %v", e.Refused, e.Want)
		}
		recs, fails := records(t, e.Frame), e.Fails
		for i, w := range want {
			var got expected
			switch {
			case len(recs) > 0 && recs[0].Cause == uint32(i):
				got, recs = expected{true, string(recs[0].Value)}, recs[1:]
			case len(fails) > 0 && fails[0].Index == uint32(i):
				if fails[0].Code != -1 {
					t.Errorf("value %d fails with code %d", i, fails[0].Code)
				}
				got, fails = expected{false, string(fails[0].Text)}, fails[1:]
			}
			if got != w {
				t.Errorf("value %d:\n%v %q, json.dumps\n%v %q", i, got.encoded, cut(got.text), w.encoded, cut(w.text))
			}
		}
		if t.Failed() {
			return
		}
	}
}

// texts writes failures readably.
func texts(fails []marshal.Fail) string {
	var out []string
	for _, f := range fails {
		out = append(out, fmt.Sprintf("%d %d %q", f.Index, f.Code, f.Text))
	}
	return fmt.Sprint(out)
}

func cut(s string) string { return s[:min(len(s), 500)] }

func TestDecoder_Effects(t *testing.T) {
	p := startPeer(t)
	content := p.eval(`(1, [
		(0, 1, b"k", b"v", 5, 1, ((b"h", b"x"), (b"", None))),
		(-1, 0, None, None, None, 0, ()),
		(2**32-2, 0, b"", b"", -(2**63)+1, 65535, []),
		(3, 0, None, {"a": [1, "é"]}, 2**62, 0, ()),
	], [(4, 0, b"no"), (5, -2**31, "\ud800")], [(0, b"k", b"v"), (2**32-1, b"", b""), (1, b"x", None)])`)
	var d marshal.Decoder
	e, err := d.Return(content, 2)
	if err != nil {
		t.Fatal(err)
	}
	var b wire.Batch
	b.Add(&record.Record{Time: 5, Stream: 1, Flags: 1, Key: []byte("k"), Value: []byte("v"), Headers: record.Headers{}.Append("h", []byte("x")).Append("", nil)})
	b.Add(&record.Record{Time: record.NoTime, Cause: abi.CauseBatch})
	b.Add(&record.Record{Time: -1<<63 + 1, Cause: 1<<32 - 2, Flags: 65535, Key: []byte{}, Value: []byte{}})
	b.Add(&record.Record{Time: 1 << 62, Cause: 3, Value: []byte(`{"a":[1,"é"]}`)})
	if want := b.AppendFrame(nil); string(e.Frame) != string(want) {
		t.Errorf("frame\n% x, want\n% x", e.Frame, want)
	}
	if got, want := texts(e.Fails), `[4 0 "no" 5 -2147483648 "\xed\xa0\x80"]`; got != want {
		t.Errorf("fails %s, want %s", got, want)
	}
	if got, want := fmt.Sprintf("%#v", e.Writes), fmt.Sprintf("%#v", []marshal.Write{{0, []byte("k"), []byte("v"), false}, {1<<32 - 1, []byte{}, []byte{}, false}, {1, []byte("x"), nil, true}}); got != want {
		t.Errorf("writes %s, want %s", got, want)
	}
	if e.Want != marshal.WantBytes || e.Refused != abi.OK {
		t.Errorf("want %d, refused %v", e.Want, e.Refused)
	}
	if e, err = d.Return(p.eval(`(0, [], [], [])`), 0); err != nil || e.Frame != nil || len(e.Fails)+len(e.Writes) > 0 {
		t.Errorf("of nothing: %+v, %v", e, err)
	}
}

func TestDecoder_WhatCannotBeEmitted(t *testing.T) {
	p := startPeer(t)
	for _, test := range []struct {
		name    string
		limit   int
		content string
		want    string
	}{
		{"for a record", 1048576, `(0, [(7, 0, None, {1}, None, 0, ()), (8, 0, None, b"ok", None, 0, ())], [(7, 1, b"own")], [])`,
			`1 records, fails [7 -1 "TypeError: Object of type set is not JSON serializable" 7 1 "own"], refused OK ""`},
		{"for the batch", 1048576, `(0, [(8, 0, None, b"ok", None, 0, ()), (-1, 0, None, {b"k": 1}, None, 0, ())], [], [])`,
			`0 records, fails [], refused EINVAL "TypeError: keys must be str, int, float, bool or None, not bytes"`},
		{"a ring", 1048576, `(lambda a: a.append({"a": (a,)}) or (0, [(7, 0, None, a, None, 0, ()), (8, 0, None, [1], None, 0, ())], [], []))([])`,
			`1 records, fails [7 -1 "ValueError: Circular reference detected"], refused OK ""`},
		{"nested deeply by references", 1048576, `(lambda d: (lambda b: (0, [(7, 0, None, b, None, 0, ()), (8, 0, None, d(b, 1990), None, 0, ())], [], []))(d("", 40)))(lambda v, n: __import__("functools").reduce(lambda a, _: [a], range(n), v))`,
			`1 records, fails [8 -1 "RecursionError: maximum recursion depth exceeded while encoding a JSON object"], refused OK ""`},
		{"a long record", 1048576, `(0, [(7, 0, b"k"*10, ["v"*87], None, 0, ((b"n", b""),)), (8, 0, b"k"*10, b"v"*91, None, 0, ())], [], [])`,
			`1 records, fails [7 0 "emit: a record of 152 bytes is longer than the limit of 100"], refused OK ""`},
		{"a long frame", 600, `(0, [(i, 0, None, "v"*50, None, 0, ()) for i in range(10)], [], [])`,
			`0 records, fails [], refused E2BIG "it emitted more than 600 bytes in one call"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := marshal.Decoder{RecordLimit: 100, EmitLimit: test.limit}
			e, err := d.Return(p.eval(test.content), 1)
			if err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprintf("%d records, fails %s, refused %s %q", len(records(t, e.Frame)), texts(e.Fails), e.Refused, e.Reason); got != test.want {
				t.Errorf("%s, want\n%s", got, test.want)
			}
		})
	}
}

// A guest that refers to one value again and again does not make the host
// write it each time without end, whether it is emitted or not.
func TestDecoder_ReferencesAreBounded(t *testing.T) {
	p := startPeer(t)
	for _, content := range []string{
		`(0, [(0, 0, None, "v" * 1000, None, 0, ())] * 100000, [], [])`,
		`(0, [(0, 0, None, ["v" * 90, {1}], None, 0, ())] * 100000, [], [])`,
		`(0, [(0, 0, None, b"", None, 0, [(b"n" * 90, b"")] * 100000)], [], [])`,
		`(0, [(0, 0, None, [{1}, "v" * 1000000], None, 0, ())] * 100000, [], [])`,
		`(0, [], [(0, 0, "é" * 500000)] * 600000, [(0, b"k", None)] * 600000)`,
		`(0, [(0, 0, None, __import__("functools").reduce(lambda a, _: [a] * 10, range(60), []), None, 0, ())], [], [])`,
	} {
		d := marshal.Decoder{RecordLimit: 100, EmitLimit: 1 << 20}
		e, err := d.Return(p.eval(content), 1)
		if err != nil || e.Refused != abi.E2BIG {
			t.Errorf("%s: refused %v, error %v", content, e.Refused, err)
		}
	}
}

func TestDecoder_Faults(t *testing.T) {
	p := startPeer(t)
	const one = `(0, 0, None, b"", None, 0, ())`
	var d marshal.Decoder
	if _, err := d.Return(p.eval(`(0, [`+one+`], [], [])`), 1); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ content, want string }{
		{`None`, `byte 0: a return has the type 'N', not that of a tuple`},
		{`(0, [], [])`, `byte 2: a return has 3 parts, not 4`},
		{`(-1, [], [], [])`, `want is -1, not from 0 to 4294967295`},
		{`(2**64, [], [], [])`, `want is too large`},
		{`(2**90, [], [], [])`, `want is too large`},
		{`("1", [], [], [])`, `want has the type 'Z', not that of an integer`},
		{`(0, {}, [], [])`, `the records emitted has the type '{', not that of a list`},
		{`(0, [(0, 0, None, b"")], [], [])`, `a record has 4 parts, not 7`},
		{`(0, [(0, 1, None, b"", None, 0, ())], [], [])`, `an output is 1, not from 0 to 0`},
		{`(0, [(-2, 0, None, b"", None, 0, ())], [], [])`, `a cause is -2, not from -1 to 4294967294`},
		{`(0, [(0, 0, "key", b"", None, 0, ())], [], [])`, `a key has the type 'Z', not that of bytes`},
		{`(0, [(0, 0, None, b"", -2**63, 0, ())], [], [])`, `an event time is too large`},
		{`(0, [(0, 0, None, b"", 1.5, 0, ())], [], [])`, `an event time has the type 'g', not that of an integer`},
		{`(0, [(0, 0, None, b"", None, 65536, ())], [], [])`, `flags is 65536, not from 0 to 65535`},
		{`(0, [(0, 0, None, b"", None, 0, ((None, b""),))], [], [])`, `a header's name has the type 'N', not that of bytes`},
		{`(0, [], [(0, 0, None)], [])`, `a text has the type 'N', not that of text or bytes`},
		{`(0, [], [(0, 2**31, b"")], [])`, `a code is 2147483648`},
		{`(0, [], [], [(0, None, b"")])`, `a key has the type 'N', not that of bytes`},
		{`(lambda a: a.append(a) or (0, a, [], []))([])`, `a record has the type '[', not that of a tuple`},
	} {
		if _, err := d.Return(p.eval(test.content), 1); err == nil || !contains(err, test.want) {
			t.Errorf("%s: error %v, want %s", test.content, err, test.want)
		}
	}
	for _, n := range []byte{5, 255} {
		if _, err := d.Return([]byte{'(', 4, 0, 0, 0, 'r', n, 0, 0, 0}, 1); err == nil || !contains(err, "there is no value") {
			t.Errorf("a reference to value %d: %v", n, err)
		}
	}
	good := p.eval(`(0, [(0, 0, None, [{"a": (1, "é", 2**70, 1.5, {1}, None)}], None, 0, ())], [], [])`)
	for n := range good {
		if _, err := d.Return(good[:n], 1); err == nil {
			t.Errorf("the first %d of %d bytes pass", n, len(good))
		}
	}
	if _, err := d.Return(append(good[:len(good):len(good)], 'N'), 1); err == nil || !contains(err, "1 bytes are left over") {
		t.Errorf("with a byte more: %v", err)
	}
}
