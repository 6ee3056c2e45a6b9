package guest

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/tetratelabs/wazero/sys"

	"github.com/wasmill/wasmill/host/guest/wasm"
)

// hostPanic unwinds a guest after a host function panicked.
type hostPanic struct{ function, what string }

func (p *hostPanic) Error() string { return "the host failed in " + p.function + ": " + p.what }

// What wazero writes around the reason and the stack of a trap.
const (
	wazeroPrefix    = "wasm error: "
	wazeroRecovered = " (recovered by wazero)"
	wazeroStack     = "\nwasm stack trace:\n"
)

// trap turns an error of wazero into a Trap.
func (in *instance) trap(err error) *Trap {
	var exit *sys.ExitError
	if errors.As(err, &exit) {
		return &Trap{Kind: TrapExit, Message: fmt.Sprintf("the guest exited with code %d%s%s", exit.ExitCode(), in.memoryNote(), in.log.quote())}
	}
	reason, stack, _ := strings.Cut(err.Error(), wazeroStack)
	if _, after, ok := strings.Cut(reason, wazeroPrefix); ok { // a start function's has more before it
		reason = after
	}
	reason = strings.TrimSuffix(reason, wazeroRecovered)
	t := &Trap{Kind: TrapCode}
	var u *unwind
	if errors.As(err, &u) {
		t.Kind, t.Message = u.kind, u.text
	}
	t.Frames = in.frames(stack, t.Kind)
	if len(t.Frames) > 0 {
		t.Function = t.Frames[0].Function
	}
	if u != nil {
		return t
	}
	var host *hostPanic
	if errors.As(err, &host) {
		t.Kind, t.Message = TrapABI, clean(host.Error(), 512)
		return t
	}
	t.Message = clean(reason, 512) + in.memoryNote() + in.log.quote()
	if in.memoryFull() {
		t.Kind = TrapMemory
	}
	return t
}

// memoryFull reports whether the memory cannot grow by a single page.
func (in *instance) memoryFull() bool { return in.MemoryBytes() >= in.memoryMax() }

// memoryMax returns the bytes that the memory may grow to.
func (in *instance) memoryMax() uint64 {
	limit := in.limits.Memory
	if in.mem == nil {
		return limit
	}
	if pages, ok := in.mem.Definition().Max(); ok {
		limit = min(limit, uint64(pages)*wasm.PageSize)
	}
	return limit
}

// memoryNote mentions the memory when little of it is left: runtimes grow by
// megabytes, so that they fail some way below the limit.
func (in *instance) memoryNote() string {
	have, most := in.MemoryBytes(), in.memoryMax()
	if have < most-most/8 {
		return ""
	}
	return fmt.Sprintf(" (its memory is at %.1f of %.1f MiB: raise limits.memory or keep less)", float64(have)/(1<<20), float64(most)/(1<<20))
}

// clean makes text from a guest fit for a message: one line, printable, at
// most so many bytes.
func clean(s string, most int) string {
	if len(s) > most {
		s = s[:most] + "…"
	}
	return strings.ToValidUTF8(strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, s), "�")
}
