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
		{name: "random", fixture: echoed(random(t, 40), random(t, 1), random(t, 300))},
		{name: "long-keys", fixture: longKeys(), loose: true},
		{name: "emitted-long-key", fixture: emittedLongKey(), loose: true},
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

// random returns n records of every shape, other ones in each run.
func random(t *testing.T, n int) []fixture.Record {
	t.Helper()
	seed := rand.Uint64()
	t.Logf("%d random records of seed %d", n, seed)
	r := rand.New(rand.NewPCG(seed, 0))
	some := func() []byte {
		switch r.IntN(4) {
		case 0:
			return nil
		case 1:
			return []byte("text é \U0001F600")[:r.IntN(13)]
		}
		b := make([]byte, r.IntN(70)*r.IntN(70)/69)
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		return b
	}
	records := make([]fixture.Record, n)
	for i := range records {
		rec := fixture.Record{Key: some(), Value: some(), Time: record.NoTime, Flags: record.Flags(r.IntN(8))}
		if r.IntN(2) == 0 {
			rec.Time = r.Int64N(1<<53) - 1<<52 // what every language can count to
		}
		for range r.IntN(4) {
			rec.Headers = append(rec.Headers, fixture.Header{Name: string(some()), Value: some()})
		}
		records[i] = rec
	}
	return records
}

// command is a record of case state.
func command(text string) fixture.Record {
	return fixture.Record{Key: []byte("r"), Value: []byte(text), Time: record.NoTime}
}

// longKeys uses a key of 4 KiB, the longest there is, and one that is a byte
// longer: the host's error rejects the record, whatever the call.
func longKeys() *fixture.Fixture {
	f := newFixture("state")
	f.Stores = []string{"state"}
	longest := strings.Repeat("k", 4<<10)
	batch := []fixture.Record{command("count " + longest)}
	for _, do := range []string{"put", "get", "delete", "count", "many"} {
		f.Expect.Failed = append(f.Expect.Failed, fixture.Failure{Record: len(batch), Class: "rejected", Text: "limit"})
		text := do + " " + longest + "k"
		if do == "put" {
			text += " v"
		}
		batch = append(batch, command(text))
	}
	f.Batches = [][]fixture.Record{batch}
	f.Expect.Records = []fixture.Out{{Record: fixture.Record{Key: []byte("count"), Value: []byte("1"), Time: record.NoTime}, Output: "out", Cause: 0}}
	f.Expect.State = map[string][]fixture.Entry{"state": {{Key: []byte(longest), Value: []byte("1")}}}
	return f
}

// emittedLongKey hands on a record whose key no record may have: it alone is
// rejected.
func emittedLongKey() *fixture.Fixture {
	rec := func(key string) fixture.Record {
		return fixture.Record{Key: []byte(key), Value: []byte("v"), Time: record.NoTime}
	}
	long := strings.Repeat("k", 4<<10)
	f := echoed([]fixture.Record{rec("a"), rec(long), rec(long + "k"), rec("b")})
	out := f.Expect.Records
	f.Expect.Records = append(out[:2:2], out[3])
	f.Expect.Failed = []fixture.Failure{{Record: 2, Class: "rejected", Text: "longer than 4096"}}
	return f
}

// scanned puts n entries and scans them in pieces and as a whole: more than
// fits into one reply of the host.
func scanned(n int) *fixture.Fixture {
	f := newFixture("state")
	f.Stores = []string{"state"}
	key := func(i int) string { return fmt.Sprintf("key-%05d", i) }
	value := func(i int) string { return strings.Repeat(string(rune('a'+i%26)), i%200) }
	var puts []fixture.Record
	var entries []fixture.Entry
	for i := range n {
		puts = append(puts, command("put "+key(i*7919%n)+" "+value(i*7919%n)))
		entries = append(entries, fixture.Entry{Key: []byte(key(i)), Value: []byte(value(i))})
	}
	f.Batches = [][]fixture.Record{puts}
	scan := func(text string, lo, hi int) {
		for i := lo; i < hi; i++ {
			f.Expect.Records = append(f.Expect.Records, fixture.Out{
				Record: fixture.Record{Key: []byte("scan"), Value: []byte(key(i) + "=" + value(i)), Time: record.NoTime},
				Output: "out", Cause: f.Count(),
			})
		}
		f.Batches = append(f.Batches, []fixture.Record{command(text)})
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
