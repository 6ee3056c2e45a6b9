package quickjs_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/wasmill/wasmill/abi"
	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/abi/wire"
)

// vectors returns the bytes of the vectors in a file of abi/testdata by name.
func vectors(t *testing.T, file string) map[string][]byte {
	t.Helper()
	text, err := os.ReadFile("../../../abi/testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]byte{}
	for part := range strings.SplitSeq(string(text), "\n\n") {
		if strings.HasPrefix(part, "#") {
			continue
		}
		head, digits, _ := strings.Cut(part+"\n", "\nbytes\n")
		b, err := hex.DecodeString(strings.Join(strings.Fields(digits), ""))
		if err != nil {
			t.Fatal(err)
		}
		words := strings.Fields(head)
		all[words[0]+" "+words[1]] = b
	}
	if len(all) < 6 {
		t.Fatalf("%s has only %d vectors", file, len(all))
	}
	return all
}

// seen is what the step below says of a record.
type seen struct {
	Key, Value          []byte
	Headers             [][2][]byte
	Time                *float64
	Position            float64
	Stream, Flags, Part int64
	Name                []byte
}

const telling = sdk + `
const b64 = (b) => b === null ? null : btoa(String.fromCharCode(...b));
const enc = (s) => b64(new TextEncoder().encode(s));
w.batch = (records, cx) => {
  for (const r of records) {
    console.log(JSON.stringify({
      Key: b64(r.key), Value: b64(r.value), Headers: r.headers.map((h) => [enc(h.name), b64(h.value)]), Time: r.time,
      Position: r.position, Stream: r.stream, Flags: r.flags, Part: r.partition.number, Name: b64(r.partition.bytes),
    }));
    cx.emit(r);
    if (r.time === null || Number.isSafeInteger(r.time)) cx.emit({ key: r.key, value: r.value, headers: r.headers, time: r.time, flags: r.flags });
  }
};`

// TestFrames_Golden: the engine reads what the golden vectors say, as the
// host's codec does, and writes the same records again.
func TestFrames_Golden(t *testing.T) {
	in, status := start(t, telling)
	if status != 0 {
		t.Fatal(status, in.logs)
	}
	for name, frame := range vectors(t, "frames.txt") {
		t.Run(name, func(t *testing.T) {
			b, err := wire.Parse(frame)
			if err != nil {
				t.Fatal(err)
			}
			in.logs = nil
			if status := in.process(1, frame); status != 0 {
				t.Fatal(status, in.logs)
			}
			if len(in.logs) != b.Count {
				t.Fatalf("the step saw %d records of %d: %q", len(in.logs), b.Count, in.logs)
			}
			var out wire.Batch
			var r record.Record
			for rest, i := b.Records, 0; len(rest) > 0; i++ {
				rest = wire.Next(rest, &r)
				var got seen
				if err := json.Unmarshal([]byte(in.logs[i][2:]), &got); err != nil {
					t.Fatal(err)
				}
				want := seen{Key: r.Key, Value: r.Value, Headers: [][2][]byte{}, Position: float64(r.Position), Stream: int64(r.Stream), Flags: int64(r.Flags),
					Part: int64(b.Partition.Number), Name: []byte(b.Partition.Name)}
				if r.Time != record.NoTime {
					ms := float64(r.Time)
					want.Time = &ms
				}
				for name, value := range r.Headers.All() {
					want.Headers = append(want.Headers, [2][]byte{bytes.ToValidUTF8(name, []byte("\ufffd")), value})
				}
				const safe = 1 << 53 // beyond it the step's times are rounded
				if !reflect.DeepEqual(got, want) {
					t.Errorf("record %d is %+v, want %+v", i, got, want)
				}
				for n := range 2 {
					r.Position, r.Stream, r.Cause, r.Flags = 0, 0, abi.CauseBatch, r.Flags&7
					if n == 0 || r.Time == record.NoTime || max(r.Time, -r.Time) < safe {
						out.Add(&r)
					}
				}
			}
			if b.Count > 0 && (len(in.frames) != 1 || !bytes.Equal(in.frames[0], out.AppendFrame(nil))) {
				t.Errorf("emitted\n% x, want\n% x", in.frames, out.AppendFrame(nil))
			}
		})
	}
}

func TestFrames_GoldenFaults(t *testing.T) {
	for _, step := range []string{telling, sdk + "w.step = () => {};"} {
		in, status := start(t, step)
		if status != 0 {
			t.Fatal(status, in.logs)
		}
		for name, frame := range vectors(t, "faults.txt") {
			if status := in.process(1, frame); status != -22 {
				t.Errorf("%s: status %d, want -22", name, status)
			}
		}
	}
}

// TestStores_Golden: entries, keys and values are packed as the vectors say.
func TestStores_Golden(t *testing.T) {
	in := started(t, sdk+`
w.step = (r, cx) => {
  const s = cx.store("state");
  const list = (b) => b === undefined ? null : [...b];
  if (r.text === "scan") cx.emit({ value: [...s.scan()].map((e) => [list(e.key), list(e.value)]) });
  if (r.text === "many") cx.emit({ value: s.getMany(["a", "", "long key"]).map(list) });
};`)
	all := vectors(t, "entries.txt")
	for name, want := range map[string]string{"scan none": "[]", "scan two": "[[[97],[49]],[[98,98],[]]]", "scan binary": "[[[0,255],[10,0]]]"} {
		first := true
		in.answer = func(string) string {
			defer func() { first = false }()
			if first {
				return string(all[name])
			}
			return ""
		}
		if equal(t, in.values("scan"), "0 "+want); first {
			t.Errorf("%s: the store was not asked", name)
		}
	}
	var request string
	in.answer = func(r string) string {
		request = r
		return string(all["values three"])
	}
	equal(t, in.values("many"), "0 [[49],null,[]]")
	if request != string(all["keys three"]) {
		t.Errorf("the keys are packed as %q, want %q", request, all["keys three"])
	}
}
