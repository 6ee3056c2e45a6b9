package main

import (
	"slices"
	"testing"

	wasmill "github.com/wasmill/wasmill/sdk-go"
	"github.com/wasmill/wasmill/sdk-go/wasmilltest"
)

var options = wasmilltest.Options{Config: map[string]any{"regions": map[string]string{"de": "europe"}, "otherwise": "elsewhere"}}

func records(values ...string) (all []wasmill.Record) {
	for _, v := range values {
		all = append(all, wasmill.Record{Value: []byte(v)})
	}
	return all
}

func TestStep_ClicksGetARegion(t *testing.T) {
	got := wasmilltest.New(t, options).Batch(records(
		`{"user":"u1","page":"/p/3","ms":120,"country":"de"}`,
		`{"ms":0,"page":"/\u00e9","user":"\"u\u0001\"","more":[1,2]}`,
		`{"user":"u","user":"v","page":"/","ms":2147483647,"country":["de"]}`,
	)...)
	if got.Err != nil || len(got.Failed) > 0 {
		t.Fatalf("error %v, failed %+v", got.Err, got.Failed)
	}
	want := []string{
		`{"user":"u1","page":"/p/3","ms":120,"region":"europe"}`,
		`{"user":"\"u\u0001\"","page":"/é","ms":0,"region":"elsewhere"}`,
		`{"user":"v","page":"/","ms":2147483647,"region":"elsewhere"}`,
	}
	if !slices.Equal(got.Values(), want) {
		t.Errorf("emitted %q, want %q", got.Values(), want)
	}
}

func TestStep_RejectsWhatIsNoClick(t *testing.T) {
	lines := []struct{ line, want string }{
		{`no`, "not JSON"},
		{`[]`, "not JSON"},
		{`{"user":"u","page":"/","ms":1} x`, "not JSON"},
		{`{"page":"/","ms":1}`, "user is missing"},
		{`{"user":1,"ms":1}`, "user is missing"},
		{`{"user":"u","page":"","ms":1}`, "page is missing"},
		{`{"user":"u","page":"/","ms":1.0}`, "ms is not a number"},
		{`{"user":"u","page":"/","ms":2147483648}`, "ms is not a number"},
		{`{"user":"u","page":"/","ms":"1"}`, "ms is not a number"},
		{`{"user":"u","page":"/"}`, "ms is not a number"},
	}
	h := wasmilltest.New(t, options)
	for _, l := range lines {
		got := h.Batch(records(l.line)...)
		if len(got.Failed) != 1 || got.Failed[0].Text != l.want || got.Failed[0].Code != 0 {
			t.Errorf("%s: emitted %q, failed %+v, want %q", l.line, got.Values(), got.Failed, l.want)
		}
	}
}
