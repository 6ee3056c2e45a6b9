package spectest_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/wasmill/wasmill/host/guest/meter"
	"github.com/wasmill/wasmill/host/guest/wasm"
	"github.com/wasmill/wasmill/host/guest/wasmgen"
)

var (
	seeds = flag.Uint64("seeds", 300, "generated modules that are compared with their rewritten forms")
	first = flag.Uint64("first", 0, "seed of the first of them")
)

// differing are the ways in which a generated module is rewritten.
var differing = []form{
	{"fast", &meter.Options{Form: meter.Fast}, 0},
	{"patient", &meter.Options{Form: meter.Patient}, 0},
	{"patient, every check ticks", &meter.Options{Form: meter.Patient}, 100},
	{"patient, checks tick at random", &meter.Options{Form: meter.Patient}, 40},
	{"counted", &meter.Options{Form: meter.Counted}, 0},
	{"fast, data kept", &meter.Options{Form: meter.Fast, KeepData: true}, 0},
	{"counted, lines", &meter.Options{Form: meter.Counted, Lines: true}, 0},
}

// TestRewritten_DoesWhatTheOriginalDoes calls the functions of generated
// modules, as they are and rewritten: results, traps, memories and globals
// are equal, bit by bit.
func TestRewritten_DoesWhatTheOriginalDoes(t *testing.T) {
	d := newDuel(t)
	if testing.Short() {
		*seeds = min(*seeds, 40)
	}
	for seed := *first; seed < *first+*seeds; seed++ {
		if err := d.fight(seed); err != nil {
			t.Errorf("seed %d (-first %d -seeds 1): %v", seed, seed, err)
		}
	}
	resumed, ticks := 0, 0
	for _, m := range d.others {
		resumed += m.resumed
		if m.eager != nil {
			ticks += m.eager.ticks
		}
	}
	t.Logf("%d calls, of which %d returned; traps: %v; %d instances resumed, %d ticks", d.calls, d.returned, d.traps, resumed, ticks)
	if *seeds >= 300 && (d.returned < d.calls/2 || len(d.traps) < 4 || resumed < int(*seeds) || ticks < d.calls) {
		t.Error("the generated modules return too seldom, trap in too few ways or are resumed too seldom to prove anything")
	}
}

func FuzzDifferential(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		if err := newDuel(t).fight(seed); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	})
}

// duel runs modules on one machine for each form.
type duel struct {
	original *machine
	others   []*machine
	opinion  *machine // the original in the interpreter, where the two differ

	calls, returned int
	traps           map[string]int
}

func newDuel(t *testing.T) *duel {
	d := &duel{traps: map[string]int{}}
	compiler := wazero.NewRuntimeConfig().WithCoreFeatures(api.CoreFeaturesV2)
	d.original = newMachine(t, original, compiler)
	d.opinion = newMachine(t, original, wazero.NewRuntimeConfigInterpreter().WithCoreFeatures(api.CoreFeaturesV2))
	for _, f := range differing {
		d.others = append(d.others, newMachine(t, f, compiler))
	}
	for _, m := range append(d.others, d.original, d.opinion) {
		linkHost(t, m)
	}
	return d
}

// linkHost gives generated modules the function that they import.
func linkHost(t *testing.T, m *machine) {
	t.Helper()
	mix := func(_ context.Context, _ api.Module, stack []uint64) {
		stack[0] = (uint64(api.DecodeU32(stack[0])) + 1) * (stack[1] | 1) * 0x9e3779b97f4a7c15
	}
	_, err := m.rt.NewHostModuleBuilder(wasmgen.HostModule).NewFunctionBuilder().
		WithGoModuleFunction(api.GoModuleFunc(mix), []api.ValueType{api.ValueTypeI32, api.ValueTypeI64}, []api.ValueType{api.ValueTypeI64}).
		Export(wasmgen.HostFunc).Instantiate(m.ctx)
	if err != nil {
		t.Fatal(err)
	}
}

