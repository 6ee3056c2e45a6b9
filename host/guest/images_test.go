package guest_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/wasmill/wasmill/abi"
	"github.com/wasmill/wasmill/host/guest"
	wt "github.com/wasmill/wasmill/host/guest/wasmtest"
)

// Where a remembering guest keeps what it shows of itself: 64 bytes, of which
// init writes the first 32 and each batch the others.
const shown = wt.ProbeData

// remembering is a guest with state of every kind behind init, which says
// "init" to the log, takes some milliseconds, and has a page that grew, random
// bytes, clocks, a metric and a global. A batch counts in the global and in
// memory, adds to the metric, and shows it all as the message of a fail. What
// the guest is told when it goes on from an image, it logs, and then does
// resumed.
type remembering struct {
	metric  string
	resumed []byte // code behind the log line; it leaves a status
	change  func(*wt.Module)
	init    []byte // at the end of init
}

func (r remembering) wasm() []byte {
	const saying, metric = 512, 520
	if r.metric == "" {
		r.metric = "seen"
	}
	if r.resumed == nil {
		r.resumed = wt.Const(abi.ENOSYS.Status())
	}
	var random, clock, define, add uint32
	var im wt.Imports
	wasm := wt.StepWith(func(m *wt.Module, i wt.Imports) {
		im = i
		random = m.Import("wasi_snapshot_preview1", "random_get", "ii", "i")
		clock = m.Import("wasi_snapshot_preview1", "clock_time_get", "ili", "i")
		define = m.Import(abi.ImportModule, "metric_define", "iii", "i")
		add = m.Import(abi.ImportModule, "metric_add", "il", "i")
		m.Data(saying, []byte("init"))
		m.Data(metric, []byte(r.metric))
		if r.change != nil {
			r.change(m)
		}
		m.ExportFunc(abi.ExportInit, "ii", "i", "i",
			wt.Const(1), wt.Const(saying), wt.Const(4), wt.Call(im.Log), wt.Drop,
			wt.Const(2), wt.MemoryGrow, wt.Drop,
			wt.Const(3<<16-4), wt.Const(4242), wt.Store(0),
			wt.Const(shown), wt.Const(8), wt.Call(random), wt.Drop,
			wt.Const(0), wt.Const64(1), wt.Const(shown+8), wt.Call(clock), wt.Drop,
			wt.Const(1), wt.Const64(1), wt.Const(shown+16), wt.Call(clock), wt.Drop,
			wt.Const(0), wt.Const(0), wt.Const(metric), wt.Const(int32(len(r.metric))), wt.Call(define), wt.Store(shown+24),
			wt.Const(0), wt.Const(100), wt.Store(shown+28),
			wt.Const(1000), setGlobal,
			wt.Loop, // ten million times around
			wt.Get(2), wt.Const(1), wt.Add, wt.Set(2),
			wt.Get(2), wt.Const(10_000_000), wt.Ne, wt.BrIf(0), wt.End,
			r.init, wt.Const(0),
		)
		m.ExportFunc(abi.ExportProcess, "iii", "i", "",
			wt.Get(wt.Op), wt.Const(int32(abi.OpResumed)), wt.Eq, wt.If,
			wt.Const(1), wt.Get(wt.Ptr), wt.Get(wt.Len), wt.Call(im.Log), wt.Drop, r.resumed, wt.Return, wt.End,
			getGlobal, wt.Const(1), wt.Add, setGlobal,
			wt.Const(0), wt.Const(0), wt.Load(shown+28), wt.Const(1), wt.Add, wt.Store(shown+28),
			wt.Const(0), getGlobal, wt.Store(shown+32),
			wt.Const(0), wt.MemorySize, wt.Store(shown+36),
			wt.Const(0), wt.Const(3<<16-4), wt.Load(0), wt.Store(shown+40),
			wt.Const(shown+44), wt.Const(4), wt.Call(random), wt.Drop,
			wt.Const(0), wt.Const64(1), wt.Const(shown+48), wt.Call(clock), wt.Drop,
			wt.Const(1), wt.Const64(1), wt.Const(shown+56), wt.Call(clock), wt.Drop,
			wt.Const(0), wt.Load(shown+24), wt.Const64(1), wt.Call(add), wt.Drop,
			wt.Const(0), wt.Const(0), wt.Const(shown), wt.Const(64), wt.Call(im.Fail),
		)
	}, func(wt.Imports) []byte { return nil })
	return before(wasm, 7, 6, []byte{1, 0x7f, 1, 0x41, 0, 0x0b}) // one i32 that can be set, 0
}

