package record_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/wasmill/wasmill/abi/record"
)

func TestPointer(t *testing.T) {
	deep := strings.Repeat(`[`, 600) + strings.Repeat(`]`, 600)
	for _, c := range []struct{ value, path, want, err string }{
		{`{"a":{"b":"x"}}`, "/a/b", "x", ""},
		{` { "a" : [ 1 , 2.50 , "" ] } `, "/a/1", "2.50", ""},
		{`{"a":[1,2,""]}`, "/a/2", "", ""},
		{`"whole"`, "", "whole", ""},
		{`-1.5e+3`, "", "-1.5e+3", ""},
		{`{"a":true,"b":false}`, "/b", "false", ""},
		{`{"":{"":"empty"}}`, "//", "empty", ""},
		{`{"a/b":"slash","m~n":"tilde","~1":"both"}`, "/a~1b", "slash", ""},
		{`{"a/b":"slash","m~n":"tilde","~1":"both"}`, "/m~0n", "tilde", ""},
		{`{"a/b":"slash","m~n":"tilde","~1":"both"}`, "/~01", "both", ""},
		{`{"\u0061\"":"esc\\\/\b\f\n\r\t\u00e9\ud83d\ude00\ud800"}`, `/a"`, "esc\\/\b\f\n\r\té😀\ufffd", ""},
		{`{"a":1,"a":2}`, "/a", "1", ""},
		{`{"a":1,` + "\x00 rubbish behind", "/a", "1", ""},
		{`{"skip":{"a":[{"b":"}]"},null,1e5]},"a":"x"}`, "/a", "x", ""},
		{`{"a":null}`, "/a", "", "key /a: is null"},
		{`{"a":{}}`, "/a", "", "key /a: is an object"},
		{`{"a":[]}`, "/a", "", "key /a: is an array"},
		{`{"a":1}`, "/b", "", "key /b: not in the value"},
		{`{}`, "/b", "", "key /b: not in the value"},
		{`[]`, "/0", "", "key /0: not in the value"},
		{`[1]`, "/1", "", "key /1: not in the value"},
		{`[1]`, "/-", "", "key /-: not in the value"},
		{`[1,2]`, "/01", "", "key /01: not in the value"},
		{`[1,2]`, "/99999999999999999999", "", "key /99999999999999999999: not in the value"},
		{`"text"`, "/a", "", "key /a: not in the value"},
		{``, "/a", "", "key /a: the value is not JSON"},
		{`not json`, "", "", "key (the whole value): the value is not JSON"},
		{`{"a":01}`, "/a", "", "key /a: the value is not JSON"},
		{`{"a":1.}`, "/a", "", "key /a: the value is not JSON"},
		{`{"a":-}`, "/a", "", "key /a: the value is not JSON"},
		{`{"a":1e}`, "/a", "", "key /a: the value is not JSON"},
		{`{"a":"x`, "/a", "", "key /a: the value is not JSON"},
		{`{"a":"\x"}`, "/a", "", "key /a: the value is not JSON"},
		{`{"a":"\u12"}`, "/a", "", "key /a: the value is not JSON"},
		{`{"a" 1}`, "/a", "", "key /a: the value is not JSON"},
		{`{a:1}`, "/a", "", "key /a: the value is not JSON"},
		{`{"b":1 "a":2}`, "/a", "", "key /a: the value is not JSON"},
		{`{"b":` + deep + `,"a":2}`, "/a", "", "key /a: the value is not JSON"},
	} {
		got, err := record.Pointer([]byte(c.value), c.path)
		if c.err != "" {
			if err == nil || err.Error() != c.err {
				t.Errorf("%s in %.60s: %q, %v; want %s", c.path, c.value, got, err, c.err)
			}
			continue
		}
		if err != nil || string(got) != c.want {
			t.Errorf("%s in %.60s: %q, %v; want %q", c.path, c.value, got, err, c.want)
		}
	}
}

func TestPointer_AllocatesNothing(t *testing.T) {
	value := []byte(`{"skip":[1,{"a":"b"}],"user":{"id":"u-17","n":3}}`)
	if n := testing.AllocsPerRun(100, func() {
		for _, path := range []string{"/user/id", "/user/n"} {
			if _, err := record.Pointer(value, path); err != nil {
				t.Fatal(err)
			}
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// byJSON finds what a pointer names by the standard library; ok is false
// where there is no scalar. Of equal names it takes the first, too.
func byJSON(value json.RawMessage, path string) (key string, ok bool) {
	if path != "" {
		for name := range strings.SplitSeq(path[1:], "/") {
			name = strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
			if value, ok = child(value, name); !ok {
				return "", false
			}
		}
	}
	value = bytes.TrimSpace(value)
	switch value[0] {
	case '{', '[', 'n':
		return "", false
	case '"':
		return key, json.Unmarshal(value, &key) == nil
	}
	return string(value), true
}

func child(value json.RawMessage, name string) (json.RawMessage, bool) {
	d := json.NewDecoder(bytes.NewReader(value))
	open, _ := d.Token()
	for i := json.Number("0"); d.More(); {
		var at any = i
		if open == json.Delim('{') {
			at, _ = d.Token()
		}
		var v json.RawMessage
		if open != json.Delim('{') && open != json.Delim('[') || d.Decode(&v) != nil {
			return nil, false
		}
		if at == any(name) || at == any(json.Number(name)) {
			return v, true
		}
		n, _ := i.Int64()
		b, _ := json.Marshal(n + 1)
		i = json.Number(b)
	}
	return nil, false
}

// FuzzPointer compares the scanner with encoding/json on all that is JSON.
// Rubbish must not end the program.
func FuzzPointer(f *testing.F) {
	for _, value := range []string{
		`{"a":{"b":"x"}}`, `[1,[2,{"a":"\u0061\ud83d\ude00\ud800x\n"}]]`, `{"a":1,"a":2,"":3}`, `{"a/b":{"~":[true,false,null]}}`,
		` {"a" : -0.5e-7 , "\"" : "" } `, `"\ud800\u0061\udc00\ud800\ud800\udc00"`, "{\"\xff\":\"\xfe\"}", `[[[[[[[]]]]]]]`, `{"a":`, "\"\x7f\u2028\"",
	} {
		for _, path := range []string{"", "/a", "/a/b", "/1/1/a", "/", "/a~1b/~0/0", `/"`, "/0", "/\xff", "/a~"} {
			f.Add([]byte(value), path)
		}
	}
	f.Fuzz(func(t *testing.T, value []byte, path string) {
		if path != "" && path[0] != '/' {
			return // refused with the job file
		}
		before := bytes.Clone(value)
		got, err := record.Pointer(value, path)
		if !bytes.Equal(value, before) {
			t.Fatal("the value was written to")
		}
		if !json.Valid(value) || bytes.ContainsRune(value, '\ufffd') || !isText(value) || !isText([]byte(path)) || bytes.Count(value, []byte("["))+bytes.Count(value, []byte("{")) > 512 {
			return
		}
		want, ok := byJSON(value, path)
		if ok != (err == nil) || string(got) != want {
			t.Errorf("%q in %q: %q, %v; encoding/json finds %q, %v", path, value, got, err, want, ok)
		}
	})
}

// isText tells whether b is UTF-8: in text that is not, encoding/json replaces
// what the scanner hands on as it is.
func isText(b []byte) bool { return strings.ToValidUTF8(string(b), "") == string(b) }
