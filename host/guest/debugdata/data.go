package debugdata

import (
	"sync"

	"github.com/wasmill/wasmill/host/guest/wasm"
)

// What lookups may read. A step is a number, a string or an entry that needs
// no look inside, some 10 ns.
const (
	lookupWork  = 4 << 20   // steps of one lookup, five to a hundred milliseconds
	moduleWork  = 256 << 20 // steps of all lookups of a module
	sectionMost = 64 << 20  // bytes of a section; larger ones are not read
	keptMost    = 512       // instructions whose places are kept
	textMost    = 1 << 16   // bytes of a string; what is behind a longer one is not read
	pathMost    = 256       // bytes of a path, of which the end is kept
	nameMost    = 128       // bytes of a name, of which the beginning is kept
)

// MaxPlaces is the most places that one instruction has.
const MaxPlaces = 32

// Place is a place in the source.
type Place struct {
	// Function is the name of the function in the source, without what
	// encloses it; "" if unknown.
	Function string

	// File is as the compiler wrote it, without the directory that it ran in
	// if it lies below that. "" if unknown.
	File string

	Line, Column int // from 1; 0 if unknown
}

// Data is the debug data of one module. It is safe for concurrent use.
type Data struct {
	info, abbrev, line                                  []byte
	str, lineStr, strOffsets, addr, ranges, rangesLists []byte

	mu    sync.Mutex
	spare int                // of moduleWork
	kept  map[uint32][]Place // by offset, those without places too
}

// Of returns the debug data of a module, nil if it says nothing about the
// code: tools that change modules often leave it behind without addresses. It
// reads the first entries of compile units until one has code. The module must
// not change.
func Of(m *wasm.Module) *Data {
	section := func(name string) []byte {
		b, _ := m.Custom(name)
		if len(b) > sectionMost {
			return nil
		}
		return b
	}
	d := &Data{
		info: section(".debug_info"), abbrev: section(".debug_abbrev"), line: section(".debug_line"),
		str: section(".debug_str"), lineStr: section(".debug_line_str"), strOffsets: section(".debug_str_offsets"),
		addr: section(".debug_addr"), ranges: section(".debug_ranges"), rangesLists: section(".debug_rnglists"),
		spare: moduleWork, kept: make(map[uint32][]Place),
	}
	if len(d.info) == 0 || len(d.abbrev) == 0 || len(d.line) == 0 {
		return nil
	}
	l := lookup{Data: d, pc: anywhere, work: work{left: lookupWork}}
	if u, _ := l.unit(); u == nil {
		return nil
	}
	return d
}

// Locate returns where the instruction at an offset comes from: where it
// stands and, if that was inlined, where that was, and so on outwards. The
// offset counts from the contents of the code section on. Unknown places are
// missing. The result must not be changed.
func (d *Data) Locate(offset uint32) []Place {
	d.mu.Lock()
	defer d.mu.Unlock()
	if places, ok := d.kept[offset]; ok {
		return places
	}
	l := lookup{Data: d, pc: uint64(offset), work: work{left: min(lookupWork, d.spare)}}
	began := l.left
	places := l.places()
	d.spare -= began - l.left
	if len(d.kept) == keptMost {
		clear(d.kept)
	}
	d.kept[offset] = places
	return places
}

// lookup is the search for one instruction.
type lookup struct {
	*Data
	work
	pc uint64 // or anywhere
}

// anywhere stands for any instruction: what has code at all has it.
const anywhere = 1<<64 - 1

func (l *lookup) places() []Place {
	u, root := l.unit()
	if u == nil {
		return nil
	}
	t := l.lines(u, root)
	if t == nil {
		return nil
	}
	file, line, column := t.row(l.pc)
	if line < 0 {
		return nil
	}
	place := Place{File: t.path(file), Line: line, Column: column}
	var places []Place
	functions := l.functions(u)
	// The innermost is the last: each was called from the one before it.
	for i := len(functions) - 1; i >= 0; i-- {
		in := functions[i]
		place.Function = l.name(u, in)
		if places = append(places, place); in.tag != tagInlined {
			return places
		}
		place = Place{
			File: t.path(in.number(attrCallFile)),
			Line: position(in.number(attrCallLine)), Column: position(in.number(attrCallColumn)),
		}
	}
	return append(places, place)
}

// position returns a line or column, 0 if it cannot be one.
func position(v uint64) int {
	if v > 1<<31-1 {
		return 0
	}
	return int(v)
}
