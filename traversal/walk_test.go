package traversal_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/wasmill/wasmill/traversal"
	"github.com/wasmill/wasmill/traversal/fakefs"
)

// collect walks everything below items and returns the paths, each in the
// order of arrival.
func collect(t testing.TB, fsys traversal.FS, items []traversal.Item, o traversal.Options) []string {
	t.Helper()
	var mu sync.Mutex
	var paths []string
	err := traversal.Walk(t.Context(), fsys, items, o, func(_ context.Context, p *traversal.Page) error {
		mu.Lock()
		defer mu.Unlock()
		for _, e := range p.Entries {
			paths = append(paths, traversal.Join(p.Item.Dir, e.Name))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

var root = []traversal.Item{{Dir: traversal.Root}}

// random makes a tree of n entries and returns their paths.
func random(rnd *rand.Rand, n int) (*fakefs.FS, []string) {
	f := fakefs.New()
	dirs := []string{traversal.Root}
	var paths []string
	for i := range n {
		path := traversal.Join(dirs[rnd.IntN(len(dirs))], fmt.Sprintf("%c%d", rune(0x80+rnd.IntN(0x80)), i))
		switch rnd.IntN(4) {
		case 0:
			f.Dir(path)
			dirs = append(dirs, path)
		case 1:
			f.Special(path, traversal.KindSymlink)
		default:
			f.File(path, "x")
		}
		paths = append(paths, path)
	}
	return f, paths
}

func TestWalk_EveryEntryOnceAndEndsExactly(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	for range 100 {
		f, want := random(rnd, rnd.IntN(300))
		slices.Sort(want)
		for _, workers := range []int{1, 2, 8} {
			got := collect(t, f, root, traversal.Options{Workers: workers, Page: 1 + rnd.IntN(20)})
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Fatalf("%d workers: %d entries, want %d", workers, len(got), len(want))
			}
		}
	}
}

// Tiny trees end while workers are still waking: none may be left behind.
func TestWalk_EndsExactlyUnderContention(t *testing.T) {
	f := fakefs.New()
	f.File("a/b/c/d/e", "x")
	f.Dir("a/f")
	for range 5000 {
		if got := collect(t, f, root, traversal.Options{Workers: 8}); len(got) != 6 {
			t.Fatalf("%d entries: %q", len(got), got)
		}
	}
}

func TestWalk_DeliversADirectoryBeforeWhatIsBelow(t *testing.T) {
	f, _ := random(rand.New(rand.NewPCG(1, 1)), 500)
	var mu sync.Mutex
	known := map[string]bool{traversal.Root: true}
	last := map[string]string{}
	err := traversal.Walk(t.Context(), f, root, traversal.Options{Workers: 8, Page: 3}, func(_ context.Context, p *traversal.Page) error {
		mu.Lock()
		defer mu.Unlock()
		if !known[p.Item.Dir] || last[p.Item.Dir] != p.Item.After {
			return fmt.Errorf("page of %q behind %q came too early", p.Item.Dir, p.Item.After)
		}
		for _, d := range p.Dirs {
			known[d] = true
		}
		if p.More {
			last[p.Item.Dir] = p.Next().After
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// A walk stopped after any number of pages goes on from what it had not
// finished: nothing is lost, nothing comes twice.
func TestWalk_Resumes(t *testing.T) {
	f, want := random(rand.New(rand.NewPCG(2, 2)), 60)
	slices.Sort(want)
	stop := errors.New("stop")
	for pages := 0; pages < 80; pages++ {
		var got []string
		var mu sync.Mutex
		todo := map[string]string{traversal.Root: ""}
		n := 0
		err := traversal.Walk(t.Context(), f, root, traversal.Options{Workers: 2, Page: 2}, func(_ context.Context, p *traversal.Page) error {
			mu.Lock()
			defer mu.Unlock()
			if n == pages {
				return stop
			}
			n++
			delete(todo, p.Item.Dir)
			for _, d := range p.Dirs {
				todo[d] = ""
			}
			if p.More {
				todo[p.Item.Dir] = p.Next().After
			}
			for _, e := range p.Entries {
				got = append(got, traversal.Join(p.Item.Dir, e.Name))
			}
			return nil
		})
		if err != nil && !errors.Is(err, stop) {
			t.Fatal(err)
		}
		var items []traversal.Item
		for dir, after := range todo {
			items = append(items, traversal.Item{Dir: dir, After: after})
		}
		got = append(got, collect(t, f, items, traversal.Options{Page: 3})...)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Fatalf("stopped after %d pages: %d entries, want %d", pages, len(got), len(want))
		}
	}
}

func TestWalk_PanicBecomesAnError(t *testing.T) {
	f, _ := random(rand.New(rand.NewPCG(3, 3)), 1000)
	var n atomic.Int64
	err := traversal.Walk(t.Context(), f, root, traversal.Options{Workers: 8, Page: 1}, func(context.Context, *traversal.Page) error {
		if n.Add(1) == 500 {
			panic("boom")
		}
		return nil
	})
	if err == nil || !strings.Contains(err.Error(), "boom") || !strings.Contains(err.Error(), "walk_test.go") {
		t.Errorf("got %v", err)
	}
}

func TestWalk_CancelReleasesABlockedReceiver(t *testing.T) {
	f, _ := random(rand.New(rand.NewPCG(4, 4)), 1000)
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	var after atomic.Bool
	err := traversal.Walk(ctx, f, root, traversal.Options{Workers: 4}, func(ctx context.Context, _ *traversal.Page) error {
		if after.Load() {
			t.Error("called after the return")
		}
		cancel(why)
		<-ctx.Done()
		return ctx.Err()
	})
	after.Store(true)
	if !errors.Is(err, why) {
		t.Errorf("got %v", err)
	}
}

func TestWalk_CountsWhatItMeets(t *testing.T) {
	f := fakefs.New()
	f.File("a", "12")
	f.Special("l", traversal.KindSymlink)
	f.Special("p", traversal.KindOther)
	f.File("denied/x", "")
	f.File("gone/x", "")
	f.File("swapped/x", "")
	f.File("pages/1", "")
	f.File("pages/2", "")
	f.File("pages/3", "")
	f.Hook = func(op fakefs.Op, path string) error {
		switch {
		case op == fakefs.ReadDir && path == "denied", op == fakefs.Stat && path == "a":
			return syscall.EACCES
		case op == fakefs.ReadDir && path == "gone":
			f.Remove("gone")
		case op == fakefs.ReadDir && path == "swapped":
			f.Special("swapped", traversal.KindSymlink)
		}
		return nil
	}
	var c traversal.Counts
	stat := func(dir, _ string, kind traversal.Kind) bool {
		return dir == traversal.Root && kind == traversal.KindFile
	}
	collect(t, f, root, traversal.Options{Workers: 1, Page: 2, Counts: &c, Stat: stat})
	got := fmt.Sprint(c.Files.Load(), c.Symlinks.Load(), c.Others.Load(), c.Vanished.Load(), c.Changed.Load(), c.Unreadable.Load(), c.Exhausted.Load(), c.Dirs.Load())
	if want := "4 1 1 1 1 2 0 5"; got != want {
		t.Errorf("counts %s, want %s", got, want)
	}
}

func TestSelection_KeepsTheSmallestInBoundedMemory(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 5))
	for range 500 {
		n, limit := rnd.IntN(60), 1+rnd.IntN(10)
		after := fmt.Sprintf("%02d", rnd.IntN(40))
		s := traversal.NewSelection(after, limit)
		all := map[string]bool{}
		for range n {
			name := fmt.Sprintf("%02d", rnd.IntN(60))
			s.Add(traversal.Entry{Name: name})
			if name > after {
				all[name] = true
			}
		}
		var want []string
		for name := range all {
			want = append(want, name)
		}
		slices.Sort(want)
		wantMore := len(want) > limit
		want = want[:min(len(want), limit)]
		entries, more := s.Done()
		var got []string
		for _, e := range entries {
			got = append(got, e.Name)
		}
		if !slices.Equal(got, want) || more != wantMore {
			t.Fatalf("got %q %t, want %q %t", got, more, want, wantMore)
		}
	}
}
