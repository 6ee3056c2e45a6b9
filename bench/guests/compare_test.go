package guests_test

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/wasmill/wasmill/abi/wire"
	"github.com/wasmill/wasmill/host/guest"
)

var stepRounds = flag.Int("step-rounds", 15, "how often every step is measured")

// halfQuantum is how long a batch may take to be one for the fast form, in
// which a call has 10 ms: the host chooses the size of batches so.
const halfQuantum = 5 * time.Millisecond

// compare has all take turns over one batch.
func compare(b *testing.B, all []*runner, records *wire.Batch) {
	fits := map[*language]bool{}
	counts := map[*runner]int{}
	for _, r := range slices.Backward(all) { // patient comes before fast
		r.times, r.over = nil, false
		switch {
		case r.form == "counted":
			r.must(b, records)
			r.fuel = float64(r.in.Fuel()) / float64(records.Count)
		case r.form != "fast" || fits[r.language]:
			n, took := 1, min(r.once(b, records, 1), r.once(b, records, 1), r.once(b, records, 1))
			if r.form == "patient" {
				fits[r.language] = took < halfQuantum
			}
			for took < 2*time.Millisecond && !r.over {
				n *= 2
				took = r.once(b, records, n)
			}
			counts[r] = n
		}
	}
	for range *stepRounds {
		for _, r := range all {
			if n := counts[r]; n > 0 && !r.over {
				took := r.once(b, records, n)
				r.times = append(r.times, float64(took)/float64(n*records.Count))
			}
		}
	}
	report(b, all)
}

// report gives each that was measured a benchmark of its own.
func report(b *testing.B, all []*runner) {
	fuel, native := map[*language]float64{}, map[*language]float64{}
	for _, r := range all {
		slices.Sort(r.times)
		switch r.form {
		case "counted":
			fuel[r.language] = r.fuel
		case "native":
			native[r.language] = r.times[0]
		}
	}
	for _, r := range all {
		if r.over {
			fmt.Printf("%s: its batch fits into a quantum only at times: it is measured in the patient form alone\n", r.language.name)
		}
		if len(r.times) == 0 || r.over {
			continue
		}
		b.Run("guest="+r.language.name+"/form="+r.form, func(b *testing.B) {
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(r.times[0], "ns/record")
			b.ReportMetric(r.times[len(r.times)/2], "median-ns/record")
			if r.native == nil {
				b.ReportMetric(math.Round(fuel[r.language]), "fuel/record")
			}
			if n := native[r.language]; n > 0 {
				b.ReportMetric(r.times[0]/n, "over-native")
			}
		})
	}
}

// once returns what n batches take.
func (r *runner) once(b *testing.B, records *wire.Batch, n int) time.Duration {
	if r.native != nil {
		return r.native.once(b, n)
	}
	began := time.Now()
	for range n {
		r.must(b, records)
	}
	return time.Since(began)
}

// must is run for batches that have to pass. One that overruns its quantum in
// the fast form, since the machine is busy, takes the runner out.
func (r *runner) must(b *testing.B, records *wire.Batch) {
	b.Helper()
	err := r.run(b, records)
	var t *guest.Trap
	if errors.As(err, &t) && t.Kind == guest.TrapQuantum && r.form == "fast" {
		r.over = true
		if err = r.in.Close(b.Context()); err == nil {
			r.begin(b)
		}
	}
	if err != nil {
		b.Fatalf("%s, %s: %v (log: %s)", r.language.name, r.form, err, r.host.said)
	}
}