// fight compares all forms of the module of a seed.
func (d *duel) fight(seed uint64) error {
	b := wasmgen.Module(seed)
	want, _, err := d.original.play(b, seed)
	if err != nil {
		return fmt.Errorf("original: %w", err)
	}
	for _, s := range want {
		d.calls++
		if s.end == "" {
			d.returned++
		} else {
			d.traps[s.end]++
		}
	}
	for _, m := range d.others {
		got, used, err := m.play(b, seed)
		if err != nil {
			return fmt.Errorf("%s: %w", m.form.name, err)
		}
		if diff := differ(want, got); diff != nil {
			if known := d.judge(b, seed, want); known != nil {
				return fmt.Errorf("%s: %w (%w)", m.form.name, diff, known)
			}
			return fmt.Errorf("%s: %w", m.form.name, diff)
		}
		if m.form.options.Form == meter.Counted {
			if used == 0 && len(want) > 1 {
				return fmt.Errorf("%s: nothing was counted", m.form.name)
			}
			if _, again, err := m.play(b, seed); err != nil || used != again {
				return fmt.Errorf("%s: %d of fuel in one run, %d in another (%w)", m.form.name, used, again, err)
			}
		}
	}
	return nil
}

// errEngine says that the engine's compiler and its interpreter differ about
// the original, so that the rewriter need not be to blame. They may also
// differ in the bits of a NaN, which is no fault of anybody's.
var errEngine = errors.New("and the engine's compiler and its interpreter differ about the original")

func (d *duel) judge(b []byte, seed uint64, want []state) error {
	third, _, err := d.opinion.play(b, seed)
	if err == nil {
		err = differ(want, third)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errEngine, err)
	}
	return nil
}

// state is what can be seen of an instance behind a call.
type state struct {
	call    string
	end     string // kind of the trap, "" without
	results []uint64
	memory  []byte
	globals []uint64
}

// play makes an instance and calls each of its functions twice. It returns
// what was to be seen after each call, and the fuel that they used.
func (m *machine) play(b []byte, seed uint64) (states []state, used uint64, err error) {
	return m.playWatched(b, seed, nil)
}

// watch runs the module of a seed for coverage.
func (m *machine) watch(seed uint64, seen *coverage) error {
	_, _, err := m.playWatched(wasmgen.Module(seed), seed, seen)
	return err
}

func (m *machine) playWatched(b []byte, seed uint64, seen *coverage) (states []state, used uint64, err error) {
	compiled, r, err := m.compile(b, seen.listen(b))
	if err != nil {
		return nil, 0, err
	}
	defer compiled.Close(m.ctx)
	m.all = nil
	i, err := m.instantiate(compiled, r, "")
	if err != nil { // a start function that traps leaves nothing to look at
		return []state{{call: "start", end: kind(err)}}, 0, nil
	}
	defer i.Close(m.ctx)
	states = append(states, m.look(i, "start", nil, nil))
	used += m.used(i)
	rnd := rand.New(rand.NewPCG(seed, 1))
	for f := 0; i.ExportedFunction("f"+strconv.Itoa(f)) != nil; f++ {
		name := "f" + strconv.Itoa(f)
		for range 2 {
			args := arguments(i.ExportedFunction(name).Definition().ParamTypes(), rnd)
			results, err := m.call(i, name, args...)
			narrow(results, i.ExportedFunction(name).Definition().ResultTypes())
			states = append(states, m.look(i, fmt.Sprintf("%s%x", name, args), results, err))
			used += m.used(i)
		}
		if m.form.options == nil {
			continue
		}
		if want := isWhole(b); r.Whole != want {
			return nil, 0, fmt.Errorf("whole is %t, want %t", r.Whole, want)
		}
		if r.Whole {
			if i, err = m.resume(i, compiled, r); err != nil {
				return nil, 0, err
			}
			defer i.Close(m.ctx)
		}
	}
	return states, used, nil
}

