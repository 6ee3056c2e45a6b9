// Package wasmgen makes valid modules at random, for tests that compare two
// ways to run one. A seed is a module; modules use all of core version 2.
//
// Running one always ends: loops count their trips, calls their depth and
// number. What it does shows in the results of its functions, in its memory
// and in its globals, and depends on the arguments alone. Most calls return,
// some trap.
package wasmgen

import (
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/wasmill/wasmill/host/guest/wasm"
)

// Version of the generator: another one makes other modules of the same seeds.
const Version = 1

// What a module may import: a function (i32, i64) -> i64.
const (
	HostModule = "host"
	HostFunc   = "mix"
)

// Where things are in each module.
const (
	tableCalls   = 0 // the inner functions, in order
	tableFuncs   = 1 // any functions
	tableExterns = 2
	passiveElem  = 1 // of element segments
	globalCalls  = 0 // calls that may still be made
	firstGlobal  = 1 // then one of each type, as letters has them
	mask         = 0x7fff
	largeBytes   = 0x240000 // of a passive segment of some modules
	largePages   = 64       // of their memories
)

// gen is a module under construction.
type gen struct {
	rnd      *rand.Rand
	all      []op
	produce  map[byte][]op
	types    []string
	typeAt   map[string]uint32
	imported int      // functions, 0 or 1
	inners   []string // signatures of inner functions
	funcs    []string // signatures of all functions of the module
	passive  []uint32 // data segments
	most     int32    // mask of the lengths of bulk operations
	large    int      // passive data segment of largeBytes, -1 = none
	plain    bool     // no global changes but those of numbers
}

// Module returns the module of a seed. It exports "memory", functions "f0",
// "f1" and so on, whose parameters and results are numbers, and most of its
// mutable globals as "g0" and so on. All that an instance of every fourth seed
// can change are its memory and globals of numbers; of the seeds behind those
// it is one thing more.
func Module(seed uint64) []byte {
	g := &gen{
		rnd: rand.New(rand.NewPCG(seed, Version)), all: catalogue(), typeAt: map[string]uint32{},
		most: 0xfff, large: -1, plain: seed%4 < 2,
	}
	if seed%4 < 2 {
		one := wasm.Op(0)
		if seed%4 == 1 {
			one = elsewhere[seed/4%uint64(len(elsewhere))]
		}
		g.all = slices.DeleteFunc(g.all, func(o op) bool { return o.Op != one && slices.Contains(elsewhere, o.Op) })
	}
	g.produce = producers(g.all)
	return g.module()
}

func (g *gen) n(most int) int  { return g.rnd.IntN(most) }
func (g *gen) one(in int) bool { return g.rnd.IntN(in) == 0 }

func (g *gen) typeOf(sig string) uint32 {
	t, ok := g.typeAt[sig]
	if !ok {
		t = uint32(len(g.types))
		g.types, g.typeAt[sig] = append(g.types, sig), t
	}
	return t
}

func (g *gen) passiveData() uint32 { return g.passive[g.n(len(g.passive))] }

func (g *gen) module() []byte {
	g.imported = g.n(2)
	for range 2 + g.n(4) {
		g.inners = append(g.inners, "i"+g.signature(3))
	}
	g.funcs = append(g.funcs, g.inners...)
	outers := 1 + g.n(3)
	for range outers {
		g.funcs = append(g.funcs, g.numeric())
	}
	starts := g.one(4)
	if starts {
		g.funcs = append(g.funcs, ":")
	}
	pages := uint32(1 + g.n(2))
	if g.one(16) {
		pages, g.most = largePages, 0x1fffff // bulk operations of more than a megabyte
	}
	data, segments := g.data()
	var code []byte
	for i, sig := range g.funcs {
		if i < len(g.inners) {
			code = append(code, g.inner(sig)...)
		} else {
			code = append(code, g.outer(sig)...)
		}
	}

	b := []byte("\x00asm\x01\x00\x00\x00")
	b = g.custom(b, "before")
	imports, importType := []byte(nil), g.typeOf("il:l")
	if g.imported > 0 {
		imports = wasm.AppendU32(append(wasm.AppendName(wasm.AppendName(nil, HostModule), HostFunc), byte(wasm.Func)), importType)
	}
	var funcs []byte
	for _, sig := range g.funcs {
		funcs = wasm.AppendU32(funcs, g.typeOf(sig))
	}
	b = vector(b, wasm.SecType, len(g.types), g.typeSection())
	if g.imported > 0 {
		b = vector(b, wasm.SecImport, 1, imports)
	}
	b = vector(b, wasm.SecFunction, len(g.funcs), funcs)
	b = vector(b, wasm.SecTable, 3, g.tables())
	b = vector(b, wasm.SecMemory, 1, g.limits(nil, pages, 4))
	b = vector(b, wasm.SecGlobal, firstGlobal+len(letters)+1, g.globals())
	n, exports := g.exports(outers)
	b = vector(b, wasm.SecExport, n, exports)
	if starts {
		b = wasm.AppendSection(b, wasm.SecStart, wasm.AppendU32(nil, uint32(g.imported+len(g.funcs)-1)))
	}
	b = vector(b, wasm.SecElement, 4, g.elements())
	b = wasm.AppendSection(b, wasm.SecDataCount, wasm.AppendU32(nil, uint32(segments)))
	b = vector(b, wasm.SecCode, len(g.funcs), code)
	b = vector(b, wasm.SecData, segments, data)
	return g.names(b)
}

// numeric returns the signature of a function that can be called from outside.
func (g *gen) numeric() string {
	s := []byte{':'}
	for range g.n(4) {
		s = append([]byte{letters[g.n(4)]}, s...)
	}
	for range g.n(3) {
		s = append(s, letters[g.n(4)])
	}
	return string(s)
}

func (g *gen) data() (b []byte, n int) {
	n = 2 + g.n(4)
	for i := range n {
		if i == n-1 && g.most > 0xfff {
			g.large = i
			b = wasm.AppendU32(append(b, byte(wasm.Passive)), largeBytes)
			for at := range largeBytes {
				b = append(b, byte(at>>8^at*7))
			}
			continue
		}
		if i == 0 || g.one(2) {
			g.passive = append(g.passive, uint32(i))
			b = append(b, byte(wasm.Passive))
		} else {
			b = append(b, byte(wasm.Active), byte(wasm.OpI32Const))
			b = append(wasm.AppendS64(b, int64(g.n(mask>>(8*g.n(2))))), byte(wasm.OpEnd)) // some overlap
		}
		b = append(b, byte(8+g.n(40)))
		for range b[len(b)-1] {
			b = append(b, byte(g.rnd.Uint32()))
		}
	}
	return b, n
}

// outerName is what the export of outer function i is called.
func outerName(i int) string { return "f" + strconv.Itoa(i) }
