package out

import (
	"context"
	"maps"
	"slices"
)

// Prepare implements plugins.SinkWriter: everything written so far becomes
// durable, contents first, then the names that lead to them. Without a change
// it returns the last token and touches nothing. What it promises is under its
// name: at the end all open files, before it those that were written to.
func (w *writer) Prepare(ctx context.Context, end bool) ([]byte, error) {
	if w.err != nil {
		return nil, w.err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	tok, err := w.prepare(end)
	if err != nil {
		w.err = err
		return nil, err
	}
	return tok, nil
}

func (w *writer) prepare(end bool) ([]byte, error) {
	if err := w.roll(end); err != nil {
		return nil, err
	}
	if !w.changed && !end {
		return w.token, nil
	}
	dirs := slices.Sorted(maps.Keys(w.parts))
	for _, p := range w.sealed {
		if err := w.settle(p); err != nil {
			return nil, err
		}
	}
	for _, dir := range dirs {
		if p := w.parts[dir]; p.dirty || end {
			if err := w.settle(p); err != nil {
				return nil, err
			}
		}
	}
	if !w.changed {
		return w.token, nil
	}
	if err := w.s.syncDirs(w.newDirs); err != nil {
		return nil, err
	}
	clear(w.newDirs)

	t := token{next: w.next}
	for _, p := range w.sealed {
		t.files = append(t.files, p.describe(true))
	}
	for _, dir := range dirs {
		t.files = append(t.files, w.parts[dir].describe(false))
	}
	w.token = t.append(nil)
	w.promised = len(w.sealed)
	w.changed = false
	return w.token, nil
}

func (p *part) describe(sealed bool) tokenFile {
	return tokenFile{path: p.path, sealed: sealed, length: p.length, opened: p.opened, columns: p.columns}
}

// roll seals the files that are old enough, at the end all.
func (w *writer) roll(end bool) error {
	r := w.s.o.Roll
	if r == nil || !end && r.Every <= 0 || len(w.parts) == 0 {
		return nil
	}
	now := w.s.o.Now().UnixMilli()
	for _, dir := range slices.Sorted(maps.Keys(w.parts)) {
		if p := w.parts[dir]; end || now-p.opened >= r.Every.Milliseconds() {
			if err := w.seal(p); err != nil {
				return err
			}
		}
	}
	return nil
}
