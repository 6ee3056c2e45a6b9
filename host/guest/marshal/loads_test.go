package marshal_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/abi/wire"
	"github.com/wasmill/wasmill/host/guest/marshal"
)

// batchOf makes a batch of values.
func batchOf(values ...string) *wire.Batch {
	b := &wire.Batch{Partition: record.Partition{Name: "in/0", Number: 1}}
	for i, v := range values {
		b.Add(&record.Record{Time: record.NoTime, Position: record.Position(i), Value: []byte(v)})
	}
	return b
}

// compare holds what AppendBatch makes of b against json.loads, and returns
// the indices of the values that it could have decoded and did not.
func (p *peer) compare(b *wire.Batch) (refused []int) {
	p.t.Helper()
	plain, err := marshal.AppendBatch(nil, b, marshal.WantBytes)
	if err != nil {
		p.t.Fatal(err)
	}
	rich, err := marshal.AppendBatch([]byte("before"), b, marshal.WantJSON)
	if err != nil {
		p.t.Fatal(err)
	}
	p.write([]byte("l"), plain, rich[len("before"):])
	var reply struct {
		Faults  [][2]any
		Refused []int
	}
	p.readJSON(&reply)
	for _, f := range reply.Faults {
		p.t.Errorf("record %v: %v", f[0], f[1])
	}
	return reply.Refused
}

