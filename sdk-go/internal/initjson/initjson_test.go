package initjson_test

import (
	"encoding/json"
	"os"
	"reflect"
	"testing"

	"github.com/wasmill/wasmill/sdk-go/internal/initjson"
)

func TestParse_Golden(t *testing.T) {
	data, err := os.ReadFile("../../../abi/testdata/init.json")
	if os.IsNotExist(err) {
		t.Skip("the golden vectors are in wasmill's repository")
	}
	if err != nil {
		t.Fatal(err)
	}
	var got initjson.Payload
	if err := initjson.Parse(data, &got); err != nil {
		t.Fatal(err)
	}
	want := initjson.Payload{
		Tenant: "default", Job: "word-count", Step: "count", Task: 3, Partitions: 8,
		Config:  []byte(`{"min": 10, "note": "a \"quoted\" } ] \u00e9 line", "list": [1, {"x": null}], "big": 12345678901234567890}`),
		Inputs:  []string{"by-word", "late"},
		Outputs: []string{"out", "rejects"},
		Stores:  []string{"counts", "seen"},
		Limits:  initjson.Limits{Memory: 64 << 20, Record: 1 << 20, Batch: 4 << 20, Emit: 16 << 20, Key: 4 << 10, StateValue: 1 << 20, LogRate: 64 << 10},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestParse_Refuses(t *testing.T) {
	for _, text := range []string{
		"", "[]", "null", "{", `{"job"}`, `{"job":}`, `{"job":"x"`, `{"job":"x",`, `{"job":1}`, `{"task":"1"}`, `{"task":1.5}`,
		`{"job":"x" "step":"y"}`, `{"inputs":"x"}`, `{"inputs":["x"`, `{"inputs":[1]}`, `{"limits":3}`, `{"limits":{"record":"x"}}`,
		`{"job":"\q"}`, `{"job":"\u12"}`, `{"job":"\`, `{"config":[1}`, `{1:2}`,
	} {
		var p initjson.Payload
		if err := initjson.Parse([]byte(text), &p); err == nil {
			t.Errorf("%s is accepted as %+v", text, p)
		}
	}
}

// FuzzParse: nothing makes Parse panic, and it reads strings as encoding/json does.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"job":"a\u00e9\ud83d\ude00\"\\\/\b\f\n\r\t","task":1,"inputs":["x","y"],"config":{"a":[1,"]"]}}`))
	f.Add([]byte(`{"job":"\ud83d"}`))
	f.Add([]byte(` { "job" : "x" , "inputs" : [ ] } `))
	f.Fuzz(func(t *testing.T, data []byte) {
		var p initjson.Payload
		err := initjson.Parse(data, &p)
		var want struct {
			Job    *string         `json:"job"`
			Inputs []string        `json:"inputs"`
			Config json.RawMessage `json:"config"`
		}
		var keys map[string]json.RawMessage
		if json.Unmarshal(data, &keys) != nil || json.Unmarshal(data, &want) != nil || err != nil || len(keys) != 1 {
			return
		}
		if raw, ok := keys["job"]; ok && want.Job != nil && p.Job != *want.Job {
			t.Errorf("job %s read as %q, want %q", raw, p.Job, *want.Job)
		}
	})
}
