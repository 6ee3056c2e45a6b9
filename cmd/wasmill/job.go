package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wasmill/wasmill/host"
	"github.com/wasmill/wasmill/host/jobspec"
	"github.com/wasmill/wasmill/plugins"
	"github.com/wasmill/wasmill/plugins/file"
)

// registry returns the connectors of this binary. The stdout sink prints to w.
func registry(w io.Writer) *plugins.Registry {
	reg := new(plugins.Registry)
	file.Register(reg, w)
	return reg
}

// jobFlags are the flags of all commands that read a job file.
type jobFlags struct{ over jobspec.Overrides }

func (f *jobFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.over.Set, "set", nil, "put `PATH=VALUE` into the job file, as in sources.docs.walk.root=DIR; may be repeated")
	cmd.Flags().StringVar(&f.over.StateDir, "state-dir", "", "`DIR` of the job's state (default: .wasmill/JOB beside the job file)")
}

// load reads the job file.
func (f *jobFlags) load(path string, reg *plugins.Registry) (*jobspec.Spec, error) {
	return host.Load(path, reg, f.over)
}

// choice is a flag whose value is one of some words; the first is the default.
type choice struct {
	value string
	of    []string
}

func newChoice(of ...string) *choice { return &choice{of[0], of} }

func (c *choice) String() string { return c.value }
func (c *choice) Type() string   { return strings.Join(c.of, "|") }

func (c *choice) Set(v string) error {
	for _, o := range c.of {
		if v == o {
			c.value = v
			return nil
		}
	}
	return fmt.Errorf("it is one of %s", strings.Join(c.of, ", "))
}
