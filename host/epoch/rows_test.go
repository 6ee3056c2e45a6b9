package epoch_test

import (
	"bytes"
	"errors"
	"reflect"
	"testing"

	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/host/epoch"
	"github.com/wasmill/wasmill/plugins"
	"github.com/wasmill/wasmill/state/memstore"
)

func TestSplitRow_RoundTrip(t *testing.T) {
	for name, want := range map[string]epoch.Split{
		"zero": {Split: plugins.Split{ID: []byte("x")}},
		"full": {Next: 77, Split: plugins.Split{
			ID: []byte("dir/\x00\xff"), Start: 12, Bytes: 1 << 40, Spec: []byte{0, 1, 2},
			Partition: record.Partition{Name: "not utf-8 \xfe", Number: 1<<32 - 1},
		}},
		"negative": {Next: -1, Split: plugins.Split{ID: []byte("x"), Start: -2, Bytes: -3}},
	} {
		t.Run(name, func(t *testing.T) {
			key := epoch.SplitKey(3, want.ID)
			got, err := epoch.ParseSplit(key, epoch.AppendSplit(nil, &want))
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got.Spec, want.Spec) {
				t.Errorf("spec is %q, want %q", got.Spec, want.Spec)
			}
			got.Spec, want.Spec = nil, nil
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
	}
}

func TestEndRow_RoundTrip(t *testing.T) {
	for _, want := range []epoch.End{{}, {Done: true}, {Token: []byte("next")}, {Done: true, Token: []byte{0}}} {
		got, err := epoch.ParseEnd(epoch.AppendEnd(nil, want))
		if err != nil || got.Done != want.Done || !bytes.Equal(got.Token, want.Token) {
			t.Errorf("got %+v, %v; want %+v", got, err, want)
		}
	}
	if _, err := epoch.ParseEnd(nil); err == nil {
		t.Error("an empty row is taken for an end")
	}
}

func TestCountRow_RoundTrip(t *testing.T) {
	var want epoch.Counts
	v := reflect.ValueOf(&want).Elem()
	for i := range v.NumField() {
		v.Field(i).SetInt(int64(i+1) << (7 * i)) // a field that is left out shows
	}
	got, err := epoch.ParseCounts(epoch.AppendCounts(nil, want))
	if err != nil || got != want {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
	sum := want
	sum.Add(want)
	for i := range v.NumField() {
		if reflect.ValueOf(sum).Field(i).Int() != 2*v.Field(i).Int() {
			t.Errorf("Add leaves out %s", v.Type().Field(i).Name)
		}
	}
}

// FuzzRows feeds rubbish to the parsers of rows: what they take they must
// write as it was.
func FuzzRows(f *testing.F) {
	f.Add(epoch.SplitKey(0, []byte("id")), epoch.AppendSplit(nil, &epoch.Split{Split: plugins.Split{Partition: record.Partition{Name: "p"}, Spec: []byte("s")}}))
	f.Add([]byte{}, epoch.AppendCounts(nil, epoch.Counts{Records: 1}))
	f.Add([]byte{3, 0}, epoch.AppendEnd(nil, epoch.End{Done: true, Token: []byte("t")}))
	f.Add([]byte{3, 0, 0}, bytes.Repeat([]byte{0xff}, 40))
	f.Fuzz(func(t *testing.T, key, value []byte) {
		if s, err := epoch.ParseSplit(key, value); err == nil {
			if got := epoch.AppendSplit(nil, &s); !bytes.Equal(got, value) || !bytes.Equal(s.ID, key[3:]) {
				t.Errorf("split row %x of %x became %x of %x", value, key, got, s.ID)
			}
		}
		if e, err := epoch.ParseEnd(value); err == nil {
			if got := epoch.AppendEnd(nil, e); !bytes.Equal(got, value) {
				t.Errorf("end row %x became %x", value, got)
			}
		}
		if c, err := epoch.ParseCounts(value); err == nil {
			if got := epoch.AppendCounts(nil, c); !bytes.HasPrefix(value, got) {
				t.Errorf("count row %x became %x", value, got)
			}
		}
	})
}

// TestStateKey_EndIsBehindAllKeys holds for partitions at the edges of a byte.
func TestStateKey_EndIsBehindAllKeys(t *testing.T) {
	for _, at := range [][2]uint32{{0, 0}, {0, 255}, {1, 1<<32 - 1}, {1<<16 - 1, 1<<32 - 1}} {
		store, partition := uint16(at[0]), at[1]
		last := epoch.AppendStateKey(nil, store, partition, bytes.Repeat([]byte{0xff}, 40))
		end := epoch.AppendStateEnd(nil, store, partition)
		if bytes.Compare(last, end) >= 0 {
			t.Errorf("store %d, partition %d: key %x is behind the end %x", store, partition, last, end)
		}
		if partition < 1<<32-1 {
			if next := epoch.AppendStateKey(nil, store, partition+1, nil); bytes.Compare(end, next) > 0 {
				t.Errorf("the end of partition %d, %x, is behind the next one's first key %x", partition, end, next)
			}
		}
	}
}

// TestCheckpoint_RowsOfOneSourceOnly looks at the borders of scans.
func TestCheckpoint_RowsOfOneSourceOnly(t *testing.T) {
	store := memstore.New(memstore.Options{})
	defer store.Close()
	b := store.NewBatch()
	for source := range 3 {
		id := []byte{byte(source), 0xff}
		fault := &plugins.Fault{Kind: plugins.Corrupt, Path: string(id)}
		if err := errors.Join(
			b.Set(epoch.SplitKey(source, id), epoch.AppendSplit(nil, &epoch.Split{})),
			b.Set(epoch.WaitingKey(source, id), []byte("dir")),
			b.Set(epoch.FaultKey(source, fault), []byte("broken")),
		); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Commit(true); err != nil {
		t.Fatal(err)
	}
	c := epoch.Checkpoint{Store: store}
	splits, err := c.Splits(1)
	if err != nil || len(splits) != 1 || string(splits[0].ID) != "\x01\xff" {
		t.Errorf("splits %+v, %v", splits, err)
	}
	faults, err := c.Faults(1)
	if err != nil || len(faults) != 1 || faults[0].Path != "\x01\xff" || faults[0].Kind != plugins.Corrupt || faults[0].Err.Error() != "broken" {
		t.Errorf("faults %+v, %v", faults, err)
	}
	n := 0
	for k, v := range c.Waiting(1, &err) {
		n++
		if string(k) != "\x01\xff" || string(v) != "dir" {
			t.Errorf("waiting %q: %q", k, v)
		}
	}
	if n != 1 || err != nil {
		t.Errorf("%d items wait, %v", n, err)
	}
}
