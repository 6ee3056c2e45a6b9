package debugdata

// The tags that are looked at.
const (
	tagInlined    = 0x1d
	tagSubprogram = 0x2e
)

// Bounds on attributes; compilers write up to thirty an abbreviation, and some
// hundred abbreviations a unit.
const (
	attrsMost = 512     // of one abbreviation
	tableMost = 1 << 16 // of all of a unit
)

// abbrev is the shape of entries.
type abbrev struct {
	code, tag uint64
	children  bool
	attrs     []attr
	size      int // of every such entry in bytes, -1 if they differ
}

type attr struct {
	name, form uint64
	implicit   int64 // the value, of formImplicitConst
}

// next reads an abbreviation; false at the table's end.
func (u *unit) next(c *cursor) (a abbrev, ok bool) {
	if a.code = c.uleb(); a.code == 0 {
		return a, false
	}
	a.tag = c.uleb()
	a.children = c.uint(1) != 0
	for !c.bad && len(a.attrs) < attrsMost {
		t := attr{name: c.uleb(), form: c.uleb()}
		if t.form == formImplicitConst {
			t.implicit = c.sleb()
		}
		if t.name == 0 && t.form == 0 {
			return a, !c.bad
		}
		a.attrs = append(a.attrs, t)
		if size := u.fixedSize(t.form); size < 0 || a.size < 0 {
			a.size = -1
		} else {
			a.size += size
		}
	}
	return a, false
}

// abbreviation looks one abbreviation up.
func (l *lookup) abbreviation(u *unit, code uint64) (abbrev, bool) {
	c := l.cursor(l.abbrev, u.abbrevAt)
	for {
		a, ok := u.next(c)
		if !ok || a.code == code {
			return a, ok
		}
	}
}

// table reads all abbreviations of a unit, by their codes from 1 on, as
// compilers number them. It ends at the first that is numbered otherwise.
func (l *lookup) table(u *unit) []abbrev {
	if u.abbrevs != nil {
		return u.abbrevs
	}
	c := l.cursor(l.abbrev, u.abbrevAt)
	u.abbrevs = []abbrev{}
	for attrs := 0; ; {
		a, ok := u.next(c)
		if attrs += len(a.attrs) + 1; !ok || attrs > tableMost || a.code != uint64(len(u.abbrevs)+1) {
			return u.abbrevs
		}
		u.abbrevs = append(u.abbrevs, a)
	}
}

// entry is one entry with all its values.
type entry struct {
	*abbrev
	values []value
}

// entry reads the entry behind its code, nil if it is cut off.
func (u *unit) entry(c *cursor, a *abbrev) *entry {
	e := &entry{abbrev: a}
	if !u.fill(e, c) {
		return nil
	}
	return e
}

// fill reads the values of an entry into it.
func (u *unit) fill(e *entry, c *cursor) bool {
	e.values = e.values[:0]
	for i := range e.attrs {
		if !c.work.take(1) {
			return false
		}
		e.values = append(e.values, u.value(c, e.attrs[i].form, e.attrs[i].implicit))
		if c.bad {
			return false
		}
	}
	return true
}

// skip leaves an entry out.
func (u *unit) skip(c *cursor, a *abbrev) {
	if a.size >= 0 {
		c.bytes(uint64(a.size))
		return
	}
	for i := range a.attrs {
		if u.value(c, a.attrs[i].form, 0); c.bad || !c.work.take(1) {
			return
		}
	}
}

// get returns the value of an attribute.
func (e *entry) get(name uint64) value {
	for i := range e.values {
		if e.attrs[i].name == name {
			return e.values[i]
		}
	}
	return value{}
}
