// Package guests_test measures what metering costs guests of each language.
package guests_test

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wasmill/wasmill/host/guest/corpus"
)

var (
	rounds = flag.Int("rounds", 15, "how often every instance is measured")
	length = flag.Duration("length", 3*time.Millisecond, "how long the unmetered guest works in each round")
)

// runtimes is how many each variant is compiled in: where the code comes to
// lie makes a difference of some per cent.
const runtimes = 3

// BenchmarkMetering compares the variants of each guest and workload. All
// instances are made first; then, in each round, every one of them does the
// same work, in turns, so that what else the machine does falls upon all. An
// instance counts with its least time, since nothing makes code faster than it
// is; a variant with the median of its instances, and the best of them is told
// beside it.
//
// ns/round is for one round of the workload (testdata/README.md of package
// corpus); over-% is that over variant=none, best-over-% the same for the best
// instances.
func BenchmarkMetering(b *testing.B) {
	for _, g := range corpus.All() {
		b.Run("guest="+g.Name, func(b *testing.B) {
			instances := startAll(b, g)
			for _, w := range corpus.Workloads {
				b.Run("workload="+string(w), func(b *testing.B) {
					reportMetering(b, g, w, measure(b, w, instances))
				})
			}
		})
	}
}

// result is what a variant came to, in nanoseconds a round.
type result struct {
	variant      string
	median, best float64
}

// measure has every instance do the workload in turns.
func measure(b *testing.B, w corpus.Workload, instances [][]*corpus.Instance) []result {
	ctx, cancel := context.WithCancel(b.Context()) // as a host has one to cancel calls with
	defer cancel()
	n := calibrate(b, ctx, w, instances[0][0])
	want, first := uint32(0), true
	least := make([][]float64, len(instances))
	for round := range *rounds {
		for v := range instances {
			for i, in := range instances[v] {
				began := time.Now()
				got, err := in.Run(ctx, w, n)
				took := float64(time.Since(began)) / float64(n)
				if err != nil {
					b.Fatalf("%s: %v", variants[v].name, err)
				}
				if first {
					want, first = got, false
				}
				if got != want {
					b.Fatalf("%s computes %#x, %s %#x", variants[v].name, got, variants[0].name, want)
				}
				if round == 0 {
					least[v] = append(least[v], took)
				}
				least[v][i] = min(least[v][i], took)
			}
		}
	}
	var all []result
	for v, times := range least {
		slices.Sort(times)
		all = append(all, result{variants[v].name, times[len(times)/2], times[0]})
	}
	return all
}

// calibrate returns how many rounds of the workload take the length asked for.
func calibrate(b *testing.B, ctx context.Context, w corpus.Workload, in *corpus.Instance) int {
	for n := 1; ; n *= 2 {
		began := time.Now()
		if _, err := in.Run(ctx, w, n); err != nil {
			b.Fatal(err)
		}
		if time.Since(began) >= *length || n >= 1<<24 {
			return n
		}
	}
}

// reportMetering gives each variant a benchmark of its own, and prints one line of a
// table for people.
func reportMetering(b *testing.B, g corpus.Guest, w corpus.Workload, all []result) {
	none := all[0]
	var line strings.Builder
	fmt.Fprintf(&line, "%-14s %-4s %s %9.0f ns", g.Name, w, none.variant, none.median)
	for _, r := range all {
		over, best := 100*(r.median/none.median-1), 100*(r.best/none.best-1)
		if r.variant != none.variant {
			fmt.Fprintf(&line, " | %s %+.1f / %+.1f %%", r.variant, over, best)
		}
		b.Run("variant="+r.variant, func(b *testing.B) {
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(r.median, "ns/round")
			b.ReportMetric(over, "over-%")
			b.ReportMetric(best, "best-over-%")
		})
	}
	fmt.Println(line.String())
}
