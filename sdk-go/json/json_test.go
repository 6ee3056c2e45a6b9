package json_test

import (
	"bytes"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/wasmill/wasmill/sdk-go/json"
)

// read reads a text into what encoding/json makes of it, numbers as text.
func read(b []byte) (v any, err error) {
	var d json.Decoder
	d.Reset(b)
	v = value(&d)
	return v, d.End()
}

func value(d *json.Decoder) any {
	switch d.Kind() {
	case json.Null:
		d.Null()
	case json.Bool:
		return d.Bool()
	case json.Number:
		return stdjson.Number(d.Raw())
	case json.String:
		return d.TextCopy()
	case json.Array:
		d.Array()
		list := []any{}
		for d.More() {
			list = append(list, value(d))
		}
		return list
	case json.Object:
		d.Object()
		m := map[string]any{}
		for d.More() {
			name := string(d.Name())
			m[name] = value(d)
		}
		return m
	default:
		d.Skip()
	}
	return nil
}

func standard(b []byte) (v any, err error) {
	d := stdjson.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if err = d.Decode(&v); err == nil && d.More() {
		err = errors.New("more")
	}
	if err == nil && !stdjson.Valid(b) {
		err = errors.New("invalid")
	}
	return v, err
}

var texts = []string{
	``, ` `, `null`, `true`, `false`, `nul`, `truex`, `0`, `-0`, `-`, `01`, `1.`, `1.5`, `.5`, `1e5`, `1E+05`, `1e`, `1e-`, `-12.50e-3`, `+1`, `NaN`,
	`9223372036854775807`, `9223372036854775808`, `-9223372036854775808`, `99999999999999999999`,
	`""`, `"a"`, `"abcdefgh"`, `"abcdefghijklmnop"`, `"abc\"def"`, `"\\\/\b\f\n\r\t"`, `"\x"`, `"\u00e9"`, `"\u00E9x"`, `"\ud83d\ude00"`, `"\ud83d"`, `"\ude00\ud83d"`, `"\ud83dA"`, `"\ud83d\u00e9"`, `"\u12"`, `"\u12g4"`,
	"\"\x1f\"", "\"aaaaaaaaaa\x01\"", `"`, `"abc`, `"abc\`, "\"\xff\"", "\"é日😀\"", "\"abcdefghé\"",
	`[]`, `[ ]`, `[1]`, `[1,]`, `[,1]`, `[1 2]`, `[1,[2,[3,{"a":[]}]]]`, `[`, `[1`, `[1,`, `]`, `{}`, `{ }`, `{"a":1}`, ` { "a" : 1 , "b" : { } } `, `{"a"}`, `{"a":}`, `{"a":1,}`, `{a:1}`, `{"a":1 "b":2}`, `{"a":1,"a":2}`, `{"\u0061":1}`, `{`, `{"a`, `{"a":`, `{"a":1`, `{]`, `[}`,
	`1 2`, `{} x`, `[1]]`, `{"user":"u12","page":"/p/3","ms":120,"country":"de"}`,
}

func TestDecoder_ReadsWhatEncodingJSONReads(t *testing.T) {
	for _, text := range texts {
		compare(t, []byte(text))
	}
}

func compare(t *testing.T, b []byte) {
	t.Helper()
	got, err := read(b)
	want, wantErr := standard(b)
	if !utf8.Valid(b) { // the standard library mends that
		if err == nil && utf8.ValidString(fmt.Sprint(got)) {
			return // it was between escapes of a string that is cut there
		}
		if err == nil {
			t.Errorf("%q is no UTF-8, and was read as %v", b, got)
		}
		return
	}
	if (err == nil) != (wantErr == nil) {
		t.Errorf("%q: error %v, encoding/json says %v", b, err, wantErr)
		return
	}
	if err == nil && !reflect.DeepEqual(got, want) {
		t.Errorf("%q: read %#v, encoding/json %#v", b, got, want)
	}
	var skip json.Decoder
	skip.Reset(b)
	if skipped := skip.End(); (skipped == nil) != (err == nil) {
		t.Errorf("%q: skipping says %v, reading %v", b, skipped, err)
	}
}

func FuzzDecoder(f *testing.F) {
	for _, text := range texts {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, b []byte) { compare(t, b) })
}

func TestDecoder_Integers(t *testing.T) {
	for _, test := range []struct {
		text string
		n    int64
		ok   bool
	}{
		{"0", 0, true}, {"-0", 0, true}, {"42", 42, true}, {"-42", -42, true},
		{"9223372036854775807", math.MaxInt64, true}, {"9223372036854775808", 0, false},
		{"-9223372036854775808", math.MinInt64, true}, {"-9223372036854775809", 0, false},
		{"99999999999999999999", 0, false}, {"1.0", 0, false}, {"1e2", 0, false}, {`"1"`, 0, false}, {"null", 0, false},
	} {
		var d json.Decoder
		d.Reset([]byte(test.text))
		if n, ok := d.TryInt(); ok != test.ok || ok && n != test.n {
			t.Errorf("%s: %d %v", test.text, n, ok)
		}
		if err := d.End(); err != nil {
			t.Errorf("%s is left to be read, but: %v", test.text, err)
		}
		d.Reset([]byte(test.text))
		d.Int()
		if err := d.End(); (err == nil) != test.ok {
			t.Errorf("%s: error %v", test.text, err)
		}
	}
}

func TestDecoder_SaysWhere(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{`{"a":1 "b":2}`, "json: byte 7: no comma between members"},
		{`{"a":tru}`, "json: byte 5: no value"},
		{`{"a":"x`, "json: byte 5: the string has no end"},
		{`{"a":1}}`, "json: byte 7: more than one value"},
		{strings.Repeat("[", json.MaxDepth+1), "json: byte 512: too deep"},
	} {
		if _, err := read([]byte(test.text)); err == nil || err.Error() != test.want {
			t.Errorf("%q: %v, want %s", test.text, err, test.want)
		}
	}
}

func TestDecoder_DoesNotAllocate(t *testing.T) {
	text := []byte(`{"user":"u\u00e912","page":"/p/3","ms":120,"country":"de","more":[1,{"a":null}]}`)
	var d json.Decoder
	n := 0
	read := func() {
		d.Reset(text)
		for d.Object(); d.More(); {
			if string(d.Name()) == "user" {
				n += len(d.Text())
			}
		}
		if d.End() != nil {
			n = -1 << 30
		}
	}
	read()
	if allocs := testing.AllocsPerRun(100, read); allocs > 0 || n <= 0 {
		t.Errorf("%v allocations, %d", allocs, n)
	}
}

// Texts are generated, written and read again by encoding/json.
func TestEncoder_WritesWhatEncodingJSONReads(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	var e json.Encoder
	for range 2000 {
		e.Reset()
		want := write(r, &e, 4)
		var got any
		if err := stdjson.Unmarshal(e.Bytes(), &got); err != nil {
			t.Fatalf("seed %d: %s: %v", seed, e.Bytes(), err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d: wrote %s for %#v", seed, e.Bytes(), want)
		}
		var compact bytes.Buffer
		if err := stdjson.Compact(&compact, e.Bytes()); err != nil || compact.String() != string(e.Bytes()) {
			t.Fatalf("seed %d: %s is not compact", seed, e.Bytes())
		}
	}
}

// write writes a random value and returns what encoding/json makes of it.
func write(r *rand.Rand, e *json.Encoder, depth int) any {
	n := r.IntN(8)
	if depth == 0 {
		n = r.IntN(6)
	}
	switch n {
	case 0:
		e.Null()
		return nil
	case 1:
		e.Bool(true)
		return true
	case 2:
		i := r.Int64N(1 << 50)
		e.Int(-i)
		return float64(-i)
	case 3:
		f := math.Float64frombits(r.Uint64())
		e.Float(f)
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return nil
		}
		return f
	case 4, 5:
		s := randomText(r)
		if n == 4 {
			e.String(s)
		} else {
			e.Text([]byte(s))
		}
		return s
	case 6:
		list := []any{}
		e.BeginArray()
		for range r.IntN(4) {
			list = append(list, write(r, e, depth-1))
		}
		e.EndArray()
		return list
	}
	m := map[string]any{}
	e.BeginObject()
	for i := range r.IntN(4) {
		name := fmt.Sprint(randomText(r), i)
		m[name] = write(r, e.Name(name), depth-1)
	}
	e.EndObject()
	return m
}

func randomText(r *rand.Rand) string {
	b := make([]rune, r.IntN(12))
	for i := range b {
		b[i] = []rune{'a', '"', '\\', '\n', 0, 0x1f, 'é', '日', '😀', 0x2028, '/'}[r.IntN(11)]
	}
	return string(b)
}

func TestAppendText_EscapesWhatHasToBe(t *testing.T) {
	got := string(json.AppendText(nil, "a\"\\/\b\f\n\r\t\x00\x1f\x7fé\u2028\xffz"))
	if want := `"a\"\\/\b\f\n\r\t\u0000\u001f` + "\x7fé\u2028\ufffdz\""; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestEncoder_FloatsAsEncodingJSON(t *testing.T) {
	for _, f := range []float64{0, 1, -1.5, 1e20, 1e21, 1e-6, 1e-7, 1e-10, 123456789.125, math.MaxFloat64, math.SmallestNonzeroFloat64} {
		var e json.Encoder
		e.Float(f)
		want, err := stdjson.Marshal(f)
		if err != nil || !bytes.Equal(e.Bytes(), want) {
			t.Errorf("%s, encoding/json %s, error %v", e.Bytes(), want, err)
		}
	}
}

func BenchmarkDecoder(b *testing.B) {
	text := []byte(`{"user":"u1234567","page":"/path/to/page/17","ms":1234,"country":"de","session":"0123456789abcdef","ok":true,"n":7}`)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	var d json.Decoder
	n := int64(0)
	for b.Loop() {
		d.Reset(text)
		for d.Object(); d.More(); {
			switch string(d.Name()) {
			case "user":
				n += int64(len(d.Text()))
			case "n":
				n += d.Int()
			}
		}
		if d.End() != nil {
			b.Fatal(d.Err())
		}
	}
}
