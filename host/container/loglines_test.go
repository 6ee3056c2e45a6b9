package container_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/wasmill/wasmill/abi"
	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/host/guest"
	"github.com/wasmill/wasmill/host/jobspec"
)

// A record's line is logged once, however often its batch is run for the sake
// of others in it: in halves around one that traps, again without one that was
// rejected. A line for each attempt of the record that traps itself is one too.
func TestLog_EachLineOnce(t *testing.T) {
	values := make([]string, 40)
	for i := range values {
		values[i] = fmt.Sprintf("v%02d", i)
	}
	values[7], values[22], values[31] = "trap", "fail", "trip"
	j := newJob(memSource{{"a", values}}, jobspec.Step{Name: "say", From: []jobspec.Ref{{Name: "in"}}, Wasm: "native", Outputs: []string{"out"}, Tasks: 1})
	j.spec.OnError.Record = jobspec.RecordPolicy{Action: jobspec.DeadLetter, Sink: "dead"}
	j.modules = []guest.Module{eachModule("say", func(c guest.Calls, i uint32, r *record.Record) ([]byte, error) {
		c.Log(guest.Info, fmt.Appendf(nil, "<%s>", r.Value))
		switch string(r.Value) {
		case "trap", "trip":
			return nil, errors.New("it is bad")
		case "fail":
			if e := c.Fail(i, 1, []byte("it is bad")); e != abi.OK {
				return nil, errors.New(e.String())
			}
			return nil, nil
		}
		return r.Value, nil
	})}
	if out, err := j.run(t); err != nil || !out.Finished || out.Counts.DeadLetter != 3 {
		t.Fatalf("%+v, %v", out, err)
	}
	var said []string
	for line := range strings.Lines(j.log.String()) {
		if _, rest, ok := strings.Cut(line, `msg=<`); ok {
			v, _, _ := strings.Cut(rest, ">")
			said = append(said, v)
		}
	}
	slices.Sort(said)
	if want := slices.Sorted(slices.Values(values)); !slices.Equal(said, want) {
		t.Errorf("logged\n%q, want\n%q", said, want)
	}
}

// More lines than are held come all the same, in their order.
func TestLog_ManyLinesOfOneCall(t *testing.T) {
	j := newJob(memSource{{"a", []string{"x", "y"}}}, jobspec.Step{Name: "say", From: []jobspec.Ref{{Name: "in"}}, Wasm: "native", Outputs: []string{"out"}, Tasks: 1})
	var want strings.Builder
	j.modules = []guest.Module{eachModule("say", func(c guest.Calls, _ uint32, r *record.Record) ([]byte, error) {
		for i := range 100 {
			line := fmt.Sprintf("<%s%d>%s", r.Value, i, strings.Repeat(".", 1000))
			fmt.Fprintln(&want, line)
			c.Log(guest.Info, []byte(line))
		}
		return r.Value, nil
	})}
	if out, err := j.run(t); err != nil || !out.Finished {
		t.Fatalf("%+v, %v", out, err)
	}
	var got strings.Builder
	for line := range strings.Lines(j.log.String()) {
		if _, rest, ok := strings.Cut(line, "msg=<"); ok {
			text, _, _ := strings.Cut(rest, " ")
			fmt.Fprintln(&got, "<"+text)
		}
	}
	if got.String() != want.String() {
		t.Errorf("%d bytes were logged in another order or number than the %d that were said", got.Len(), want.Len())
	}
}
