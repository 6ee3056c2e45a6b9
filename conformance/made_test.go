package conformance_test

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/abi/wire"
	"github.com/wasmill/wasmill/host/fixture"
)

// made are the cases that are too large for testdata or whose input is there
// already: the golden vectors.
func made(t *testing.T) []testCase {
	t.Helper()
	return []testCase{
		{name: "vectors", fixture: echoed(vectors(t)...)},
		{name: "10000-of-1-byte", fixture: echoed(small(10_000))},
		{name: "1-of-1-MiB", fixture: echoed(large(1), large(1), large(1))},
		{name: "8-of-1-MiB", fixture: echoed(large(8))},
		{name: "scan-of-many", fixture: scanned(2000)},
	}
}

// newFixture is a fixture of one case of the program.
func newFixture(name string) *fixture.Fixture {
	return &fixture.Fixture{Config: []byte(`{"case":"` + name + `"}`), Inputs: []string{"in"}, Outputs: []string{"out"}}
}

// echoed expects batches to come out as they went in.
func echoed(batches ...[]fixture.Record) *fixture.Fixture {
	f := newFixture("echo")
	f.Batches = batches
	n := 0
	for _, b := range batches {
		for _, r := range b {
			f.Expect.Records = append(f.Expect.Records, fixture.Out{Record: r, Output: "out", Cause: n})
			n++
		}
	}
	return f
}

// small returns records whose value is one byte, every one of them in turn.
func small(n int) []fixture.Record {
	records := make([]fixture.Record, n)
	for i := range records {
		records[i] = fixture.Record{Value: []byte{byte(i)}, Time: record.NoTime}
	}
	return records
}

// large returns records as long as a job allows: 1 MiB of bytes that do not
// repeat.
func large(n int) []fixture.Record {
	r := rand.NewChaCha8([32]byte{byte(n)}) // the same in every run
	records := make([]fixture.Record, n)
	for i := range records {
		value := make([]byte, 1<<20)
		_, _ = r.Read(value) // always fills it
		records[i] = fixture.Record{Value: value, Time: record.NoTime}
	}
	return records
}

// scanned puts n entries and scans them in pieces and as a whole: more than
// fits into one reply of the host.
func scanned(n int) *fixture.Fixture {
	f := newFixture("state")
	f.Stores = []string{"state"}
	text := func(value string) fixture.Record {
		return fixture.Record{Key: []byte("r"), Value: []byte(value), Time: record.NoTime}
	}
	key := func(i int) string { return fmt.Sprintf("key-%05d", i) }
	value := func(i int) string { return strings.Repeat(string(rune('a'+i%26)), i%200) }
	var puts []fixture.Record
	var entries []fixture.Entry
	for i := range n {
		puts = append(puts, text("put "+key(i*7919%n)+" "+value(i*7919%n)))
		entries = append(entries, fixture.Entry{Key: []byte(key(i)), Value: []byte(value(i))})
	}
	f.Batches = [][]fixture.Record{puts}
	scan := func(command string, lo, hi int) {
		for i := lo; i < hi; i++ {
			f.Expect.Records = append(f.Expect.Records, fixture.Out{
				Record: fixture.Record{Key: []byte("scan"), Value: []byte(key(i) + "=" + value(i)), Time: record.NoTime},
				Output: "out", Cause: f.Count(),
			})
		}
		f.Batches = append(f.Batches, []fixture.Record{text(command)})
	}
	scan("scan - -", 0, n)
	scan("scan "+key(n/3)+" "+key(n/2), n/3, n/2)
	scan("scan "+key(n-1)+" -", n-1, n)
	f.Expect.State = map[string][]fixture.Entry{"state": entries}
	return f
}

// vectors returns the records of each golden frame as a batch.
func vectors(t *testing.T) (batches [][]fixture.Record) {
	t.Helper()
	text, err := os.ReadFile("../abi/testdata/frames.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, paragraph := range strings.Split(string(text), "\n\n") {
		_, dump, ok := strings.Cut(paragraph, "\nbytes\n")
		if !ok {
			continue
		}
		frame, err := hex.DecodeString(strings.Join(strings.Fields(dump), ""))
		if err != nil {
			t.Fatal(err)
		}
		b, err := wire.Parse(frame)
		if err != nil {
			t.Fatal(err)
		}
		var batch []fixture.Record
		var rec record.Record
		for rest := b.Records; len(rest) > 0; {
			rest = wire.Next(rest, &rec)
			const known = record.Insert | record.Update | record.Delete // what others come to is open
			r := fixture.Record{Key: rec.Key, Value: rec.Value, Time: rec.Time, Flags: rec.Flags & known}
			for name, value := range rec.Headers.All() {
				r.Headers = append(r.Headers, fixture.Header{Name: string(name), Value: value})
			}
			batch = append(batch, r)
		}
		if len(batch) > 0 {
			batches = append(batches, batch)
		}
	}
	if len(batches) < 5 {
		t.Fatalf("%d golden frames with records", len(batches))
	}
	return batches
}
