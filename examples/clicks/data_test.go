package clicks_test

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "write data anew")

// days are the files of data, with the clicks in each.
var days = []struct {
	name   string
	clicks int
}{{"2026-03-01.jsonl", 1400}, {"2026-03-02.jsonl", 1100}}

func TestData_IsWhatTheGeneratorMakes(t *testing.T) {
	for i, day := range days {
		path := filepath.Join("data", day.name)
		want := generate(uint64(i), day.clicks)
		if *rewrite {
			if err := os.WriteFile(path, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what the generator makes: run go test ./examples/clicks -rewrite (%v)", path, err)
		}
	}
}

// bad are lines that are no clicks, of every kind that parse tells apart.
var bad = []string{
	``,
	`GET /p/1 200`,
	`{"user":"u7","page":"/p/1","ms":12`,
	`["u7","/p/1",12]`,
	`"u7"`,
	`null`,
	`{"page":"/p/1","ms":12}`,
	`{"user":"","page":"/p/1","ms":12}`,
	`{"user":null,"page":"/p/1","ms":12}`,
	`{"user":7,"page":"","ms":"x"}`,
	`{"user":"u7","ms":12}`,
	`{"user":"u7","page":"","ms":"slow"}`,
	`{"user":"u7","page":["/p/1"],"ms":12}`,
	`{"user":"u7","page":"/p/1"}`,
	`{"user":"u7","page":"/p/1","ms":null}`,
	`{"user":"u7","page":"/p/1","ms":"12"}`,
	`{"user":"u7","page":"/p/1","ms":true}`,
	`{"user":"u7","page":"/p/1","ms":-1}`,
	`{"user":"u7","page":"/p/1","ms":0.5}`,
	`{"user":"u7","page":"/p/1","ms":2147483648}`,
	`{"user":"u7","page":"/p/1","ms":123456789012345678901234567890}`,
}

// odd are clicks that are fine but not plain.
var odd = []string{
	`{"user":"zo\u00eb","page":"/caf\u00e9","ms":0,"country":"fr"}`,
	`{"user":"zoë","page":"/café","ms":2147483647,"country":"fr"}`,
	`{"user":"日本","page":"/日本/\ud83d\ude00","ms":80,"country":"jp"}`,
	`{"user":"q\"b\\s\/","page":"/p/\t\u0001\u007f","ms":1}`,
	`{"user":"<b>&amp;'","page":"/p/<1>&2","ms":5,"country":"us"}`,
	` { "ms" : 9 , "page" : "/p/2" , "user" : "u1" } `,
	`{"user":"u2","page":"/p/2","ms":7,"country":"xx","agent":{"name":"curl","ms":"none"},"tags":[1,[2],{"page":3}]}`,
	`{"user":"u3","page":"/p/3","ms":8,"country":""}`,
}

// generate returns a day of clicks, the same each time.
func generate(seed uint64, clicks int) []byte {
	r := rand.New(rand.NewPCG(seed, 1))
	countries := []string{"de", "fr", "gb", "jp", "kr", "us", "us", "us", "br", "nz", ""}
	var b bytes.Buffer
	for i := range clicks {
		switch {
		case i%37 == 11:
			fmt.Fprintln(&b, bad[i/37%len(bad)])
			continue
		case i%53 == 29:
			fmt.Fprintln(&b, odd[i/53%len(odd)])
			continue
		}
		page := r.IntN(40) * r.IntN(40) / 39 // the first ones more often
		fmt.Fprintf(&b, `{"user":"u%d","page":"/p/%d","ms":%d`, r.IntN(300), page, 20+r.IntN(400)*r.IntN(10))
		if c := countries[r.IntN(len(countries))]; c != "" {
			fmt.Fprintf(&b, `,"country":%q`, c)
		}
		b.WriteString("}\n")
	}
	return b.Bytes()
}
