package debugdata

// lineTable is the header of a unit's line program, and where it begins.
type lineTable struct {
	lookup     *lookup
	unit       *unit
	dir        []byte // that the compiler ran in
	dirs       [][]byte
	files      []file
	program    *cursor
	perOp      uint64 // bytes of an instruction
	lineBase   int64
	lineRange  uint64
	opcodeBase uint64
	operands   []byte // of the standard opcodes from 1 on
}

// file is a file by the number of its directory.
type file struct {
	name []byte
	dir  uint64
}

// filesMost bounds the files and the directories of a unit.
const filesMost = 1 << 16

// lines reads the header of a unit's line program, nil without one.
func (l *lookup) lines(u *unit, root *entry) *lineTable {
	v := root.get(attrStmtList)
	if v.form == 0 {
		return nil
	}
	c := l.cursor(l.line, v.n)
	size := c.uint(4)
	if c.bad || size > uint64(c.left()) { // also the 64-bit format
		return nil
	}
	c.b = c.b[:c.at+int(size)]
	t := &lineTable{lookup: l, unit: u, dir: l.text(u, root.get(attrCompDir)), program: c}
	version := c.uint(2)
	if version < 2 || version > 5 {
		return nil
	}
	if version == 5 {
		c.bytes(2) // sizes of an address, which set_address has itself, and of a segment
	}
	length := c.uint(4)
	begin := uint64(c.at) + length
	t.perOp = c.uint(1)
	if version >= 4 {
		c.bytes(1) // operations of an instruction: 1
	}
	c.bytes(1) // is_stmt
	t.lineBase = int64(int8(c.uint(1)))
	t.lineRange = c.uint(1)
	t.opcodeBase = c.uint(1)
	if c.bad || t.lineRange == 0 || t.opcodeBase == 0 {
		return nil
	}
	t.operands = c.bytes(t.opcodeBase - 1)
	if version == 5 {
		for _, e := range t.entries() {
			t.dirs = append(t.dirs, e.name)
		}
		t.files = t.entries()
	} else {
		t.oldEntries()
	}
	if c.seek(begin); c.bad {
		return nil
	}
	return t
}

// oldEntries reads directories and files as they are before version 5: number
// 0 is what the unit says itself.
func (t *lineTable) oldEntries() {
	c := t.program
	t.dirs = [][]byte{t.dir}
	for len(t.dirs) < filesMost {
		name := c.text()
		if len(name) == 0 {
			break
		}
		t.dirs = append(t.dirs, name)
	}
	t.files = []file{{}}
	for len(t.files) < filesMost {
		name := c.text()
		if len(name) == 0 {
			break
		}
		t.files = append(t.files, file{name, c.uleb()})
		c.uleb() // time
		c.uleb() // size
	}
}

// entries reads a list of files or directories as version 5 has it, with the
// forms of its entries before them.
func (t *lineTable) entries() []file {
	const contentPath, contentDir = 1, 2
	c := t.program
	format := make([]attr, c.uint(1))
	for i := range format {
		format[i] = attr{name: c.uleb(), form: c.uleb()}
	}
	var list []file
	for n := c.uleb(); n > 0 && len(list) < filesMost && !c.bad && c.work.take(1+len(format)); n-- {
		var f file
		for _, a := range format {
			v := t.unit.value(c, a.form, 0)
			switch a.name {
			case contentPath:
				f.name = t.lookup.text(t.unit, v)
			case contentDir:
				f.dir = v.n
			}
		}
		list = append(list, f)
	}
	return list
}
