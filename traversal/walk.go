package traversal

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
)

// DefaultPage is the number of entries in a page unless Options say otherwise.
const DefaultPage = 1 << 16

// Options of a walk. The functions are called from several goroutines.
type Options struct {
	Workers int // goroutines that read; default: twice the CPUs, at most 8
	Page    int // entries of a directory that are read at once, default DefaultPage

	// Enter tells whether the walk goes into a directory below the items it
	// began with. nil: into all.
	Enter func(dir string) bool

	// Stat tells for which entries size, time and mode are wanted. nil: none.
	Stat func(dir, name string, kind Kind) bool

	Counts *Counts // where totals are added; nil: nowhere
}

// Page is a part of a directory in the order of names. It is the receiver's.
type Page struct {
	Item    Item // what was read
	Entries []Entry
	Dirs    []string // paths of the directories among Entries that the walk goes into
	More    bool     // Item.Dir goes on behind the last entry: another page will come
	Err     error    // why the listing is incomplete; then More is false
}

// Next returns the item with which the directory goes on after a page with More.
func (p *Page) Next() Item {
	return Item{Dir: p.Item.Dir, After: p.Entries[len(p.Entries)-1].Name}
}

// Walk reads everything below items and calls deliver for each page, from
// several goroutines at once; while deliver blocks, its worker reads nothing.
// A page is delivered before anything below it is read, and before the next
// page of its directory. What cannot be read is in the pages; Walk itself
// returns ctx's error, deliver's first error, or a panic in one of the
// callbacks made into an error. When it returns, all its goroutines have ended.
func Walk(ctx context.Context, fsys FS, items []Item, o Options, deliver func(context.Context, *Page) error) error {
	if o.Workers <= 0 {
		o.Workers = min(8, 2*runtime.GOMAXPROCS(0))
	}
	if o.Page <= 0 {
		o.Page = DefaultPage
	}
	if o.Counts == nil {
		o.Counts = new(Counts)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	w := &walker{fs: fsys, o: o, deliver: deliver, todo: newFrontier(slices.Clone(items))}
	defer context.AfterFunc(ctx, w.todo.stop)()

	var workers sync.WaitGroup
	for range o.Workers {
		workers.Go(func() {
			if err := w.work(ctx); err != nil {
				cancel(err) // the first one counts
			}
		})
	}
	workers.Wait()
	return context.Cause(ctx)
}

type walker struct {
	fs      FS
	o       Options
	deliver func(context.Context, *Page) error
	todo    *frontier
}

func (w *walker) work(ctx context.Context) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("traversal: panic in a callback of the walk: %v\n%s", p, debug.Stack())
		}
	}()
	for {
		it, ok := w.todo.take()
		if !ok {
			return nil
		}
		p := w.read(ctx, it)
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := w.deliver(ctx, p); err != nil {
			return err
		}
		w.todo.finish(children(p))
	}
}

// read lists one page.
func (w *walker) read(ctx context.Context, it Item) *Page {
	var stat func(string, Kind) bool
	if w.o.Stat != nil {
		stat = func(name string, kind Kind) bool { return w.o.Stat(it.Dir, name, kind) }
	}
	p := &Page{Item: it}
	p.Entries, p.More, p.Err = w.fs.ReadDir(ctx, it.Dir, it.After, w.o.Page, stat)
	if p.Err != nil || len(p.Entries) == 0 {
		p.More = false
	}
	c := w.o.Counts
	for i := range p.Entries {
		e := &p.Entries[i]
		c.entry(e)
		if e.Kind != KindDir {
			continue
		}
		if path := Join(it.Dir, e.Name); w.o.Enter == nil || w.o.Enter(path) {
			p.Dirs = append(p.Dirs, path)
		}
	}
	c.Pages.Add(1)
	if !p.More {
		c.Dirs.Add(1)
	}
	if p.Err != nil {
		c.fault(p.Err)
	}
	return p
}

// children returns what p adds to the frontier: the directory's next page is
// taken last, its first directory first.
func children(p *Page) []Item {
	items := make([]Item, 0, len(p.Dirs)+1)
	if p.More {
		items = append(items, p.Next())
	}
	for _, d := range slices.Backward(p.Dirs) {
		items = append(items, Item{Dir: d})
	}
	return items
}
