package out

import (
	"fmt"
	"strings"
	"testing"
)

func TestDecide_FromFacts(t *testing.T) {
	open := func(path string, n int64) tokenFile { return tokenFile{path: path, length: n} }
	sealed := func(path string, n int64) tokenFile { return tokenFile{path: path, length: n, sealed: true} }
	const tmp = ".part-00003-000001.g7.tmp"
	for _, c := range []struct {
		name  string
		token token
		found map[string]int64
		want  string // actions, or the error
	}{
		{"nothing at all", token{}, nil, ""},
		{"never committed", token{}, map[string]int64{"part-00003.jsonl": 5, "a/part-00003.jsonl": 1, tmp: 2},
			"remove .part-00003-000001.g7.tmp; remove a/part-00003.jsonl; remove part-00003.jsonl"},
		{"as committed", token{files: []tokenFile{open("part-00003.jsonl", 5)}}, map[string]int64{"part-00003.jsonl": 5}, ""},
		{"written behind the commit", token{files: []tokenFile{open("part-00003.jsonl", 5)}}, map[string]int64{"part-00003.jsonl": 9},
			"truncate part-00003.jsonl 5"},
		{"a new partition behind the commit", token{files: []tokenFile{open("a/part-00003.jsonl", 5)}}, map[string]int64{"a/part-00003.jsonl": 5, "b/part-00003.jsonl": 1},
			"remove b/part-00003.jsonl"},
		{"committed bytes are gone", token{files: []tokenFile{open("part-00003.jsonl", 5)}}, map[string]int64{"part-00003.jsonl": 4},
			"part-00003.jsonl has 4 bytes, of which 5 are committed: put the rest back, or start over with --fresh"},
		{"a committed file is gone", token{files: []tokenFile{open("part-00003.jsonl", 5)}}, nil,
			"part-00003.jsonl is gone, of which 5 bytes are committed: put it back, or start over with --fresh"},
		{"decided, not renamed", token{next: 2, files: []tokenFile{sealed(tmp, 5)}}, map[string]int64{tmp: 5},
			"rename .part-00003-000001.g7.tmp part-00003-000001.jsonl"},
		{"decided and renamed", token{next: 2, files: []tokenFile{sealed(tmp, 5)}}, map[string]int64{"part-00003-000001.jsonl": 5}, ""},
		{"renamed and taken away by its reader", token{next: 2, files: []tokenFile{sealed(tmp, 5)}}, nil, ""},
		{"rolled and open", token{next: 2, files: []tokenFile{open(tmp, 5)}}, map[string]int64{tmp: 7, "part-00003-000000.jsonl": 3},
			"truncate .part-00003-000001.g7.tmp 5"},
		{"of a later, undecided file", token{next: 2, files: []tokenFile{open(tmp, 5)}}, map[string]int64{tmp: 5, ".part-00003-000002.g7.tmp": 1},
			"remove .part-00003-000002.g7.tmp"},
		{"of another state", token{next: 2}, map[string]int64{"part-00003-000001.jsonl": 1, "part-00003-000002.jsonl": 1},
			"remove part-00003-000002.jsonl"},
		{"other tasks and strangers", token{}, map[string]int64{"part-00004.jsonl": 1, "readme": 2}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			acts, err := decide(c.token, c.found, 3, "jsonl")
			var got []string
			for _, a := range acts {
				switch a.do {
				case "truncate":
					got = append(got, fmt.Sprintf("truncate %s %d", a.path, a.size))
				case "rename":
					got = append(got, fmt.Sprintf("rename %s %s", a.path, a.to))
				default:
					got = append(got, a.do+" "+a.path)
				}
			}
			text := strings.Join(got, "; ")
			if err != nil {
				text = err.Error()
			}
			if text != c.want {
				t.Errorf("got  %s\nwant %s", text, c.want)
			}
		})
	}
}

func TestName_RoundTripsAndRefusesStrangers(t *testing.T) {
	for _, path := range []string{"part-00003.jsonl", "a/part-123456.csv", "part-00003-000001.txt", "x/.part-00003-1234567.g12.tmp"} {
		n, ok := parseName(split(path))
		if !ok || n.String() != path {
			t.Errorf("%s: %t, %s", path, ok, n)
		}
	}
	for _, path := range []string{"part-3.jsonl", "part-00003.json", "part-000003.jsonl", "part-00003-1.jsonl", "part-00003.jsonl.gz",
		".part-00003-000001.tmp", "Part-00003.csv", "part-00000-5f1c.csv", ".part-00003-000001.g07.tmp"} {
		if n, ok := parseName(split(path)); ok {
			t.Errorf("%s was taken for %+v", path, n)
		}
	}
}

func TestToken_RoundTripAndDamage(t *testing.T) {
	tok := token{next: 9, files: []tokenFile{
		{path: "a/part-00001.csv", length: 1 << 40, opened: -5, columns: []string{"x", "", "y,z"}},
		{path: ".part-00001-000003.g2.tmp", sealed: true, length: 0, opened: 77},
	}}
	b := tok.append(nil)
	got, err := parseToken(b)
	if err != nil || fmt.Sprint(got) != fmt.Sprint(tok) {
		t.Fatalf("got %v, %v", got, err)
	}
	whole := 0
	for n := range b {
		if _, err := parseToken(b[:n]); err == nil {
			whole++ // cut between two files
		}
	}
	if whole > 2 {
		t.Errorf("%d of %d cut tokens were read without an error", whole, len(b))
	}
	if _, err := parseToken([]byte{9}); err == nil || !strings.Contains(err.Error(), "version 9") {
		t.Errorf("a later version: %v", err)
	}
}

func TestDirectory_OfPartitionValues(t *testing.T) {
	long := strings.Repeat("x", 300)
	for _, c := range []struct{ value, pointer, want string }{
		{`{"a":"de"}`, "/a", "de"},
		{`{"a":{"b/c":["x",7]}}`, "/a/b~1c/1", "7"},
		{`{"a":true}`, "/a", "true"},
		{`{"a":1.50}`, "/a", "1.50"},
		{`{"a":""}`, "/a", "_empty"},
		{`{"a":null}`, "/a", "_missing"},
		{`{"a":{}}`, "/a", "_missing"},
		{`{"b":1}`, "/a", "_missing"},
		{`[1,2]`, "/2", "_missing"},
		{`no json`, "/a", "_missing"},
		{`{"a":"../../etc"}`, "/a", "%2E.%2F..%2Fetc"},
		{`{"a":"_missing"}`, "/a", "%5Fmissing"},
		{`{"a":"é x%"}`, "/a", "%C3%A9%20x%25"},
	} {
		if got := directory([]byte(c.value), c.pointer); got != c.want {
			t.Errorf("%s at %s: %s, want %s", c.value, c.pointer, got, c.want)
		}
	}
	a, b := dirOf([]byte(long)), dirOf([]byte(long+"y"))
	if len(a) != maxDir || len(b) != maxDir || a == b {
		t.Errorf("long values: %d and %d bytes, same %t", len(a), len(b), a == b)
	}
	for _, bad := range []string{"", "a", "/a~", "/~2"} {
		if CheckPointer(bad) == nil {
			t.Errorf("pointer %q was accepted", bad)
		}
	}
	if err := CheckPointer("/a~0b/~1"); err != nil {
		t.Error(err)
	}
}
