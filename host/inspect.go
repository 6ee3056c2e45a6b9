package host

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"path/filepath"
	"strings"

	"github.com/wasmill/wasmill/host/guest"
	"github.com/wasmill/wasmill/host/guest/admit"
	"github.com/wasmill/wasmill/host/guest/archive"
	"github.com/wasmill/wasmill/host/guest/build"
	"github.com/wasmill/wasmill/host/guest/meter"
	"github.com/wasmill/wasmill/host/guest/wasm"
)

// InspectOptions are the settings of Inspect. The zero value is usable.
type InspectOptions struct {
	Memory   int64            // limits.memory, in bytes; default that of jobs
	CacheDir string           // as in Options
	Building func(dir string) // as in Options
	Reads    func(dir string) // called for each directory whose source decides what is built; nil = nothing
}

// Inspection is what there is to know of a module. Where it was refused
// early, what is not known is left out.
type Inspection struct {
	Digest      string    `json:"digest"` // "sha256:" and hex digits
	Bytes       int       `json:"bytes"`
	Archive     *Archive  `json:"archive,omitempty"` // what follows is then of its interpreter
	ABI         string    `json:"abi,omitempty"`     // version of the interface that it was built for
	Program     bool      `json:"program,omitempty"` // it is a program that speaks over standard input and output
	Memory      *Extent   `json:"memory,omitempty"`
	MemoryLimit int64     `json:"memory_limit"` // bytes that it is held against
	Tables      []Extent  `json:"tables,omitempty"`
	Sections    []Section `json:"sections,omitempty"`
	Imports     []Link    `json:"imports,omitempty"`
	Exports     []Link    `json:"exports,omitempty"`
	Limits      []Usage   `json:"limits,omitempty"`
	Forms       []Form    `json:"forms,omitempty"`
	Image       bool      `json:"image"` // instances can begin from an image
	Names       bool      `json:"names"` // functions have names in traps
	Debug       bool      `json:"debug"` // traps can name file and line
	Runs        bool      `json:"runs"`
	Faults      []string  `json:"faults,omitempty"` // why it does not run
}

// Archive is what a .wasmill file says of itself.
type Archive = archive.Step

// Extent is the size of a memory in bytes, or of a table in entries.
type Extent struct {
	Min uint64  `json:"min"`
	Max *uint64 `json:"max,omitempty"` // as the module says
}

// Section is one section of a module.
type Section struct {
	Name  string `json:"name"`
	Bytes int    `json:"bytes"`
}

// Link is an import or an export.
type Link struct {
	Module string `json:"module,omitempty"` // of an import
	Name   string `json:"name"`
	Kind   string `json:"kind"`
	Type   string `json:"type,omitempty"` // signature of a function
}

// Usage is what a module has of something that is limited.
type Usage struct {
	What string `json:"what"`
	Have int    `json:"have"`
	Most int    `json:"most"`
}

// Form is one of the forms that a module is rewritten to.
type Form struct {
	Name     string `json:"name"`
	Bytes    int    `json:"bytes"`
	Checks   int    `json:"checks"`   // places where a call can be stopped
	Entries  int    `json:"entries"`  // those at the entry of a function
	Budgeted int    `json:"budgeted"` // functions that take from the stack budget
}

// Inspect reads or builds the module that path names and says whether it
// would run as a step: it does all that a job does with a module but making
// instances. That a module is refused is no error; the error says why there
// is none.
func Inspect(ctx context.Context, path string, o InspectOptions) (*Inspection, error) {
	b, err := Build(ctx, path, o)
	if err != nil {
		return nil, err
	}
	return b.Inspection, nil
}

// inspect says what a step is that has been read.
func inspect(ctx context.Context, path string, b []byte, digest string, o InspectOptions) (in *Inspection, err error) {
	if o.Memory == 0 {
		o.Memory = guest.DefaultMemory
	}
	modules := "" // in the user's cache directory
	if dir := o.CacheDir; dir != "" {
		modules = filepath.Join(dir, "modules")
	}
	e, err := guest.NewEngine(ctx, guest.EngineOptions{CacheDir: modules, Interpreter: build.Interpreter, MemoryLimit: uint64(o.Memory), Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, e.Close(ctx)) }()

	in = &Inspection{Digest: digest, Bytes: len(b), MemoryLimit: o.Memory}
	a, err := e.Admit(ctx, b, path)
	var missing *guest.InterpreterError
	if errors.As(err, &missing) {
		return nil, err
	}
	if a.Archive != nil {
		in.Archive = &a.Archive.Step
	}
	if a.Module != nil {
		in.describe(a.Module)
		in.rewrite(a.Module.Module)
	}
	if err != nil {
		in.refuse(err)
		return in, nil
	}
	compiled, err := e.Compile(ctx, b, path)
	var machine *guest.MachineError
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.As(err, &machine), errors.As(err, &missing):
		return nil, err
	case err != nil:
		in.Faults = []string{strings.Replace(err.Error(), "guest: module "+path, "it", 1)}
		return in, nil
	}
	in.Runs = true
	return in, compiled.Close(ctx)
}

func (in *Inspection) refuse(err error) {
	var faults admit.Faults
	if !errors.As(err, &faults) {
		faults = admit.Faults{err}
	}
	for _, f := range faults {
		in.Faults = append(in.Faults, f.Error())
	}
}

func (in *Inspection) describe(m *admit.Module) {
	in.ABI, in.Program = m.ABI(), m.Program()
	for _, s := range m.Sections {
		in.Sections = append(in.Sections, Section{s.Title(), s.End - s.Start})
		switch {
		case s.ID != wasm.SecCustom:
		case s.Name == "name":
			in.Names = true
		case s.Name == ".debug_line":
			in.Debug = true
		}
	}
	if len(m.Memories) > 0 {
		e := extent(m.Memories[0], wasm.PageSize)
		in.Memory = &e
	}
	for _, t := range m.Tables {
		in.Tables = append(in.Tables, extent(t.Limits, 1))
	}
	for i := range m.Imports {
		im := &m.Imports[i]
		l := Link{Module: im.Module, Name: im.Name, Kind: im.Kind.String()}
		if im.Kind == wasm.Func {
			l.Type = admit.Signature(im.Type, m.Module).String()
		}
		in.Imports = append(in.Imports, l)
	}
	for i := range m.Exports {
		e := &m.Exports[i]
		l := Link{Name: e.Name, Kind: e.Kind.String()}
		if e.Kind == wasm.Func {
			l.Type = admit.Signature(m.FuncTypeOf(e.Index), m.Module).String()
		}
		in.Exports = append(in.Exports, l)
	}
	for i, r := range admit.Table() {
		in.Limits = append(in.Limits, Usage{r.What, m.Have[i], r.Default})
	}
}

func extent(l wasm.Limits, unit uint64) Extent {
	e := Extent{Min: uint64(l.Min) * unit}
	if l.HasMax {
		most := uint64(l.Max) * unit
		e.Max = &most
	}
	return e
}

// rewrite shows what the forms come to. A module that cannot be rewritten is
// refused when it is compiled, with the same text.
func (in *Inspection) rewrite(m *wasm.Module) {
	for _, form := range []meter.Form{meter.Fast, meter.Patient, meter.Counted} {
		r, err := meter.Rewrite(m, meter.Options{Form: form})
		if err != nil {
			in.Forms = nil
			return
		}
		in.Image = r.Whole
		in.Forms = append(in.Forms, Form{form.String(), len(r.Wasm), r.Checks, r.EntryChecks, r.Budgeted})
	}
}
