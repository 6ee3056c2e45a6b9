package quickjs_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/wasmill/wasmill/host/guest/internal/cachedir"
	"github.com/wasmill/wasmill/host/guest/quickjs"
)

// sdk is what the SDK does for a step, in short.
const sdk = `
class Reject extends Error {
  constructor(text, code = 0) { super(text); this.name = "Reject"; this.code = code; }
}
class CallError extends Reject {
  constructor(call, on, errno) { super(call + " " + on + ": errno " + errno); this.errno = errno; }
}
const w = globalThis.__wasmill;
Object.assign(w, { Reject, CallError });
`

const initJSON = `{"abi_minor":1,"tenant":"acme","job":"conform","step":"step","task":2,"partitions":3,
"config":{"a":[1,2]},"inputs":["in"],"outputs":["main","left"],"stores":["state"],"lookups":[],
"limits":{"memory":67108864,"record":1048576,"batch":4194304,"emit":16777216,"key":4096,"state_value":1048576,"log_rate":65536}}`

// instance is an engine with a step under wazero alone, and the host of it:
// what payloads the real one never writes can be tried here.
type instance struct {
	t     testing.TB
	m     api.Module
	state map[string]string

	frames [][]byte // emitted
	fails  []string // "index code text"
	logs   []string // "level text"
	token  []byte

	// answer, if not nil, replies to state_scan and state_get_many.
	answer func(request string) string
}

// start makes an instance of the step and calls its init, whose status it
// returns.
func start(t testing.TB, step string, files ...string) (*instance, int32) {
	t.Helper()
	ctx := context.Background()
	dir, err := cachedir.Make("", "corpus-compiled") // compiling takes half a second, with -race five
	if err != nil {
		t.Fatal(err)
	}
	cache, err := wazero.NewCompilationCacheWithDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().WithCompilationCache(cache))
	t.Cleanup(func() {
		if err := errors.Join(r.Close(ctx), cache.Close(ctx)); err != nil {
			t.Error(err)
		}
	})
	wasi_snapshot_preview1.MustInstantiate(ctx, r)
	in := &instance{t: t, state: map[string]string{}}
	if err := in.link(ctx, r); err != nil {
		t.Fatal(err)
	}
	app := fstest.MapFS{"step.js": {Data: []byte(step)}}
	for i := 0; i < len(files); i += 2 {
		app[files[i]] = &fstest.MapFile{Data: []byte(files[i+1])}
	}
	m, err := r.InstantiateWithConfig(ctx, quickjs.Engine(), wazero.NewModuleConfig().
		WithFSConfig(wazero.NewFSConfig().WithFSMount(app, "/app")).WithStartFunctions("_initialize"))
	if err != nil {
		t.Fatal(err)
	}
	in.m = m
	return in, in.call("wasmill_init", []byte(initJSON))
}

func (in *instance) call(name string, payload []byte, before ...uint64) int32 {
	in.t.Helper()
	ctx := context.Background()
	at, err := in.m.ExportedFunction("wasmill_alloc").Call(ctx, uint64(len(payload)))
	if err != nil || at[0] == 0 || at[0]%8 != 0 {
		in.t.Fatal(at, err)
	}
	if !in.m.Memory().Write(uint32(at[0]), payload) {
		in.t.Fatal("wasmill_alloc gave an address outside of the memory")
	}
	status, err := in.m.ExportedFunction(name).Call(ctx, append(before, at[0], uint64(len(payload)))...)
	if err != nil {
		in.t.Fatal(err)
	}
	return int32(status[0])
}

func (in *instance) process(op uint64, payload []byte) int32 {
	in.t.Helper()
	in.frames, in.fails = nil, nil
	return in.call("wasmill_process", payload, op)
}

