package guest

import (
	"strconv"
	"strings"

	"github.com/ianlancetaylor/demangle"

	"github.com/wasmill/wasmill/host/guest/meter"
)

// maxFrames is the most frames of a trap.
const maxFrames = 32

// call is a frame as wazero writes it.
type call struct {
	name   string
	linker bool // the name was made for linkers, or there is none
	offset int  // in the code of the form, -1 if unknown
}

// unnamed is what stands before the index of a function without a name.
const unnamed = "function "

// calls takes a stack of wazero apart: a line each of a tab, a dot and the
// name, the signature behind it; then, with a line table, one of two tabs, the
// offset in hex and a colon. A Go stack may follow. The host's own functions
// are left out.
func calls(stack string, m functions) []call {
	var (
		list []call
		ours bool
	)
	for line := range strings.Lines(stack) {
		line, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "\t")
		if !ok {
			break
		}
		if source, ok := strings.CutPrefix(line, "\t"); ok {
			if n := len(list); n > 0 && !ours {
				list[n-1].offset = offset(source)
			}
			continue
		}
		if line == "... maybe followed by omitted frames" {
			continue
		}
		name, own := strings.CutPrefix(withoutSignature(line), ".")
		if own {
			name, ok = named(name, m)
		}
		if ours = !ok || strings.HasPrefix(name, meter.ImportModule+"."); ours {
			continue
		}
		if len(list) == maxFrames {
			break
		}
		plain, linker := demangled(name)
		list = append(list, call{clean(plain, 128), linker, -1})
	}
	return list
}

// named returns the name of a function of the guest. One without a name is $
// and its index in the rewritten module, where the tick stands behind the
// imported functions and the helpers behind all; these are not ok.
func named(name string, m functions) (_ string, ok bool) {
	digits, ok := strings.CutPrefix(name, "$")
	if !ok {
		return name, true
	}
	index, err := strconv.Atoi(digits)
	if err != nil {
		return name, true
	}
	if index > m.Imported {
		index--
	} else if index == m.Imported {
		return "", false
	}
	return unnamed + strconv.Itoa(index), index < m.Imported+m.Own
}

// demangled returns a function's name as its source has it, without parameters,
// and whether it was another one, made for linkers, or there is none.
func demangled(name string) (plain string, linker bool) {
	if !strings.HasPrefix(name, "_Z") && !strings.HasPrefix(name, "_R") {
		return name, strings.HasPrefix(name, unnamed)
	}
	plain, linker = name, true
	if len(name) > maxMangled {
		return plain, linker
	}
	defer func() { _ = recover() }() // a module may name its functions as it likes
	plain = demangle.Filter(name, demangle.NoParams, demangle.MaxLength(10))
	return plain, linker
}

// maxMangled is the longest name, in bytes, that is taken apart.
const maxMangled = 1 << 10

// offset reads "0x1f: w:1".
func offset(source string) int {
	hex, _, _ := strings.Cut(source, ":")
	hex, ok := strings.CutPrefix(hex, "0x")
	n, err := strconv.ParseUint(hex, 16, 31)
	if !ok || err != nil {
		return -1
	}
	return int(n)
}

// withoutSignature cuts "(i32,i64) i32" or "(i32) (i32,i32)" off a frame.
// Names themselves may hold parentheses.
func withoutSignature(frame string) string {
	if head, ok := strings.CutSuffix(frame, ")"); ok {
		if i := strings.LastIndex(head, ") ("); i >= 0 {
			frame = head[:i+1]
		}
	}
	if i := strings.LastIndexByte(frame, '('); i > 0 {
		return frame[:i]
	}
	return frame
}
