package main

import (
	"slices"
	"testing"

	wasmill "github.com/wasmill/wasmill/sdk-go"
	"github.com/wasmill/wasmill/sdk-go/wasmilltest"
)

func TestStep_TotalsOfPages(t *testing.T) {
	h := wasmilltest.New(t, wasmilltest.Options{Stores: []string{"totals"}})
	got := h.Batch(
		wasmill.Record{Value: []byte(`{"user":"u","page":"/a","ms":5,"region":"asia"}`)},
		wasmill.Record{Value: []byte(`{"user":"u","page":"/\"é","ms":0,"region":"asia"}`)},
		wasmill.Record{Value: []byte(`{"user":"v","page":"/a","ms":7,"region":"europe"}`)},
	)
	if got.Err != nil || len(got.Failed) > 0 {
		t.Fatalf("error %v, failed %+v", got.Err, got.Failed)
	}
	want := []string{
		`{"page":"/a","views":1,"ms":5,"region":"asia"}`,
		`{"page":"/\"é","views":1,"ms":0,"region":"asia"}`,
		`{"page":"/a","views":2,"ms":12,"region":"europe"}`,
	}
	if !slices.Equal(got.Values(), want) {
		t.Errorf("emitted %q, want %q", got.Values(), want)
	}
	for i, key := range []string{"/a", `/"é`, "/a"} {
		if string(got.Emitted[i].Record.Key) != key {
			t.Errorf("record %d has key %q, want %q", i, got.Emitted[i].Record.Key, key)
		}
	}
	if v := h.Store("totals")["/a"]; v != "2 12" {
		t.Errorf("the store has %q", v)
	}
}
