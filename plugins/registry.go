// Package plugins holds the contracts of connectors: Source, Sink, their
// error classes, and the Registry in which a binary lists the ones it has.
package plugins

import (
	"fmt"
	"slices"
	"time"
)

// Registry lists the connectors of a binary. It is filled by explicit calls
// before anything runs and read-only afterwards.
type Registry struct {
	sources []SourceKind
	sinks   []SinkKind
}

// SourceKind describes a kind of source: its key in a job file, its fields
// and how to make one.
type SourceKind struct {
	Name   string
	Doc    string // one sentence, for the JSON Schema
	Fields []Field
	New    func(env Env, c Config) (Source, error)
}

// SinkKind describes a kind of sink.
type SinkKind struct {
	Name     string
	Doc      string
	Fields   []Field
	Delivery Delivery // what a sink of this kind can promise, known when the job is planned
	New      func(env Env, c Config) (Sink, error)
}

// Env is what a connector may know of the job it serves.
type Env struct {
	Job      string
	Name     string   // of the source or sink
	Avoid    []string // absolute paths of the job's own state and outputs: a walk never enters them
	Progress func(Progress)
}

// Progress is what a source tells of its discovery so far; all totals.
type Progress struct {
	Files, Dirs, Bytes int64
	Skipped            int64 // symbolic links and special files, which are never read
	Done               bool  // nothing more will be found
}

// Source adds a kind of source. It panics if the name is taken, which is a
// mistake of the binary.
func (r *Registry) Source(k SourceKind) {
	if _, ok := r.FindSource(k.Name); ok {
		panic("plugins: source registered twice: " + k.Name)
	}
	r.sources = append(r.sources, k)
}

// Sink adds a kind of sink; it panics if the name is taken.
func (r *Registry) Sink(k SinkKind) {
	if _, ok := r.FindSink(k.Name); ok {
		panic("plugins: sink registered twice: " + k.Name)
	}
	r.sinks = append(r.sinks, k)
}

// Sources returns the kinds of sources in the order of their registration.
func (r *Registry) Sources() []SourceKind { return slices.Clone(r.sources) }

// Sinks returns the kinds of sinks in the order of their registration.
func (r *Registry) Sinks() []SinkKind { return slices.Clone(r.sinks) }

// FindSource returns the kind of source with that name.
func (r *Registry) FindSource(name string) (SourceKind, bool) {
	i := slices.IndexFunc(r.sources, func(k SourceKind) bool { return k.Name == name })
	if i < 0 {
		return SourceKind{}, false
	}
	return r.sources[i], true
}

// FindSink returns the kind of sink with that name.
func (r *Registry) FindSink(name string) (SinkKind, bool) {
	i := slices.IndexFunc(r.sinks, func(k SinkKind) bool { return k.Name == name })
	if i < 0 {
		return SinkKind{}, false
	}
	return r.sinks[i], true
}

// Type is the type of a field in a job file.
type Type string

// The types. In a Config they are string, bool, int64, int64 bytes,
// time.Duration, string, []string and Config.
const (
	String   Type = "string"
	Bool     Type = "bool"
	Int      Type = "int"
	Size     Type = "size"     // 64MiB
	Duration Type = "duration" // 100ms, 7d
	Path     Type = "path"     // relative to the job file; absolute in a Config
	Strings  Type = "strings"  // one string or a list
	Object   Type = "object"   // Fields inside
)

// Field is one key of a connector in a job file. This one declaration feeds
// parsing, faults, the JSON Schema and the documentation.
type Field struct {
	Name     string
	Type     Type
	Doc      string // one sentence with unit and default
	Default  any    // of the type's form in a Config; nil = absent
	Required bool
	Enum     []string          // allowed strings
	Fields   []Field           // of an Object
	Check    func(v any) error // nil, or says what is wrong with a value
}

// Config holds the fields of one connector, checked against its Fields.
type Config map[string]any

func get[T any](c Config, name string) T {
	v, ok := c[name]
	if !ok {
		var zero T
		return zero
	}
	t, ok := v.(T)
	if !ok {
		panic(fmt.Sprintf("plugins: field %s is a %T", name, v))
	}
	return t
}

// String returns a String or Path field, "" if absent. Like its siblings it
// panics if the field was declared with another type.
func (c Config) String(name string) string { return get[string](c, name) }

// Bool returns a Bool field, false if absent.
func (c Config) Bool(name string) bool { return get[bool](c, name) }

// Int returns an Int or Size field, 0 if absent.
func (c Config) Int(name string) int64 { return get[int64](c, name) }

// Duration returns a Duration field, 0 if absent.
func (c Config) Duration(name string) time.Duration { return get[time.Duration](c, name) }

// Strings returns a Strings field, nil if absent.
func (c Config) Strings(name string) []string { return get[[]string](c, name) }

// Object returns an Object field, nil if absent.
func (c Config) Object(name string) Config { return get[Config](c, name) }