func TestAppendBatch_DecodesAsJSONLoads(t *testing.T) {
	decoded := []string{
		`null`, `true`, `false`, `0`, `-0`, `-0.0`, `1`, `-1`, `2147483647`, `2147483648`, `-2147483648`, `-2147483649`,
		`4294967296`, `9223372036854775807`, `9223372036854775808`, `-9223372036854775808`, `999999999999999999`, `1000000000000000000`,
		`18446744073709551616`, `1073741824000000000000000000`, strings.Repeat("9", 400), "-" + strings.Repeat("1", 399), `1` + strings.Repeat("0", 301),
		`1.0`, `1e5`, `1E+5`, `1e-5`, `0e0`, `1.5e308`, `1e309`, `-1e309`, `4.9e-324`, `1e-400`, `0.1`, `123456789.123456789e-10`,
		`2.2250738585072011e-308`, `1` + strings.Repeat("0", 400) + `.5`, `0.` + strings.Repeat("3", 1000), `1e99999999999999999999`,
		`NaN`, `Infinity`, `-Infinity`, `[NaN,-Infinity]`, ` [ ] `, `{}`, "\t\r\n {\n} ", `[[],[[]],{"a":{}}]`,
		`""`, `"a"`, `"é"`, `"😀"`, `"\ud83d\ude00"`, `"\ud83d"`, `"\ude00\ud83d"`, `"\ud83d\ud83d\ude00"`, `"\ud83dx"`, `"\ud83d\u0041"`, `"\ud83d\n"`,
		"\"\xed\xa0\xbd\"", "\"\xed\xa0\xbd\xed\xb8\x80\"", "\"\\ud83d\xed\xb8\x80\"", `"\u0000\u001F\uABcd\"\\\/\b\f\n\r\t"`, "\"\x7f\"",
		`"` + strings.Repeat("a", 255) + `"`, `"` + strings.Repeat("a", 256) + `"`, `"` + strings.Repeat("é", 70000) + `"`,
		`{"a":1,"b":2,"a":3}`, `{"a":1,"\u0061":2}`, `{"é":1,"\u00e9":2}`, `{"":{"":{}}}`, `{"a":{"a":{"a":[{"a":1}]}}}`,
		`{"` + strings.Repeat("k", 255) + `":1,"` + strings.Repeat("k", 256) + `":2}`,
		strings.Repeat("[", marshal.MaxDepth) + strings.Repeat("]", marshal.MaxDepth),
	}
	refused := []string{ // by us alone
		strings.Repeat("9", 401), strings.Repeat("9", 4300), "\xef\xbb\xbf{}", "\xff\xfe{\x00}\x00", "\x00{\x00}", "{\x00\x00\x00}\x00\x00\x00",
		strings.Repeat("[", marshal.MaxDepth+1) + strings.Repeat("]", marshal.MaxDepth+1),
	}
	wrong := []string{
		``, ` `, `nul`, `nullx`, `True`, `+1`, `01`, `-01`, `-`, `--1`, `1.`, `.5`, `1e`, `1e+`, `1.e5`, `1 2`, `0x10`, `1_0`, `nan`, `-NaN`, `+Infinity`, `Infinit`,
		`[`, `]`, `[1`, `[1,`, `[1,]`, `[,1]`, `[1 2]`, `[1}`, `{`, `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `{"a":1,}`, `{a:1}`, `{1:1}`, `{"a" 1}`, `{"a":1]`, `{,}`, `{"a":1 "b":2}`,
		`"`, `"a`, `"\`, `"\x"`, `"\u12"`, `"\u12`, `"\uzzzz"`, `"\ud83d\uzzzz"`, `"\ud83d\u12"`, "\"\n\"", "\"\x00\"", "\"\xff\"", "\"\xc0\xaf\"", "\"\xed\xa0\"", "\"\xf4\x90\x80\x80\"", "\"\xe9\"",
		`{"a":1}x`, "{}\x00", "\u00a0{}", "{}\u2028", "/**/{}", `'a'`, strings.Repeat("9", 4301), `{"a":"\u00zz"}`,
	}
	p := startPeer(t)
	if got := p.compare(batchOf(decoded...)); len(got) > 0 {
		t.Errorf("not decoded: %q", decoded[got[0]])
	}
	if got := p.compare(batchOf(refused...)); len(got) != len(refused) {
		t.Errorf("decoded, or json.loads does not: of %d only %v are not", len(refused), got)
	}
	if got := p.compare(batchOf(wrong...)); len(got) > 0 {
		t.Errorf("json.loads decodes %q", wrong[got[0]])
	}
}

// What fails in the middle leaves nothing behind: the keys that it brought are
// not referred to by those that follow.
func TestAppendBatch_WhatIsRefusedLeavesNoKeys(t *testing.T) {
	p := startPeer(t)
	values := []string{`{"a":1}`, `{"a":1,"b":[1,{"c":2}}`, `{"c":1,"b":2,"a":3}`, `{"d":`, `{"b":0,"d":1}`}
	if got := p.compare(batchOf(values...)); len(got) > 0 {
		t.Errorf("not decoded: %q", values[got[0]])
	}
}

func TestAppendBatch_ManyKeys(t *testing.T) {
	p := startPeer(t)
	var values []string
	for i := range 1200 {
		values = append(values, fmt.Sprintf(`{"k%d":%d,"\u0061%d":0,"k%d":1}`, i%700, i, i, i/2))
	}
	if got := p.compare(batchOf(values...)); len(got) > 0 {
		t.Errorf("not decoded: %q", values[got[0]])
	}
}

func TestAppendBatch_WritesAKeyOnce(t *testing.T) {
	got, err := marshal.AppendBatch(nil, batchOf(`{"user":1}`, `{"us\u0065r":2}`, `{"user":{"user":3}}`), marshal.WantJSON)
	if err != nil {
		t.Fatal(err)
	}
	if n, refs := strings.Count(string(got), "user"), strings.Count(string(got), "r\x00\x00\x00\x00"); n != 1 || refs != 3 {
		t.Errorf("the key is written %d times and referred to %d times", n, refs)
	}
}

func TestAppendBatch_AllOfARecord(t *testing.T) {
	p := startPeer(t)
	b := &wire.Batch{Partition: record.Partition{Name: "p\xff", Number: 1<<32 - 1}}
	headers := record.Headers{}.Append("h", []byte("v")).Append("", nil).Append("\xff", []byte{})
	b.Add(&record.Record{Time: 1700000000000, Position: 1<<63 - 1, Stream: 65535, Flags: 7, Key: []byte("k"), Value: []byte(`{"a":1}`), Headers: headers})
	b.Add(&record.Record{Time: -1, Position: -1 << 63, Key: []byte{}, Value: []byte{}})
	b.Add(&record.Record{Time: record.NoTime})
	if got := p.compare(b); len(got) > 0 {
		t.Errorf("not decoded: %v", got)
	}
	want := `(4294967295, b'p\xff', False, [
		(b'k', ..., {'a': 1}, 1700000000000, 2**63-1, 65535, 7, ((b'h', b'v'), (b'', None), (b'\xff', b''))),
		(b'', b'', ..., -1, -2**63, 0, 0, ()),
		(None, None, ..., None, 0, 0, 0, ())])`
	got, err := marshal.AppendBatch(nil, b, marshal.WantJSON)
	if err != nil {
		t.Fatal(err)
	}
	if !p.is(got, want) {
		t.Errorf("got % x", got)
	}
	both, err := marshal.AppendBatch(nil, batchOf(`[1]`, `x`), marshal.WantBytes|marshal.WantJSON)
	if err != nil {
		t.Fatal(err)
	}
	want = `(1, b'in/0', False, [(None, b'[1]', [1], None, 0, 0, 0, ()), (None, b'x', ..., None, 1, 0, 0, ())])`
	if !p.is(both, want) {
		t.Errorf("both: got % x", both)
	}
}

// is reports whether content is what an expression of Python gives.
func (p *peer) is(content []byte, expression string) bool {
	p.t.Helper()
	return string(p.eval(fmt.Sprintf("repr(marshal.loads(bytes.fromhex('%x'))) == repr(%s)", content, expression))) == "T"
}

func TestAppendBatch_RandomJSON(t *testing.T) {
	r := random(t)
	p := startPeer(t)
	refused, total := 0, 0
	for range rounds(20) {
		var values []string
		for range 300 {
			v := randomJSON(r, 0)
			if r.IntN(5) == 0 {
				v = mutate(r, v)
			}
			values = append(values, v)
		}
		total += len(values)
		refused += len(p.compare(batchOf(values...)))
		if t.Failed() {
			return
		}
	}
	if refused > total/50 {
		t.Errorf("%d of %d values were not decoded", refused, total)
	}
}

var pieces = []string{"a", "Z", " ", "/", "é", "\x7f", "😀", "\ue000", `\n`, `\"`, `\\`, `\/`, `\u0000`, `\u00e9`, `\ud83d`, `\ude00`, `\uD83D\uDE00`, "\xed\xa0\x80", "\xed\x9f\xbf"}

func randomString(r *rand.Rand) string {
	var b strings.Builder
	for range []int{0, 1, 3, 8, 400}[r.IntN(5)] {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return `"` + b.String() + `"`
}

func randomNumber(r *rand.Rand) string {
	digits := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteByte('0' + byte(r.IntN(10)))
		}
		return b.String()
	}
	s := []string{"", "-"}[r.IntN(2)] + []string{"0", "7", "12", "1" + digits(r.IntN(30)), "9" + digits(r.IntN(25))}[r.IntN(5)]
	if r.IntN(3) == 0 {
		s += "." + digits(1+r.IntN(20))
	}
	if r.IntN(4) == 0 {
		s += []string{"e", "E"}[r.IntN(2)] + []string{"", "+", "-"}[r.IntN(3)] + strconv.Itoa(r.IntN(330))
	}
	return s
}

func randomJSON(r *rand.Rand, depth int) string {
	space := func() string { return []string{"", "", "", " ", "\n\t"}[r.IntN(5)] }
	kind := r.IntN(10)
	if depth > 5 {
		kind = r.IntN(6)
	}
	var parts []string
	switch kind {
	case 0, 1:
		return randomString(r)
	case 2, 3:
		return randomNumber(r)
	case 4, 5:
		return []string{"null", "true", "false", "NaN", "Infinity", "-Infinity", "[]", "{}"}[r.IntN(8)]
	case 6, 7:
		for range r.IntN(5) {
			parts = append(parts, space()+randomJSON(r, depth+1)+space())
		}
		return "[" + strings.Join(parts, ",") + "]"
	default:
		for range r.IntN(6) {
			key := randomString(r)
			if r.IntN(2) == 0 {
				key = []string{`"user"`, `"n"`, `"\u006e"`, `"é"`}[r.IntN(4)]
			}
			parts = append(parts, space()+key+space()+":"+space()+randomJSON(r, depth+1)+space())
		}
		return "{" + strings.Join(parts, ",") + "}"
	}
}

// mutate changes, removes or doubles a byte.
func mutate(r *rand.Rand, s string) string {
	b := []byte(s)
	i := r.IntN(len(b))
	switch r.IntN(3) {
	case 0:
		const likely = `{}[]",:\0123456789.eE+-tfnuNI` + " \n\x00\xed\xff"
		b[i] = likely[r.IntN(len(likely))]
	case 1:
		b = slices.Delete(b, i, i+1)
	default:
		b = slices.Insert(b, i, b[i])
	}
	return string(b)
}
