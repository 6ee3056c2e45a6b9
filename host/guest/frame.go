package guest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wasmill/wasmill/host/guest/debugdata"
	"github.com/wasmill/wasmill/host/guest/meter"
	"github.com/wasmill/wasmill/host/guest/wasm"
)

// Frame is one call of a stack: of a function, or of one that was inlined.
type Frame struct {
	Function string // "function 12" if it has no name

	// Where it was, from the module's debug data. File is as the compiler
	// wrote it, without the directory that it ran in; "" and 0 if unknown.
	File         string
	Line, Column int

	// Offset is that of the instruction in the module as it was compiled from
	// its source, from the contents of the code section on; 0 if unknown.
	Offset uint32
}

// Position returns "src/lib.rs:12:5", as much of it as is known.
func (f *Frame) Position() string {
	switch {
	case f.File == "" || f.Line == 0:
		return f.File
	case f.Column == 0:
		return fmt.Sprintf("%s:%d", f.File, f.Line)
	}
	return fmt.Sprintf("%s:%d:%d", f.File, f.Line, f.Column)
}

// own reports whether the place is in the source that the module was made
// from, as far as can be told: below the directory that the compiler ran in.
func (f *Frame) own() bool {
	return f.File != "" && !strings.HasPrefix(f.File, "/") && !strings.HasPrefix(f.File, "..") && !strings.Contains(f.File, ":")
}

// where returns the innermost function and a place in the source: that of the
// innermost frame in the module's own source, since languages end in functions
// of their libraries, and otherwise of the innermost that is known.
func (t *Trap) where() string {
	at := slices.IndexFunc(t.Frames, func(f Frame) bool { return f.own() })
	if at < 0 {
		at = slices.IndexFunc(t.Frames, func(f Frame) bool { return f.File != "" })
	}
	switch {
	case at < 0:
		return t.Function
	case at == 0:
		return fmt.Sprintf("%s (%s)", t.Function, t.Frames[0].Position())
	}
	return fmt.Sprintf("%s, from %s (%s)", t.Function, t.Frames[at].Function, t.Frames[at].Position())
}

// frames returns the frames of a stack as wazero writes it. Places are not
// looked up for a call that is going to be made again. A function that calls
// itself from one place over and over is named once.
func (in *instance) frames(stack string, kind TrapKind) []Frame {
	var (
		m      = in.module
		frames []Frame
		at     *meter.Map
		debug  *debugdata.Data
	)
	if in.form.Lines && kind != TrapQuantum {
		var err error
		if _, debug, err = m.parsed(in.ctx.Context); err == nil {
			at = m.offsetsOf(in.ctx.Context, in.form, meterOptions(in.kind))
		}
	}
	for _, c := range calls(stack, in.form.Funcs) {
		f := Frame{Function: c.name}
		var places []debugdata.Place
		if at != nil && c.offset >= 0 {
			if original, ok := at.Offset(c.offset); ok {
				f.Offset = uint32(original)
				places = debug.Locate(f.Offset)
			}
		}
		if n := len(frames); n > 0 && frames[n-1].Function == f.Function && frames[n-1].Offset == f.Offset {
			continue
		}
		frames = append(frames, expand(f, c.linker, places)...)
		if len(frames) >= maxFrames {
			return frames[:maxFrames]
		}
	}
	return frames
}

// linesMost is the most code, in bytes, that is compiled with a line table:
// reading it back costs 0.1 s a MB, see RATIONALE.md.
const linesMost = 4 << 20

// debugDataOf returns the debug data of a module, nil if it has none or is too
// large for places in traps.
func debugDataOf(m *wasm.Module) *debugdata.Data {
	if n := len(m.Bodies); n == 0 || m.Bodies[n-1].End-m.Bodies[0].Offset > linesMost {
		return nil
	}
	return debugdata.Of(m)
}

// expand returns a frame for each place that the frame's instruction has.
// linker says that its function's name is not that of the source.
func expand(f Frame, linker bool, places []debugdata.Place) []Frame {
	if len(places) == 0 {
		return []Frame{f}
	}
	frames := make([]Frame, len(places))
	for i, p := range places {
		frames[i] = f
		frames[i].File, frames[i].Line, frames[i].Column = clean(p.File, 300), p.Line, p.Column
		if p.Function != "" && (i < len(places)-1 || linker) {
			frames[i].Function = clean(p.Function, 128)
		}
	}
	return frames
}
