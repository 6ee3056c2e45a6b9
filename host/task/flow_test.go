package task

import (
	"math"
	"testing"

	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/host/epoch"
	"github.com/wasmill/wasmill/plugins"
)

// woken takes the wake that a Waker holds and reports whether there was one.
func woken(w *Waker) bool {
	select {
	case <-w.c:
		return true
	default:
		return false
	}
}

func TestGate(t *testing.T) {
	shut := 0
	g := NewGate(100, func() { shut++ })
	w := NewWaker()
	g.Attach([]*Waker{w})
	for _, c := range []struct {
		add        int
		open, wake bool
		shut       int
	}{
		{100, true, false, 0}, // up to its limit
		{1, false, false, 1},
		{50, false, false, 1}, // said once
		{-50, false, false, 1},
		{-1, true, true, 1},
		{-100, true, false, 1}, // nobody waits at an open gate
		{101, false, false, 2},
		{-101, true, true, 2},
	} {
		g.Add(c.add)
		if open, wake := g.Open(), woken(w); open != c.open || wake != c.wake || shut != c.shut {
			t.Errorf("after %+d, at %d: open %v, woken %v, shut %d times; want %+v", c.add, g.Used(), open, wake, shut, c)
		}
	}
}

func TestQueue_OrderAndBound(t *testing.T) {
	small := batchOf("x").bytes()
	shut := 0
	g := NewGate(math.MaxInt64, func() { shut++ })
	producer, consumer := NewWaker(), NewWaker()
	g.Attach([]*Waker{producer})
	q := NewQueue(2*small, g, consumer)
	if _, ok := q.pop(); ok {
		t.Fatal("an empty queue has an item")
	}
	push := func(it item, open bool) {
		t.Helper()
		q.push(it)
		if !woken(consumer) || g.Open() != open {
			t.Errorf("open %v, want %v, or the consumer sleeps", g.Open(), open)
		}
	}
	push(item{kind: itemBatch, batch: batchOf("1")}, true)
	push(item{kind: itemBatch, batch: batchOf("2")}, true)
	push(item{kind: itemMark}, true) // marks take no budget
	push(item{kind: itemBatch, batch: batchOf("3")}, false)
	push(item{kind: itemBatch, batch: batchOf("4")}, false) // and it never refuses
	push(item{kind: itemEnd}, false)
	for i, want := range []struct {
		text string
		open bool
	}{{"1", false}, {"2", true}, {"mark", true}, {"3", true}, {"4", true}, {"end", true}} {
		it, ok := q.pop()
		got := map[itemKind]string{itemMark: "mark", itemEnd: "end"}[it.kind]
		if it.kind == itemBatch {
			got = content(t, it.batch)
		}
		if !ok || got != want.text || g.Open() != want.open || woken(producer) != (want.text == "2") {
			t.Errorf("item %d is %q, the gate open %v; want %+v", i, got, g.Open(), want)
		}
	}
	if _, ok := q.pop(); ok || g.Used() != int64(4*small) {
		t.Errorf("more comes, or %d bytes are counted: they are until the consumer is done", g.Used())
	}
}

func splitOf(id string) epoch.Split { return epoch.Split{Split: plugins.Split{ID: []byte(id)}} }

func TestPool_SplitsAreTakenNotBeforeTheirEpoch(t *testing.T) {
	p := NewPool([]epoch.Split{splitOf("old")}, 10, map[string]record.Position{"new": 5})
	reader := NewWaker()
	p.Attach(NewWaker(), []*Waker{reader})
	take := func(open uint64, want string, cut record.Position, wantEnded bool) {
		t.Helper()
		s, ok, ended := p.take(open)
		if string(s.ID) != want || ok != (want != "") || ok && s.cut != cut || ended != wantEnded {
			t.Errorf("take in %d gives %q with cut %d, %v, ended %v", open, s.ID, s.cut, ok, ended)
		}
	}
	p.add(splitOf("new"), 4)
	if !woken(reader) {
		t.Error("the reader sleeps")
	}
	take(3, "old", -1, false)
	take(3, "", 0, false)
	take(4, "new", 5, false)
	take(4, "", 0, false)
	p.close(5)
	if !woken(reader) {
		t.Error("the reader sleeps")
	}
	take(4, "", 0, false)
	take(5, "", 0, true)
	take(6, "", 0, true)
}

// TestPool_Pauses fills and drains a pool: the enumerator stops above the
// limit and is woken at half of it.
func TestPool_Pauses(t *testing.T) {
	const limit = 2048
	p := NewPool(nil, limit, nil)
	finder := NewWaker()
	p.Attach(finder, nil)
	for i := range limit + 1 {
		if p.full() {
			t.Fatalf("full with %d splits", i)
		}
		p.add(splitOf(string(rune('a'+i%26))), 1)
	}
	for left := limit; left >= 0; left-- {
		if full := p.full(); full != (left == limit) {
			t.Fatalf("full %v with %d splits", full, left+1)
		}
		s, ok, _ := p.take(1)
		if want := string(rune('a' + (limit-left)%26)); !ok || string(s.ID) != want {
			t.Fatalf("took %q, %v; want %q", s.ID, ok, want)
		}
		if w := woken(finder); w != (left == limit/2) {
			t.Fatalf("the enumerator is woken %v with %d splits left", w, left)
		}
	}
}

func TestWaker_ManyWakesAreOne(t *testing.T) {
	w := NewWaker()
	w.Wake()
	w.Wake()
	if err := w.Wait(t.Context()); err != nil {
		t.Error(err)
	}
	if woken(w) {
		t.Error("two wakes are two")
	}
}
