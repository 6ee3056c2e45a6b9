package overlay

// cache keeps clean entries: keys with the values that the store has, and
// keys that it is known not to have. There are two generations. Entries are
// added to the young one; a hit in the old one is copied to the young one;
// when the young one is full the old one is dropped and they change roles. So
// eviction costs nothing an entry, and what is used at least once while half
// of the cache fills stays.
//
// An entry of the young generation hides one of the old.
type cache struct {
	limit      int // bytes of a generation, 0 if there is no cache
	young, old *table
	buf        []byte // a key and value that survive turnAndInsert
}

// A generation's refs must not run out, however large the records are.
const maxGeneration = 4 << 30

func newCache(bytes int) cache {
	return cache{limit: min(bytes/2, maxGeneration), young: &table{}, old: &table{}}
}

// get returns the record of key, nil if nothing is known about it.
func (c *cache) get(h uint32, key []byte) []byte {
	if _, r := c.young.find(h, key); r != nil {
		return known(r)
	}
	_, r := c.old.find(h, key)
	if r == nil || recVlen(r) == invalid {
		return nil
	}
	return c.add(h, key, recValue(r))
}

func known(r []byte) []byte {
	if recVlen(r) == invalid {
		return nil
	}
	return r
}

// put notes what the store has for key; a nil value says nothing. An entry
// that would take more than a quarter of a generation is not kept.
func (c *cache) put(h uint32, key, value []byte) {
	if c.limit == 0 {
		return
	}
	if recSize(key, value)+slotCost > c.limit/4 {
		c.drop(h, key)
		return
	}
	slot, r := c.young.find(h, key)
	if r == nil {
		c.add(h, key, value)
		return
	}
	room := int(recRoom(r))
	if len(value) <= room || c.fits(key, value, room/2) {
		c.young.overwrite(slot, r, value)
		return
	}
	c.turnAndInsert(h, key, value)
}

// fits reports whether the young generation has space for a record that gets
// so much more room than its value needs.
func (c *cache) fits(key, value []byte, more int) bool {
	return c.young.bytes()+recSize(key, value)+more+slotCost <= c.limit
}

// add puts in an entry for a key of which the young generation has none.
func (c *cache) add(h uint32, key, value []byte) (r []byte) {
	if !c.fits(key, value, 0) {
		return c.turnAndInsert(h, key, value)
	}
	return c.young.at(c.young.insert(h, 0, key, value))
}

// turnAndInsert makes the young generation the old one and puts the entry into
// an empty one. Key and value may be in the memory that is emptied.
func (c *cache) turnAndInsert(h uint32, key, value []byte) (r []byte) {
	c.buf = append(append(c.buf[:0], key...), value...)
	key = c.buf[:len(key)]
	if value != nil {
		value = c.buf[len(key):]
	}
	c.young, c.old = c.old, c.young
	c.young.reset()
	return c.young.at(c.young.insert(h, 0, key, value))
}

// drop forgets a key.
func (c *cache) drop(h uint32, key []byte) {
	for _, t := range []*table{c.young, c.old} {
		if _, r := t.find(h, key); r != nil {
			setVlen(r, invalid)
		}
	}
}
