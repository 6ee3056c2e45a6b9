package debugdata

// isDead reports whether an address is what linkers write for code that they
// left out: there is no code at 0, the count of the functions is.
func isDead(at uint64) bool {
	return at == 0 || uint32(at) >= 1<<32-2
}

// within reports whether the instruction is in [low, high).
func (l *lookup) within(low, high uint64) bool {
	if l.pc == anywhere {
		return !isDead(low) && low < high
	}
	return !isDead(low) && low <= l.pc && l.pc < high
}

// covers reports whether an entry's code has the instruction.
func (l *lookup) covers(u *unit, e *entry) bool {
	if r := e.get(attrRanges); r.form != 0 {
		if u.version < 5 {
			return l.inRanges(u, r.n)
		}
		at := r.n
		if r.form == formRngListx {
			if at > sectionMost {
				return false
			}
			at = u.rngListsBase + l.cursor(l.rangesLists, u.rngListsBase+4*at).uint(4)
		}
		return l.inRangeList(u, at)
	}
	low, ok := l.address(u, e.get(attrLowPC))
	v := e.get(attrHighPC)
	if !ok || v.form == 0 {
		return false
	}
	high, ok := l.address(u, v)
	if !ok { // a length
		high = low + v.n
	}
	return l.within(low, high)
}

// inRanges looks into a list of .debug_ranges: pairs of addresses from the
// unit's, up to one of zeroes; one with the largest address first has a new
// base.
func (l *lookup) inRanges(u *unit, at uint64) bool {
	c := l.cursor(l.ranges, at)
	base, highest := u.low, uint64(1)<<(8*u.addrSize)-1
	for {
		low, high := c.uint(u.addrSize), c.uint(u.addrSize)
		switch {
		case c.bad || low == 0 && high == 0:
			return false
		case low == highest:
			base = high
		case l.within(base+low, base+high):
			return true
		}
	}
}

// inRangeList looks into a list of .debug_rnglists, which is version 5.
func (l *lookup) inRangeList(u *unit, at uint64) bool {
	c := l.cursor(l.rangesLists, at)
	base := u.low
	for {
		var low, high uint64
		kind := c.uint(1)
		switch kind {
		case 1: // base_addressx
			base, _ = l.addressAt(u, c.uleb())
		case 2: // startx_endx
			low, _ = l.addressAt(u, c.uleb())
			high, _ = l.addressAt(u, c.uleb())
		case 3: // startx_length
			low, _ = l.addressAt(u, c.uleb())
			high = low + c.uleb()
		case 4: // offset_pair
			low = base + c.uleb()
			high = base + c.uleb()
			if isDead(base) && base != 0 {
				low, high = 0, 0
			}
		case 5: // base_address
			base = c.uint(u.addrSize)
		case 6: // start_end
			low, high = c.uint(u.addrSize), c.uint(u.addrSize)
		case 7: // start_length
			low = c.uint(u.addrSize)
			high = low + c.uleb()
		default: // 0 ends the list
			return false
		}
		if c.bad {
			return false
		}
		if l.within(low, high) {
			return true
		}
	}
}
