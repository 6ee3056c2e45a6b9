package peers_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wasmill/wasmill/host/guest/build/buildtest"
	"github.com/wasmill/wasmill/host/guest/compile"
)

func TestMain(m *testing.M) {
	if compile.Main(context.Background()) {
		return
	}
	if err := buildtest.Use(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

var rounds = flag.Int("rounds", 15, "how often every contestant is measured")

// contestant is one way to have records projected.
type contestant struct {
	peer, way string
	batch     int // records of a call of run
	bytes     int // of the module
	// prepare returns what does n batches, with their input made; that does
	// not count. check receives what comes of a batch, nil to drop it.
	prepare func(b *testing.B, n int, check func(values []string)) (run func())
	times   []float64 // nanoseconds a record, a round each
}

// records are n objects of 120 bytes of JSON.
func records(n int) (all [][]byte) {
	for i := range n {
		head := fmt.Sprintf(`{"user":"u%d","n":%d,"page":"/p/%d","ms":%d.5,"ok":true,"country":"de","agent":"`, i%1000, i, i%77, i%300)
		all = append(all, []byte(head+strings.Repeat("x", 118-len(head))+`"}`))
	}
	return all
}

// want is what comes of them.
func want(n int) (all []string) {
	for i := range n {
		all = append(all, fmt.Sprintf(`{"user":"u%d","twice":%d}`, i%1000, 2*i))
	}
	return all
}

// BenchmarkPeers has every contestant project the same records, in turns.
// ns/record is the least of the rounds, median-ns/record their median, ratio
// what the least is over that of wasmill with the largest batch.
func BenchmarkPeers(b *testing.B) {
	all := slices.Concat(wasmillContestants(b), benthosContestants(b), extismContestants(b))
	counts := make([]int, len(all))
	for i := range all {
		c := &all[i]
		c.prepare(b, 1, func(got []string) {
			if !slices.Equal(got, want(c.batch)) {
				b.Fatalf("%s, %s: got %d values that begin with %.3q, want %.3q", c.peer, c.way, len(got), got, want(c.batch))
			}
		})()
		counts[i] = 1
		for c.once(b, counts[i]) < 2*time.Millisecond {
			counts[i] *= 2
		}
	}
	for range *rounds {
		for i := range all {
			c := &all[i]
			took := c.once(b, counts[i])
			c.times = append(c.times, float64(took)/float64(counts[i]*c.batch))
		}
	}
	for i := range all {
		slices.Sort(all[i].times)
	}
	ours := all[slices.IndexFunc(all, func(c contestant) bool { return c.peer == "wasmill" && c.batch == 1024 })].times[0]
	for _, c := range all {
		b.Run(fmt.Sprintf("peer=%s/way=%s/batch=%d", c.peer, c.way, c.batch), func(b *testing.B) {
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(c.times[0], "ns/record")
			b.ReportMetric(c.times[len(c.times)/2], "median-ns/record")
			b.ReportMetric(c.times[0]/ours, "ratio")
			b.ReportMetric(float64(c.bytes)/1024, "module-KiB")
		})
	}
}

// once returns what n batches take. One goes ahead: what a peer has put away
// while the others had their turns is no part of what a record costs.
func (c *contestant) once(b *testing.B, n int) time.Duration {
	c.prepare(b, 1, nil)()
	run := c.prepare(b, n, nil)
	began := time.Now()
	run()
	return time.Since(began)
}
