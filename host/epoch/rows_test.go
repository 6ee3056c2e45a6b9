package epoch_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/wasmill/wasmill/host/epoch"
	"github.com/wasmill/wasmill/plugins"
)

// TestRows_AreAsDocumented holds the keys against state/FORMAT.md.
func TestRows_AreAsDocumented(t *testing.T) {
	text, err := os.ReadFile("../../state/FORMAT.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	if want := fmt.Sprintf("the version of this section: %d |", epoch.Format); !strings.Contains(page, want) {
		t.Errorf("FORMAT.md does not say %q", want)
	}
	tests := []struct {
		row  string
		key  []byte
		want string
	}{
		{"waiting", epoch.WaitingKey(1, []byte("dir")), "\x02\x00\x01dir"},
		{"split", epoch.SplitKey(1, []byte("id")), "\x03\x00\x01id"},
		{"end", epoch.EndKey(1, 2, 3), "\x04\x00\x01\x00\x00\x00\x02\x00\x03"},
		{"next", epoch.NextKey(1, 2), "\x05\x00\x01\x00\x00\x00\x02"},
		{"token", epoch.TokenKey(1, 2), "\x06\x00\x01\x00\x00\x00\x02"},
		{"fault", epoch.FaultKey(1, &plugins.Fault{Kind: plugins.Corrupt, Path: "p"}), "\x07\x00\x01corrupt\x00p"},
		{"ended", epoch.EndedKey(258), "\x08\x00\x00\x01\x02"},
		{"count", epoch.CountKey(258), "\x09\x00\x00\x01\x02"},
		{"started", epoch.StartedKey(1), "\x0a\x00\x01"},
		{"state", epoch.AppendStateKey(nil, 1, 2, []byte("key")), "\x20\x00\x01\x00\x00\x00\x02key"},
	}
	for _, tt := range tests {
		if string(tt.key) != tt.want {
			t.Errorf("%s: the key is %q, want %q", tt.row, tt.key, tt.want)
		}
		if row := fmt.Sprintf("| `0x%02x` | %s |", tt.key[0], tt.row); !strings.Contains(page, row) {
			t.Errorf("FORMAT.md has no row that begins with %q", row)
		}
	}
}

func TestSplit_RowAsDocumented(t *testing.T) {
	s := epoch.Split{Next: 7, Split: plugins.Split{ID: []byte("id"), Start: 5, Bytes: 9, Spec: []byte("spec")}}
	s.Partition.Number, s.Partition.Name = 3, "name"
	got := epoch.AppendSplit(nil, &s)
	want := "\x00\x00\x00\x00\x00\x00\x00\x07" + "\x00\x00\x00\x00\x00\x00\x00\x05" + "\x00\x00\x00\x00\x00\x00\x00\x09" +
		"\x00\x00\x00\x03" + "\x00\x00\x00\x04" + "name" + "spec"
	if string(got) != want {
		t.Errorf("the row is %q, want %q", got, want)
	}
	back, err := epoch.ParseSplit(epoch.SplitKey(1, s.ID), got)
	if err != nil || fmt.Sprint(back) != fmt.Sprint(s) {
		t.Errorf("it comes back as %v, %v; want %v", back, err, s)
	}
	for n := range 36 { // all before the end of the name
		if _, err := epoch.ParseSplit(epoch.SplitKey(1, s.ID), got[:n]); err == nil {
			t.Errorf("a row of %d bytes is taken", n)
		}
	}
}