var getGlobal, setGlobal = []byte{0x23, 0}, []byte{0x24, 0}

// before puts a section before another one.
func before(wasm []byte, section, id byte, body []byte) []byte {
	at := 8
	for wasm[at] != section {
		n, i := 0, 1
		for ; wasm[at+i]&0x80 != 0; i++ {
			n |= int(wasm[at+i]&0x7f) << (7 * (i - 1))
		}
		n |= int(wasm[at+i]) << (7 * (i - 1))
		at += i + 1 + n
	}
	return slices.Concat(wasm[:at], binary.AppendUvarint([]byte{id}, uint64(len(body))), body, wasm[at:])
}

// meters is a host whose metrics have handles by name, in order.
type meters struct {
	calls
	names []string
	added map[uint32]int64
}

func (m *meters) MetricDefine(_ guest.MetricKind, name []byte) (uint32, abi.Errno) {
	i := slices.Index(m.names, string(name))
	if i < 0 {
		i = len(m.names)
		m.names = append(m.names, string(name))
	}
	return uint32(i), abi.OK
}

func (m *meters) MetricAdd(handle uint32, delta int64) abi.Errno {
	if m.added == nil {
		m.added = map[uint32]int64{}
	}
	m.added[handle] += delta
	return abi.OK
}

// seen is what an instance has shown, by batch.
func (m *meters) seen() (s []string) {
	for _, f := range m.fails {
		s = append(s, fmt.Sprintf("% x", f.message))
	}
	return s
}

// fresh reports whether init has run.
func (m *meters) fresh() bool { return slices.Contains(m.lines, "init") }

// seed is what the guest was told when it went on.
func (m *meters) seed(t *testing.T) string {
	t.Helper()
	if len(m.lines) == 0 || len(m.lines[len(m.lines)-1]) != 32 {
		t.Fatalf("lines %q: the last is no seed of 32 bytes", m.lines)
	}
	return m.lines[len(m.lines)-1]
}

// live makes an instance, gives it three batches and closes it.
func live(t *testing.T, m guest.Module, config guest.Init, c *meters) *meters {
	t.Helper()
	in, err := m.Instantiate(t.Context(), config, c)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []string{"a", "b", "c"} {
		run(t, in, batch(v))
	}
	if err := in.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	return c
}

func compiled(t *testing.T, e *guest.Engine, wasm []byte) guest.Module {
	t.Helper()
	m, err := e.Compile(t.Context(), wasm, "m")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// journal is a log that a test reads.
type journal struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.b.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.b.String()
}

// onDisk runs f with an engine over dir and returns what the engine logged.
func onDisk(t *testing.T, dir string, f func(e *guest.Engine)) string {
	t.Helper()
	j, tenant := &journal{}, guest.NewTenant(guest.TenantOptions{Name: "t"})
	defer tenant.Close()
	e, err := guest.NewEngine(t.Context(), guest.EngineOptions{CacheDir: dir, Tenant: tenant, Log: slog.New(slog.NewTextHandler(j, nil))})
	if err != nil {
		t.Fatal(err)
	}
	f(e)
	if n := tenant.MemoryBytes(); n != 0 {
		t.Errorf("%d bytes are charged though all instances are closed", n)
	}
	if err := e.Close(context.WithoutCancel(t.Context())); err != nil {
		t.Error(err)
	}
	return j.String()
}