// link gives the engine its host functions.
func (in *instance) link(ctx context.Context, r wazero.Runtime) error {
	b := r.NewHostModuleBuilder("wasmill_v1")
	export := func(name string, fn any) { b.NewFunctionBuilder().WithFunc(fn).Export(name) }
	text := func(m api.Module, at, n uint32) string {
		p, ok := m.Memory().Read(at, n)
		if !ok {
			panic("an address outside of the memory")
		}
		return string(p)
	}
	reply := func(m api.Module, s string, buf, room uint32) int32 {
		if len(s) <= int(room) && !m.Memory().WriteString(buf, s) {
			panic("an address outside of the memory")
		}
		return int32(len(s))
	}
	export("emit", func(_ context.Context, m api.Module, at, n uint32) int32 {
		in.frames = append(in.frames, []byte(text(m, at, n)))
		return 0
	})
	export("fail", func(_ context.Context, m api.Module, index uint32, code int32, at, n uint32) int32 {
		in.fails = append(in.fails, fmt.Sprintf("%d %d %s", index, code, text(m, at, n)))
		return 0
	})
	export("state_get", func(_ context.Context, m api.Module, _, at, n, buf, room uint32) int32 {
		v, ok := in.state[text(m, at, n)]
		if !ok {
			return -2
		}
		return reply(m, v, buf, room)
	})
	export("state_put", func(_ context.Context, m api.Module, store, at, n, vat, vn uint32) int32 {
		if store != 0 {
			return -9
		}
		in.state[text(m, at, n)] = text(m, vat, vn)
		return 0
	})
	export("state_delete", func(_ context.Context, m api.Module, _, at, n uint32) int32 {
		delete(in.state, text(m, at, n))
		return 0
	})
	export("state_scan", func(_ context.Context, m api.Module, _, sat, sn, eat, en, buf, room uint32) int32 {
		from, to, out := text(m, sat, sn), text(m, eat, en), ""
		if in.answer != nil {
			return reply(m, in.answer(from), buf, room)
		}
		for _, k := range slices.Sorted(maps.Keys(in.state)) {
			if k < from || to != "" && k >= to {
				continue
			}
			v := in.state[k]
			e := string(binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, uint32(len(k))), uint32(len(v)))) + k + v
			if out != "" && len(out)+len(e) > int(room) {
				break
			}
			out += e
		}
		return reply(m, out, buf, room)
	})
	export("state_get_many", func(_ context.Context, m api.Module, _, at, n, buf, room uint32) int32 {
		var out []byte
		if in.answer != nil {
			return reply(m, in.answer(text(m, at, n)), buf, room)
		}
		for keys := text(m, at, n); keys != ""; {
			k := binary.LittleEndian.Uint32([]byte(keys))
			v, ok := in.state[keys[4:4+k]]
			if keys = keys[4+k:]; ok {
				out = append(binary.LittleEndian.AppendUint32(out, uint32(len(v))), v...)
			} else {
				out = binary.LittleEndian.AppendUint32(out, 1<<32-1)
			}
		}
		return reply(m, string(out), buf, room)
	})
	export("resume", func(_ context.Context, m api.Module, at, n uint32) int32 {
		in.token = []byte(text(m, at, n))
		return 0
	})
	export("log", func(_ context.Context, m api.Module, level int32, at, n uint32) int32 {
		in.logs = append(in.logs, fmt.Sprintf("%d %s", level, text(m, at, n)))
		return 0
	})
	export("log_enabled", func(context.Context, api.Module, int32) int32 { return 1 })
	export("metric_define", func(_ context.Context, m api.Module, _ int32, at, n uint32) int32 {
		if text(m, at, n) == "Bad" {
			return -22
		}
		return 7
	})
	export("metric_add", func(_ context.Context, _ api.Module, handle int32, delta int64) int32 {
		in.logs = append(in.logs, fmt.Sprintf("metric %d %d", handle, delta))
		return 0
	})
	export("now", func(context.Context, api.Module) int64 { return 1_700_000_000_123_456_789 })
	_, err := b.Instantiate(ctx)
	return err
}
