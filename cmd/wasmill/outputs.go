package main

import (
	"github.com/wasmill/wasmill/host/jobspec"
	"github.com/wasmill/wasmill/plugins"
)

// outputFigure says where a sink writes to.
type outputFigure struct {
	Sink string `json:"sink"`
	Kind string `json:"kind"`
	Path string `json:"path,omitempty"` // absolute
}

func (o outputFigure) where() string {
	if o.Path == "" {
		return o.Kind
	}
	return shown(o.Path)
}

// outputs returns where the sinks of a job write to.
func outputs(spec *jobspec.Spec) []outputFigure {
	out := []outputFigure{}
	for _, s := range spec.Sinks {
		o := outputFigure{Sink: s.Name, Kind: s.Kind.Name}
		for _, f := range s.Kind.Fields {
			if f.Type == plugins.Path && o.Path == "" {
				o.Path = s.Config.String(f.Name)
			}
		}
		out = append(out, o)
	}
	return out
}
