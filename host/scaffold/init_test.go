package scaffold_test

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"testing"

	"github.com/wasmill/wasmill/host/guest"
)

// TestInit_GoldenIsWhatTheHostWrites: the payload that SDKs read in their
// tests has the fields of guest.Init, no more and no fewer.
func TestInit_GoldenIsWhatTheHostWrites(t *testing.T) {
	golden, err := os.ReadFile("../../abi/testdata/init.json")
	if err != nil {
		t.Fatal(err)
	}
	var init guest.Init
	d := json.NewDecoder(bytes.NewReader(golden))
	d.DisallowUnknownFields()
	d.UseNumber()
	if err := d.Decode(&init); err != nil {
		t.Fatal(err)
	}
	written, err := json.Marshal(init)
	if err != nil {
		t.Fatal(err)
	}
	var got, want any
	for text, v := range map[string]*any{string(written): &got, string(golden): &want} {
		d := json.NewDecoder(bytes.NewReader([]byte(text)))
		d.UseNumber()
		if err := d.Decode(v); err != nil {
			t.Fatal(err)
		}
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the host writes %s", written)
	}
}
