package scaffold_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/wasmill/wasmill/abi"
	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/host/guest"
)

// TestSDKGo_EveryCall runs a step that makes each call of the Go SDK against
// the engine.
func TestSDKGo_EveryCall(t *testing.T) {
	c := &calls{}
	in, err := start(t, "testdata/every", guest.Init{Outputs: []string{"out", "late"}, Stores: []string{"z", "a"}, Config: []int{1, 2}}, c)
	if err != nil {
		t.Fatal(err)
	}
	// run makes one batch of key=value records with the times 10, 11, ...
	run := func(records ...string) {
		t.Helper()
		c.emitted, c.failed, c.frames = nil, nil, nil
		var recs []record.Record
		for i, s := range records {
			key, value, _ := strings.Cut(s, "=")
			recs = append(recs, record.Record{Time: int64(10 + i), Key: []byte(key), Value: []byte(value)})
		}
		status, err := in.Batch(context.Background(), batch(recs...))
		if status != abi.OK || err != nil {
			t.Fatalf("%q: status %v, %v", records, status, err)
		}
	}
	emitted := func(want ...string) {
		t.Helper()
		if !slices.Equal(c.emitted, want) {
			t.Errorf("emitted %q, want %q", c.emitted, want)
		}
	}

	if want := []string{"1 init test [1,2]"}; !slices.Equal(c.logs, want) {
		t.Errorf("logs %q, want %q", c.logs, want)
	}
	run("k=emit one", "k=emit-to late", "=emit ")
	emitted("0 0 k=one 10", "1 1 k= -9223372036854775808", "0 2 = 12")

	run("b=put 2", "a=put 1", "c=put ", "b=get", "x=get", "c=get")
	emitted("0 3 b=2 true 13", "0 4 x= false 14", "0 5 c= true 15")
	run("=get-many b,x,c,a")
	emitted("0 0 b=2 10", "0 0 x= 10", "0 0 c= 10", "0 0 a=1 10")
	run("a=delete", "=scan ,", "=scan b,c")
	emitted("0 1 b=2 11", "0 1 c= 11", "0 2 b=2 12")
	if len(c.stores[0]) != 0 {
		t.Errorf("the other store has %v", c.stores[0])
	}
	long := strings.Repeat("v", 300_000)
	run("b=put "+long, "b=get", "=scan ,")
	emitted("0 1 b="+long+" true 11", "0 2 b="+long+" 12", "0 2 c= 12")

	run("k=fail", "k=panic", "k=nil 123", "k=no-store", "k=unknown-output", "k=emit after")
	wants := []string{
		"0 7 coded 7",
		"1 -1 panic: assignment to entry in nil map at main.step (every/main.go:",
		"2 -1 panic: runtime error: invalid memory address or nil pointer dereference at main.step (every/main.go:",
		"3 0 wasmill: state_put missing: the job file declares nothing of this name",
		"4 0 wasmill: emit missing: the job file declares nothing of this name",
	}
	if len(c.failed) != len(wants) {
		t.Fatalf("failed %q", c.failed)
	}
	for i, want := range wants {
		if !strings.HasPrefix(c.failed[i], want) {
			t.Errorf("failed %q, want %q", c.failed[i], want)
		}
	}
	emitted("0 5 k=after 15")

	run("k=many 20000")
	if len(c.emitted) != 20000 || len(c.frames) != 3 || slices.Max(c.frames) > 1<<20 {
		t.Errorf("%d records in frames of %v bytes", len(c.emitted), c.frames)
	}

	run("=now", "=print it")
	emitted("0 0 =1700000000000000000 10")
	if last := c.logs[len(c.logs)-1]; !strings.HasSuffix(last, "printed it") {
		t.Errorf("last log %q", last)
	}
	if n := c.metrics["records"]; n != 25 {
		t.Errorf("the counter has %d, want 25", n)
	}

	c.emitted = nil
	var token []byte
	for n := 0; ; n++ {
		more, status, err := in.End(context.Background(), token)
		if status != abi.OK || err != nil {
			t.Fatal(status, err)
		}
		if more != (n < 2) {
			t.Fatalf("call %d of end: more is %v", n, more)
		}
		if !more {
			break
		}
		token = c.token
	}
	emitted("0 -1 =0 -9223372036854775808", "0 -1 =1 -9223372036854775808", "0 -1 =2 -9223372036854775808")
}
