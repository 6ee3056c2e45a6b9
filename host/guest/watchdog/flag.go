package watchdog

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"reflect"
	"unsafe"

	"github.com/tetratelabs/wazero/api"
)

// errNoFlag is why FlagOf fails.
var errNoFlag = errors.New("watchdog: the place of a global is known only for wazero's compiler on amd64 and arm64, of the release that go.mod names: guests cannot be stopped under this one")

// FlagOf returns the word in which wazero keeps a mutable global that a module
// defines and exports. Compiled code reads and writes it there, the low half
// only if the global is an i32. The pointer keeps the instance's globals
// alive. The instance must not run meanwhile; the global keeps its value.
//
// wazero has no such function. Its compiler keeps globals in an unexported
// slice of bytes, which outlives the instance's calls and does not move
// (internal/engine/wazevo, moduleContextOpaque). Reflection finds the slice;
// where in it the global lies is found by setting the global, twice, to random
// values. It is an error if either is not as expected.
func FlagOf(g api.MutableGlobal) (*uint64, error) {
	area := globalsArea(g)
	old := g.Get()
	defer g.Set(old)
	// Not zero, and no two alike: no word has either value by chance.
	first := rand.Uint64() | 1
	second := first ^ (rand.Uint64() | 1)
	g.Set(first)
	for ; len(area) >= 8; area = area[8:] {
		if binary.LittleEndian.Uint64(area) != first {
			continue
		}
		g.Set(second)
		if binary.LittleEndian.Uint64(area) == second {
			return (*uint64)(unsafe.Pointer(&area[0])), nil
		}
		g.Set(first)
	}
	return nil, errNoFlag
}

// globalsArea returns g.g.Me.opaque of wazero's types, nil if there is no such
// thing or it is not aligned. It reads fields and calls nothing.
func globalsArea(g api.MutableGlobal) []byte {
	v := reflect.ValueOf(g)
	for _, name := range []string{"g", "Me", "opaque"} {
		for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
			v = v.Elem()
		}
		if v.Kind() != reflect.Struct {
			return nil
		}
		v = v.FieldByName(name)
	}
	if v.Kind() != reflect.Slice || v.Type().Elem().Kind() != reflect.Uint8 || v.Len() == 0 {
		return nil
	}
	area := v.Bytes()
	if uintptr(unsafe.Pointer(&area[0]))%8 != 0 {
		return nil
	}
	return area
}
