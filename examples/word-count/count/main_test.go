package main

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	wasmill "github.com/wasmill/wasmill/sdk-go"
	"github.com/wasmill/wasmill/sdk-go/wasmilltest"
)

func records(pairs ...string) []wasmill.Record {
	var out []wasmill.Record
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, wasmill.Record{Key: []byte(pairs[i]), Value: []byte(pairs[i+1])})
	}
	return out
}

func TestCount_SumsAcrossBatches(t *testing.T) {
	h := wasmilltest.New(t, wasmilltest.Options{Stores: []string{"counts"}})
	h.Batch(records("the", "3", "fox", "1", "the", "2")...)
	h.Batch(records("a", "10", "the", "1")...)
	if res := h.Batch(); res.Err != nil {
		t.Fatal(res.Err)
	}
	res := h.End()
	want := []string{`{"word":"a","count":10}`, `{"word":"fox","count":1}`, `{"word":"the","count":6}`}
	if got := res.Values(); res.Err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, error %v; want %q", got, res.Err, want)
	}
	if n := binary.LittleEndian.Uint64([]byte(h.Store("counts")["the"])); n != 6 {
		t.Errorf("the store has %d", n)
	}
}

func TestCount_RejectsWhatIsNoCount(t *testing.T) {
	h := wasmilltest.New(t, wasmilltest.Options{Stores: []string{"counts"}})
	res := h.Batch(records("a", "1", "b", "x", "C", "1", "a", "2", "", "1", "d", "", "e", "1234567890123456789")...)
	var failed []int
	for _, f := range res.Failed {
		failed = append(failed, f.Index)
	}
	if want := []int{1, 2, 4, 5, 6}; !slices.Equal(failed, want) {
		t.Errorf("failed %v, want %v", failed, want)
	}
	if got := h.End().Values(); !slices.Equal(got, []string{`{"word":"a","count":3}`}) {
		t.Errorf("got %q", got)
	}
}

func TestEnd_GoesOnBehindItsToken(t *testing.T) {
	h := wasmilltest.New(t, wasmilltest.Options{Stores: []string{"counts"}})
	const words = 2*endRecords + 7
	var in []wasmill.Record
	word := func(i int) string {
		return strings.Map(func(r rune) rune { return r - '0' + 'a' }, fmt.Sprintf("%05d", i))
	}
	for i := range words {
		in = append(in, records(word(i), "1")...)
	}
	if res := h.Batch(in...); res.Err != nil {
		t.Fatal(res.Err)
	}
	got := h.End().Values()
	if len(got) != words {
		t.Fatalf("%d words, want %d", len(got), words)
	}
	for i, line := range got {
		if want := `{"word":"` + word(i) + `","count":1}`; line != want {
			t.Fatalf("line %d is %s, want %s", i, line, want)
		}
	}
}
