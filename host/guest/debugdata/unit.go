package debugdata

// unit is a compile unit.
type unit struct {
	at, end  uint64 // in .debug_info, header included
	root     uint64 // of its first entry
	version  uint64
	addrSize int
	abbrevAt uint64
	abbrevs  []abbrev // of all its entries, nil until asked for

	low            uint64 // of its code, where its ranges count from
	strOffsetsBase uint64
	addrBase       uint64
	rngListsBase   uint64
}

// unit returns the compile unit that the instruction belongs to, and its
// first entry.
func (l *lookup) unit() (*unit, *entry) {
	for at := uint64(0); ; {
		u, next := l.header(at)
		if next == 0 {
			return nil, nil
		}
		if at = next; u == nil {
			continue
		}
		if root := l.root(u); root != nil && l.covers(u, root) {
			return u, root
		}
	}
}

// unitWork is what a unit costs beside what is read of it, in steps.
const unitWork = 32

// header reads the header at an offset. next is where the next unit begins, 0
// behind the last one; u is nil if the unit is not one of code.
func (l *lookup) header(at uint64) (u *unit, next uint64) {
	c := l.cursor(l.info, at)
	size := c.uint(4)
	next = at + 4 + size
	if c.bad || next > uint64(len(l.info)) || !l.take(unitWork) { // also the 64-bit format
		return nil, 0
	}
	u = &unit{at: at, end: next, version: c.uint(2)}
	switch {
	case u.version >= 2 && u.version <= 4:
		u.abbrevAt = c.uint(4)
		u.addrSize = int(c.uint(1))
	case u.version == 5:
		kind := c.uint(1)
		u.addrSize = int(c.uint(1))
		u.abbrevAt = c.uint(4)
		if kind != 1 && kind != 3 { // compile and partial units
			return nil, next
		}
	default:
		return nil, next
	}
	u.root = uint64(c.at)
	if c.bad || u.root > u.end || u.addrSize != 4 && u.addrSize != 8 {
		return nil, next
	}
	return u, next
}

// root reads the unit's first entry, by its abbreviation alone, and what of
// it the reading of others needs.
func (l *lookup) root(u *unit) *entry {
	c := l.cursor(l.info[:u.end], u.root)
	code := c.uleb()
	a, ok := l.abbreviation(u, code)
	if c.bad || code == 0 || !ok {
		return nil
	}
	e := u.entry(c, &a)
	if e == nil {
		return nil
	}
	if u.version >= 5 { // where the tables begin behind their headers
		u.strOffsetsBase, u.addrBase, u.rngListsBase = 8, 8, 12
	}
	for attr, base := range map[uint64]*uint64{attrStrOffsetsBase: &u.strOffsetsBase, attrAddrBase: &u.addrBase, attrRngListsBase: &u.rngListsBase} {
		if v := e.get(attr); v.form != 0 {
			*base = v.n
		}
	}
	u.low, _ = l.address(u, e.get(attrLowPC))
	return e
}

// unitAt returns the unit that an offset of .debug_info is in, nil without one.
func (l *lookup) unitAt(at uint64) *unit {
	for begin := uint64(0); ; {
		u, next := l.header(begin)
		if next == 0 {
			return nil
		}
		if at < next {
			return u
		}
		begin = next
	}
}