// imagesIn returns the files of images below dir.
func imagesIn(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "images", "*.image"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// Whatever an instance goes on from, it does what one does that starts afresh.
func TestInstantiate_FromAnImageIsAsAfresh(t *testing.T) {
	wasm := remembering{}.wasm()
	dir := filepath.Join(t.TempDir(), "cache")
	var want *meters
	same := func(how string, c *meters) {
		t.Helper()
		if c.fresh() {
			t.Errorf("%s: init has run", how)
		}
		if got, want := c.seen(), want.seen(); !slices.Equal(got, want) {
			t.Errorf("%s: it shows\n%s\nwant\n%s", how, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if c.seed(t) != want.seed(t) || fmt.Sprint(c.names, c.added) != fmt.Sprint(want.names, want.added) {
			t.Errorf("%s: seed % x, metrics %q, %v", how, c.seed(t), c.names, c.added)
		}
	}
	if log := onDisk(t, dir, func(e *guest.Engine) {
		m := compiled(t, e, wasm)
		want = live(t, m, guest.Init{}, &meters{})
		if !want.fresh() || fmt.Sprint(want.added) != "map[0:3]" || want.seen()[0] == want.seen()[1] {
			t.Fatalf("the guest does not do what it is for: lines %q, metrics %v, shown %q", want.lines, want.added, want.seen())
		}
		for range 2 {
			same("memory", live(t, m, guest.Init{}, &meters{}))
		}
		for name, r := range map[string]guest.Run{"patient": {Patient: true}, "counted": {Fuel: 1e9}} {
			same(name, live(t, m, guest.Init{Run: r}, &meters{}))
		}
	}); log != "" {
		t.Errorf("log %s", log)
	}
	if n := len(imagesIn(t, dir)); n != 1 {
		t.Fatalf("%d images on disk, want 1", n)
	}
	for range 2 {
		if log := onDisk(t, dir, func(e *guest.Engine) {
			same("disk", live(t, compiled(t, e, wasm), guest.Init{}, &meters{}))
		}); log != "" {
			t.Errorf("log %s", log)
		}
	}
}

// An image is used for what it was taken of and for nothing else.
func TestInstantiate_AnImageIsOfOneBeginning(t *testing.T) {
	e := engine(t, guest.EngineOptions{})
	a, b := remembering{}.wasm(), remembering{init: wt.Code(wt.Const(1), setGlobal)}.wasm()
	seeds := map[string]bool{}
	for _, test := range []struct {
		name   string
		wasm   []byte
		config guest.Init
	}{
		{"first", a, guest.Init{}},
		{"another module", b, guest.Init{}},
		{"another config", a, guest.Init{Config: map[string]int{"a": 1}}},
		{"another config still", a, guest.Init{Config: map[string]int{"a": 2}}},
		{"another task", a, guest.Init{Task: 1}},
		{"another tenant", a, guest.Init{Tenant: "t"}},
		{"another memory limit", a, guest.Init{Limits: guest.Limits{Memory: 1 << 20}}},
		{"another limit of a record", a, guest.Init{Limits: guest.Limits{Record: 1000}}},
	} {
		m := compiled(t, e, test.wasm)
		one, two := live(t, m, test.config, &meters{}), live(t, m, test.config, &meters{})
		if !one.fresh() || two.fresh() {
			t.Errorf("%s: afresh %v and again %v, want true and false", test.name, one.fresh(), two.fresh())
		}
		if one.seed(t) != two.seed(t) {
			t.Errorf("%s: equal instances got other seeds", test.name)
		}
		seeds[one.seed(t)] = true
	}
	if len(seeds) != 7 { // the second module has the config of the first
		t.Errorf("%d seeds, want one for each config", len(seeds))
	}
}

func TestInstantiate_WhatTheGuestMakesOfResumed(t *testing.T) {
	tenant := guest.NewTenant(guest.TenantOptions{Name: "t"})
	t.Cleanup(tenant.Close)
	e := engine(t, guest.EngineOptions{Tenant: tenant})
	for _, test := range []struct {
		name    string
		resumed []byte
		want    string
	}{
		{"does not know it", wt.Const(abi.ENOSYS.Status()), ""},
		{"takes the seed", wt.Const(0), ""},
		{"traps", wt.Unreachable, "init in wasmill_process: going on from an image: unreachable"},
		{"fails", wt.Const(abi.EIO.Status()), "init: going on from an image: it returned"},
		{"answers as for end", wt.Const(1), "init: going on from an image: it returned 1 for resumed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := compiled(t, e, remembering{resumed: test.resumed}.wasm())
			for range 2 { // afresh, and from the image
				if test.want == "" {
					live(t, m, guest.Init{}, &meters{})
					continue
				}
				in, err := m.Instantiate(t.Context(), guest.Init{}, &meters{})
				var tr *guest.Trap
				ok := errors.As(err, &tr)
				if in != nil || !ok || tr.Kind != guest.TrapInit || !strings.HasPrefix(err.Error(), test.want) {
					t.Errorf("error %v, want %q", err, test.want)
				}
			}
		})
	}
	if n := tenant.MemoryBytes(); n != 0 {
		t.Errorf("%d bytes are charged", n)
	}
}

// What an image would not hold starts afresh each time.
func TestInstantiate_WithoutAnImage(t *testing.T) {
	table := remembering{init: wt.Code(wt.Const(0), []byte{0xd0, 0x70, 0x26, 0})}.wasm() // ref.null func, table.set 0
	table = before(table, 5, 4, []byte{1, 0x70, 0, 1})                                   // one of funcref
	e := engine(t, guest.EngineOptions{})
	m := compiled(t, e, table)
	slowly := guest.Init{Run: guest.Run{Patient: true}} // what takes long is not begun twice
	one, two := live(t, m, slowly, &meters{}), live(t, m, slowly, &meters{})
	if !one.fresh() || !two.fresh() || !slices.Equal(one.seen(), two.seen()) || len(two.lines) != 1 {
		t.Errorf("lines %q and %q", one.lines, two.lines)
	}

	// Metrics that init was given under other numbers than it will be.
	m = compiled(t, e, remembering{}.wasm())
	one = live(t, m, guest.Init{}, &meters{names: []string{"other"}})
	if two = live(t, m, guest.Init{}, &meters{}); !one.fresh() || !two.fresh() || one.added[1] != 3 || two.added[0] != 3 {
		t.Errorf("lines %q and %q, metrics %v and %v", one.lines, two.lines, one.added, two.added)
	}
}

// An image whose metrics have other numbers here does not do.
func TestInstantiate_MetricsThatDoNotFit(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	log := onDisk(t, dir, func(e *guest.Engine) {
		m := compiled(t, e, remembering{}.wasm())
		live(t, m, guest.Init{}, &meters{})
		if c := live(t, m, guest.Init{}, &meters{names: []string{"other"}}); !c.fresh() || c.added[1] != 3 {
			t.Errorf("lines %q, metrics %v", c.lines, c.added)
		}
	})
	if !strings.Contains(log, "metric seen, number 0 of the image, is number 1 here") {
		t.Errorf("log %s", log)
	}
}

func TestInstantiate_ADamagedImageIsReplaced(t *testing.T) {
	wasm := remembering{}.wasm()
	dir := filepath.Join(t.TempDir(), "cache")
	begin := func() (c *meters, log string) {
		log = onDisk(t, dir, func(e *guest.Engine) { c = live(t, compiled(t, e, wasm), guest.Init{}, &meters{}) })
		return c, log
	}
	want, _ := begin()
	path := imagesIn(t, dir)[0]
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, damage := range map[string]func([]byte) []byte{
		"header": func(b []byte) []byte { b[9] ^= 1; return b },
		"memory": func(b []byte) []byte { b[len(b)-1] ^= 1; return b },
		"half":   func(b []byte) []byte { return b[:len(b)/2] },
		"empty":  func([]byte) []byte { return nil },
	} {
		if err := os.WriteFile(path, damage(bytes.Clone(good)), 0o600); err != nil {
			t.Fatal(err)
		}
		c, log := begin()
		if !c.fresh() || !slices.Equal(c.seen(), want.seen()) {
			t.Errorf("%s: lines %q", name, c.lines)
		}
		if strings.Count(log, "\n") != 1 || !strings.Contains(log, "an image is made again") || !strings.Contains(log, "the file is damaged") || !strings.Contains(log, path) {
			t.Errorf("%s: log %s", name, log)
		}
		if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, good) {
			t.Errorf("%s: the image was not made again: %v", name, err)
		}
		if c, log := begin(); c.fresh() || log != "" {
			t.Errorf("%s: the new one is not used: log %s", name, log)
		}
	}
}

// More beginnings than images are kept for, from several goroutines at once.
func TestInstantiate_ManyImagesAtOnce(t *testing.T) {
	wasm := remembering{}.wasm()
	dir := filepath.Join(t.TempDir(), "cache")
	if log := onDisk(t, dir, func(e *guest.Engine) {
		m := compiled(t, e, wasm)
		want := live(t, m, guest.Init{Task: -1}, &meters{}).seen()
		var wg sync.WaitGroup
		for worker := range 4 {
			wg.Go(func() {
				for i := range 40 {
					c := &meters{}
					in, err := m.Instantiate(t.Context(), guest.Init{Task: (i + worker*7) % 70}, c)
					if err != nil {
						t.Error(err)
						return
					}
					if status, err := in.Batch(t.Context(), batch("a")); err != nil || status != abi.OK || c.seen()[0] != want[0] {
						t.Errorf("status %v, error %v, shown %q", status, err, c.seen())
					}
					if err := in.Close(t.Context()); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
	}); log != "" {
		t.Errorf("log %s", log)
	}
}
