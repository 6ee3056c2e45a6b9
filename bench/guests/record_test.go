package guests_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/wasmill/wasmill/host/guest"
)

// BenchmarkRecord measures what a record costs in each language, at batches of
// several sizes, in the engine that runs jobs: the copy into the guest, its
// work, what it emits, and the copies out. All languages take turns in one
// process. ns/record is the least of the rounds, median-ns/record their
// median, fuel/record what the form counted charges.
//
// form=patient takes batches that last for many quanta; form=fast is there if
// the batch fits into one. form=native is another process, with the largest
// batch of the case json; over-native is the ratio to it.
func BenchmarkRecord(b *testing.B) {
	e, closeEngine := newEngine(b, "")
	defer closeEngine()
	modules := map[*language]guest.Module{}
	for _, l := range built(b) {
		modules[l] = l.compile(b, e)
	}
	for i := range cases {
		c := &cases[i]
		b.Run("case="+c.name, func(b *testing.B) {
			var all []*runner
			for _, l := range languages {
				if m := modules[l]; m != nil {
					for _, form := range []string{"fast", "patient", "counted"} {
						all = append(all, l.start(b, m, c, form))
					}
				}
			}
			agree(b, c, all)
			for _, n := range sizes {
				b.Run(fmt.Sprintf("batch=%d", n), func(b *testing.B) {
					of := all
					if c.name == "json" && n == sizes[len(sizes)-1] {
						of = append(of, nativeRunners(b, c, n)...)
					}
					compare(b, of, c.batch(n))
				})
			}
		})
	}
}

// agree holds all to one answer: who computes something else is not measured.
func agree(b *testing.B, c *kase, all []*runner) {
	b.Helper()
	var want []string
	for _, r := range all {
		r.host.keep = true
		if err := r.run(b, c.batch(16)); err != nil {
			b.Fatalf("%s: %v (log: %s)", r.language.name, err, r.host.said)
		}
		got, err := r.host.emitted()
		if err != nil {
			b.Fatalf("%s: %v", r.language.name, err)
		}
		if want == nil {
			want = got
		}
		if !slices.Equal(got, want) {
			b.Fatalf("%s emits %q, %s %q", r.language.name, got, all[0].language.name, want)
		}
		r.host.keep, r.host.frames = false, nil
	}
}

// nativeRunners are those of the languages that are measured.
func nativeRunners(b *testing.B, c *kase, n int) (all []*runner) {
	b.Helper()
	for _, l := range built(b) {
		command, ok := natives[l.name]
		if !ok {
			continue
		}
		r := &runner{language: l, form: "native", native: startChild(b, l.name, command(b), c, n)}
		if got, want := r.native.ask(b, "show"), fmt.Sprintf(`{"user":"u%d","twice":%d}`, (n-1)%1000, 2*(n-1)); got != want {
			b.Fatalf("%s, native: it makes %q, not %q", l.name, got, want)
		}
		all = append(all, r)
	}
	return all
}
