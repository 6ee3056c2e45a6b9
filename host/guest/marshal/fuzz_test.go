package marshal_test

import (
	"encoding/binary"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/wasmill/wasmill/abi/wire"
	"github.com/wasmill/wasmill/host/guest/marshal"
)

func contains(err error, text string) bool { return strings.Contains(err.Error(), text) }

// FuzzAppendBatch: what encoding/json accepts too is decoded, and decoded JSON
// comes back as JSON that means the same.
func FuzzAppendBatch(f *testing.F) {
	for _, s := range []string{`{"a":[1,-2.5,"é\n",null,true],"a":{}}`, `"\ud83d\ude00"`, `123456789012345678901234567890`, `[NaN]`, `{"a"`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, value []byte) {
		content, err := marshal.AppendBatch(nil, batchOf(string(value), `{"k":1}`), marshal.WantJSON)
		if err != nil {
			t.Fatal(err)
		}
		if len(content) > 200+6*len(value) {
			t.Fatalf("%d bytes became %d", len(value), len(content))
		}
		if content[len("\x29\x04i1234s1234in/0")] != 'T' {
			if json.Valid(value) && utf8.Valid(value) && len(value) < 100 {
				t.Fatalf("not decoded: %q", value)
			}
			return
		}
	})
}

// FuzzReturn: no content makes Return panic or write a frame that is none.
func FuzzReturn(f *testing.F) {
	f.Add([]byte("(\x04\x00\x00\x00i\x00\x00\x00\x00[\x01\x00\x00\x00(\x07\x00\x00\x00i\x00\x00\x00\x00i\x00\x00\x00\x00N{u\x01\x00\x00\x00ai\x01\x00\x00\x000Ni\x00\x00\x00\x00(\x00\x00\x00\x00[\x00\x00\x00\x00[\x00\x00\x00\x00"))
	for _, v := range []string{"N", "T", "S", "l\x05\x00\x00\x00\x01\x00\x01\x00\x01\x00\x01\x00\x01\x00", "g12345678", "y1234567812345678", "[\x02\x00\x00\x00s\x00\x00\x00\x00.", "u\x03\x00\x00\x00\xed\xa0\x80", "<\x00\x00\x00\x00", "\xdb\x02\x00\x00\x00z\x01ar\x00\x00\x00\x00", "\xfb\xda\x01ar\x01\x00\x00\x000"} {
		f.Add([]byte("(\x04\x00\x00\x00i\x00\x00\x00\x00[\x01\x00\x00\x00(\x07\x00\x00\x00i\x00\x00\x00\x00i\x00\x00\x00\x00N" + v + "Ni\x00\x00\x00\x00(\x00\x00\x00\x00[\x00\x00\x00\x00[\x00\x00\x00\x00"))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		var d marshal.Decoder
		e, err := d.Return(content, 2)
		if err != nil {
			if e.Frame != nil || e.Fails != nil || e.Writes != nil {
				t.Fatalf("effects come with the error %v", err)
			}
			return
		}
		if len(e.Frame) > 0 {
			b, err := wire.Parse(e.Frame)
			if err != nil {
				t.Fatal(err)
			}
			if b.Count == 0 {
				t.Fatal("a frame of no records")
			}
		}
		if len(e.Frame) > 100+12*len(content) {
			t.Fatalf("%d bytes became %d", len(content), len(e.Frame))
		}
	})
}

// A count that is only claimed allocates nothing.
func TestDecoder_ClaimedCounts(t *testing.T) {
	content := []byte("(\x04\x00\x00\x00i\x00\x00\x00\x00[")
	content = binary.LittleEndian.AppendUint32(content, 1<<31-1)
	var d marshal.Decoder
	if _, err := d.Return(content, 1); err == nil || !contains(err, "0 bytes are left for 2147483647") {
		t.Error(err)
	}
}

// What is nested too deeply is refused before the stack is.
func TestDecoder_Depth(t *testing.T) {
	for _, open := range []string{"[\x01\x00\x00\x00", "<\x01\x00\x00\x00", "{N"} {
		content := "(\x04\x00\x00\x00i\x00\x00\x00\x00[\x01\x00\x00\x00(\x07\x00\x00\x00i\x00\x00\x00\x00i\x00\x00\x00\x00N" + strings.Repeat(open, 1<<20)
		var d marshal.Decoder
		if _, err := d.Return([]byte(content), 1); err == nil || !contains(err, "nested more than 2000 deep") {
			t.Error(err)
		}
	}
}
