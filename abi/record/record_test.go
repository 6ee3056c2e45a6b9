package record_test

import (
	"testing"

	"github.com/wasmill/wasmill/abi/record"
)

func TestHeaders_AppendAllGet(t *testing.T) {
	var h record.Headers
	h = h.Append("a", []byte("1"))
	h = h.Append("null", nil)
	h = h.Append("a", []byte{})
	if h.Count != 3 {
		t.Fatalf("count %d", h.Count)
	}
	type pair struct {
		name, value string
		null        bool
	}
	want := []pair{{"a", "1", false}, {"null", "", true}, {"a", "", false}}
	i := 0
	for n, v := range h.All() {
		if got := (pair{string(n), string(v), v == nil}); got != want[i] {
			t.Errorf("header %d is %+v, want %+v", i, got, want[i])
		}
		i++
	}
	if i != 3 {
		t.Errorf("All yields %d headers", i)
	}
	if v, ok := h.Get("a"); !ok || string(v) != "1" {
		t.Errorf("Get(a) = %q, %v", v, ok)
	}
	if v, ok := h.Get("null"); !ok || v != nil {
		t.Errorf("Get(null) = %q, %v", v, ok)
	}
	if _, ok := h.Get("none"); ok {
		t.Error("Get(none) finds a header")
	}
}

func TestHeaders_AllEndsAtAFault(t *testing.T) {
	whole := record.Headers{}.Append("name", []byte("value"))
	for n := range whole.Raw {
		cut := record.Headers{Count: 5, Raw: whole.Raw[:n]}
		for range cut.All() {
			t.Errorf("%d of %d bytes yield a header", n, len(whole.Raw))
		}
	}
}