// isWhole reports whether memory and globals of numbers are all that an
// instance of a module can change.
func isWhole(b []byte) bool {
	m, err := wasm.Parse(b, wasm.Caps{})
	if err != nil {
		return false
	}
	for _, g := range m.Globals {
		if g.Mutable && (g.Type == wasm.V128 || g.Type == wasm.FuncRef || g.Type == wasm.ExternRef) {
			return false
		}
	}
	var in wasm.Instr
	for i := range m.Bodies {
		for c := m.Code(&m.Bodies[i]); c.Next(&in); {
			switch in.Op {
			case wasm.OpTableSet, wasm.OpTableGrow, wasm.OpTableFill, wasm.OpTableCopy, wasm.OpTableInit, wasm.OpElemDrop, wasm.OpDataDrop:
				return false
			}
		}
	}
	return true
}

// resume makes an instance that goes on where another is: all that it gets of
// it are its memory and its globals of numbers.
func (m *machine) resume(i *instance, c wazero.CompiledModule, r *meter.Result) (*instance, error) {
	fresh, err := m.instantiate(c, &meter.Result{}, "")
	if err != nil {
		return nil, err
	}
	from, to := i.Memory(), fresh.Memory()
	view, _ := from.Read(0, from.Size())
	if _, ok := to.Grow((from.Size() - to.Size()) >> 16); !ok || !to.Write(0, view) {
		return nil, errors.New("the memory does not grow to the size of the image")
	}
	for _, g := range r.Globals {
		fresh.ExportedGlobal(g.Export).(api.MutableGlobal).Set(i.ExportedGlobal(g.Export).Get())
	}
	m.resumed++
	return fresh, nil
}

// narrow clears what the engine leaves above 32-bit values.
func narrow(values []uint64, types []api.ValueType) {
	for i := range values {
		if types[i] == api.ValueTypeI32 || types[i] == api.ValueTypeF32 {
			values[i] = uint64(uint32(values[i]))
		}
	}
}

func arguments(types []api.ValueType, rnd *rand.Rand) []uint64 {
	args := make([]uint64, len(types))
	for i := range types {
		args[i] = rnd.Uint64() >> rnd.IntN(64)
	}
	narrow(args, types)
	return args
}

func (m *machine) look(i *instance, call string, results []uint64, err error) state {
	s := state{call: call, end: kind(err), results: results}
	mem := i.Memory()
	view, _ := mem.Read(0, mem.Size())
	s.memory = bytes.Clone(view)
	for g := range 9 {
		s.globals = append(s.globals, 0)
		if global := i.ExportedGlobal("g" + strconv.Itoa(g)); global != nil && global.Type() != api.ValueTypeExternref && global.Type() != funcref {
			s.globals[g] = global.Get()
		}
	}
	return s
}

const funcref = api.ValueType(0x70) // references to functions are addresses of the instance

func (m *machine) used(i *instance) uint64 {
	if i.fuel == nil {
		return 0
	}
	return fuel - i.fuel.Get()
}

// differ says where two runs of a module differ first.
func differ(want, got []state) error {
	if len(got) != len(want) {
		return fmt.Errorf("%d calls, the original %d", len(got), len(want))
	}
	for n, w := range want {
		g := got[n]
		switch {
		case g.end != w.end:
			return fmt.Errorf("%s ends with %q, the original with %q", w.call, g.end, w.end)
		case !slices.Equal(g.results, w.results):
			return fmt.Errorf("%s gives %#x, the original %#x", w.call, g.results, w.results)
		case !slices.Equal(g.globals, w.globals):
			return fmt.Errorf("after %s the globals are %#x, the original's %#x", w.call, g.globals, w.globals)
		case len(g.memory) != len(w.memory):
			return fmt.Errorf("after %s the memory has %d bytes, the original's %d", w.call, len(g.memory), len(w.memory))
		}
		for at := 0; at < len(w.memory); at += 8 {
			if g, w := g.memory[at:at+8], w.memory[at:at+8]; !bytes.Equal(g, w) {
				return fmt.Errorf("after %s memory at %#x is %#x, the original's %#x", want[n].call, at, binary.LittleEndian.Uint64(g), binary.LittleEndian.Uint64(w))
			}
		}
	}
	return nil
}
