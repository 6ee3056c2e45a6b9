package guests_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// starts is how often each way to start is measured; the median counts.
const starts = 5

// BenchmarkStart measures what stands before a language's first batch, which
// is one record of the case json:
//
//	step-KiB     the module, or the archive without an interpreter that it names
//	build-ms     the language's tools, with nothing built before but what they keep themselves
//	compile-ms   admission, rewriting and compiling, with nothing kept on disk
//	cached-ms    a new engine finds the compiled module and no image: to the end of the batch
//	restart-ms   a new engine finds the image too
//	snapshot-ms  an engine that has the module at hand: from its image on disk to the end of the batch
//	another-ms   the same for one more instance, when the image is open
//
// A module that starts in less than 4 ms has no image on disk: for such a one
// restart-ms and snapshot-ms begin afresh.
func BenchmarkStart(b *testing.B) {
	for _, l := range built(b) {
		dir := filepath.Join(b.TempDir(), "modules")
		began := time.Now()
		l.begin(b, dir)()
		cold := time.Since(began)
		images := filepath.Join(dir, "images")
		cached := median(func() time.Duration {
			if err := os.RemoveAll(images); err != nil {
				b.Fatal(err)
			}
			began := time.Now()
			end := l.begin(b, dir)
			took := time.Since(began)
			end()
			return took
		})
		restart := median(func() time.Duration {
			began := time.Now()
			end := l.begin(b, dir)
			took := time.Since(began)
			end()
			return took
		})
		var another []time.Duration
		snapshot := median(func() time.Duration {
			first, next := l.resume(b, dir)
			another = append(another, next)
			return first
		})
		slices.Sort(another)
		b.Run("guest="+l.name, func(b *testing.B) {
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(len(l.wasm))/1024, "step-KiB")
			b.ReportMetric(ms(l.took), "build-ms")
			b.ReportMetric(ms(cold), "compile-ms")
			b.ReportMetric(ms(cached), "cached-ms")
			b.ReportMetric(ms(restart), "restart-ms")
			b.ReportMetric(ms(snapshot), "snapshot-ms")
			b.ReportMetric(ms(another[len(another)/2]), "another-ms")
		})
	}
}

// begin makes an engine, an instance and a batch. end closes it.
func (l *language) begin(b *testing.B, dir string) (end func()) {
	b.Helper()
	e, end := newEngine(b, dir)
	c := &cases[1]
	l.start(b, l.compile(b, e), c, "fast").must(b, c.batch(1))
	return end
}

// resume returns how long an instance and its batch take in an engine that has
// the module already, and one more.
func (l *language) resume(b *testing.B, dir string) (first, another time.Duration) {
	b.Helper()
	e, end := newEngine(b, dir)
	defer end()
	c := &cases[1]
	m := l.compile(b, e)
	began := time.Now()
	l.start(b, m, c, "fast").must(b, c.batch(1))
	first = time.Since(began)
	began = time.Now()
	l.start(b, m, c, "fast").must(b, c.batch(1))
	return first, time.Since(began)
}

func median(once func() time.Duration) time.Duration {
	var all []time.Duration
	for range starts {
		all = append(all, once())
	}
	slices.Sort(all)
	return all[len(all)/2]
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
