package traversal

import "sync"

// Item is a part of the tree that waits to be walked: what comes behind the
// name After in the directory Dir, and all below that. A walk that stopped
// goes on from the items it had not finished.
type Item struct {
	Dir   string
	After string // "" = from the start
}

// frontier holds the items that nobody walks yet. The newest is taken first,
// so the walk goes down before it goes wide and the frontier stays small. The
// walk is over when no item is unfinished: an item counts from its push to
// its finish, and its children are pushed in the same step as it finishes.
type frontier struct {
	mu         sync.Mutex
	wake       sync.Cond // mu; items, unfinished or stopped changed
	items      []Item
	unfinished int
	stopped    bool
}

func newFrontier(items []Item) *frontier {
	f := &frontier{items: items, unfinished: len(items)}
	f.wake.L = &f.mu
	return f
}

// take blocks until there is an item and returns it, or false when the walk
// is over or stopped.
func (f *frontier) take() (Item, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for len(f.items) == 0 && f.unfinished > 0 && !f.stopped {
		f.wake.Wait()
	}
	if f.stopped || len(f.items) == 0 {
		return Item{}, false
	}
	last := len(f.items) - 1
	it := f.items[last]
	f.items[last] = Item{}
	f.items = f.items[:last]
	return it, true
}

// finish ends an item that was taken and adds its children, the last of
// which is taken first.
func (f *frontier) finish(children []Item) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.items = append(f.items, children...)
	f.unfinished += len(children) - 1
	switch {
	case f.unfinished == 0 || len(children) > 1:
		f.wake.Broadcast()
	case len(children) == 1:
		f.wake.Signal()
	}
}

// stop makes every take return false.
func (f *frontier) stop() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stopped = true
	f.wake.Broadcast()
}
