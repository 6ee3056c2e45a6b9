//go:build unix

package bench_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"time"
)

// part is a part of the engine, by what its functions are called.
type part struct {
	name     string
	prefixes []string
}

const ours = "github.com/wasmill/wasmill/"

// parts says to what CPU time is put down: the innermost function on the
// stack that one of these names begins decides. Of code that a guest was
// compiled to nothing is known but that it is none of Go's.
var parts = []part{
	{"guests", []string{"runtime._ExternalCode"}},
	{"source", []string{ours + "plugins/file/internal/read", ours + "plugins/file/internal/walk", ours + "traversal"}},
	{"guest calls", []string{ours + "host/guest", "github.com/tetratelabs/wazero"}},
	{"frames", []string{ours + "abi/wire"}},
	{"exchange", []string{ours + "host/task.(*outlet)", ours + "host/task.(*Queue)", ours + "host/task.(*Task).receive", ours + "host/task.(*Task).exchange", ours + "abi/record"}},
	{"task", []string{ours + "host/task", ours + "host/container"}},
	{"overlay", []string{ours + "state/overlay"}},
	{"pebble", []string{"github.com/cockroachdb/pebble", ours + "state/pebblestore"}},
	{"sink", []string{ours + "plugins/file/internal/out", ours + "plugins/file/internal/disk"}},
	{"commit", []string{ours + "host/epoch"}},
	{"garbage collector", []string{"runtime.gcBgMarkWorker", "runtime.gcAssistAlloc", "runtime.bgsweep", "runtime.bgscavenge"}},
}

// byPart sums the CPU time of a profile by part; the rest is "other".
func byPart(profile []byte) (map[string]time.Duration, error) {
	z, err := gzip.NewReader(bytes.NewReader(profile))
	if err != nil {
		return nil, err
	}
	raw, err := io.ReadAll(z)
	if err != nil {
		return nil, err
	}
	var p cpuProfile
	if err := p.read(raw); err != nil {
		return nil, err
	}
	sums := map[string]time.Duration{}
	for _, s := range p.samples {
		sums[p.part(s.locations)] += time.Duration(s.nanos)
	}
	return sums, nil
}

// cpuProfile is what is needed of a profile in the form of pprof, the
// protocol buffer Profile of profile.proto.
type cpuProfile struct {
	samples   []sample
	functions map[uint64]uint64   // id to name, an index in strings
	locations map[uint64][]uint64 // id to functions, innermost first
	strings   []string
}

type sample struct {
	locations []uint64 // innermost first
	nanos     int64
}

func (p *cpuProfile) part(locations []uint64) string {
	for _, l := range locations {
		for _, f := range p.locations[l] {
			name := p.strings[p.functions[f]]
			for _, part := range parts {
				for _, prefix := range part.prefixes {
					if strings.HasPrefix(name, prefix) {
						return part.name
					}
				}
			}
		}
	}
	return "other"
}

func (p *cpuProfile) read(b []byte) error {
	p.functions, p.locations = map[uint64]uint64{}, map[uint64][]uint64{}
	return fields(b, func(field int, _ uint64, b []byte) error {
		switch field {
		case 2: // sample: 1 location ids, 2 values, of which the second is nanoseconds
			var s sample
			var values []uint64
			err := fields(b, func(field int, v uint64, b []byte) error {
				var err error
				switch field {
				case 1:
					s.locations, err = varints(s.locations, v, b)
				case 2:
					values, err = varints(values, v, b)
				}
				return err
			})
			if err == nil && len(values) == 2 {
				s.nanos = int64(values[1])
				p.samples = append(p.samples, s)
			}
			return err
		case 4: // location: 1 id, 4 lines, each with 1 function id
			var id uint64
			var functions []uint64
			err := fields(b, func(field int, v uint64, b []byte) error {
				switch field {
				case 1:
					id = v
				case 4:
					return fields(b, func(field int, v uint64, _ []byte) error {
						if field == 1 {
							functions = append(functions, v)
						}
						return nil
					})
				}
				return nil
			})
			p.locations[id] = functions
			return err
		case 5: // function: 1 id, 2 name
			var id, name uint64
			err := fields(b, func(field int, v uint64, _ []byte) error {
				switch field {
				case 1:
					id = v
				case 2:
					name = v
				}
				return nil
			})
			p.functions[id] = name
			return err
		case 6:
			p.strings = append(p.strings, string(b))
		}
		return nil
	})
}

var errProfile = errors.New("not a profile")

// fields calls do for each field of a protocol buffer: with its value, or its bytes.
func fields(b []byte, do func(field int, v uint64, b []byte) error) error {
	for len(b) > 0 {
		tag, n := binary.Uvarint(b)
		if n <= 0 {
			return errProfile
		}
		b = b[n:]
		v, n := binary.Uvarint(b)
		if n <= 0 {
			return errProfile
		}
		b = b[n:]
		var body []byte
		switch tag & 7 {
		case 0:
		case 2:
			if v > uint64(len(b)) {
				return errProfile
			}
			body, b = b[:v], b[v:]
		default:
			return errProfile
		}
		if err := do(int(tag>>3), v, body); err != nil {
			return err
		}
	}
	return nil
}

// varints appends a repeated number, packed in b or v alone.
func varints(to []uint64, v uint64, b []byte) ([]uint64, error) {
	if b == nil {
		return append(to, v), nil
	}
	for len(b) > 0 {
		v, n := binary.Uvarint(b)
		if n <= 0 {
			return nil, errProfile
		}
		to, b = append(to, v), b[n:]
	}
	return to, nil
}
