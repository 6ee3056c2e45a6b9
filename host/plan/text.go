package plan

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/wasmill/wasmill/host/jobspec"
	"github.com/wasmill/wasmill/plugins"
)

// Text writes the plan for a person: each stage with its steps in the order
// in which a record travels, where its records go, then the sinks.
func (p *Plan) Text(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "job %s: %s, %s, %s, an epoch every %s\n", p.Spec.Job,
		count(len(p.Stages), "stage"), count(p.tasks(), "task"), p.Spec.Guarantee, jobspec.FormatDuration(p.Spec.Epoch))
	for i := range p.Stages {
		p.stageText(&b, &p.Stages[i])
	}
	b.WriteString("\nsinks\n")
	for i := range p.Sinks {
		p.sinkText(&b, i)
	}
	fmt.Fprintf(&b, "\nstate  %s\npaths  relative to the job file\ntopics none: this job runs in one process\n", p.relative(p.Spec.StateDir))
	for _, n := range p.notes() {
		fmt.Fprintf(&b, "note   %s\n", n)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (p *Plan) tasks() int {
	n := 0
	for _, s := range p.Stages {
		n += s.Tasks
	}
	return n
}

func (p *Plan) stageText(b *strings.Builder, st *Stage) {
	fmt.Fprintf(b, "\nstage %s: %s", st.Name, count(st.Tasks, "task"))
	if st.Source < 0 {
		fmt.Fprintf(b, " of %s", count(st.Partitions, "partition"))
	}
	b.WriteByte('\n')
	if st.Source >= 0 {
		s := &p.Spec.Sources[st.Source]
		fmt.Fprintf(b, "  source %s (%s)\n", st.Name, p.connectorText(s.Kind.Name, s.Kind.Fields, s.Config))
		p.edgesText(b, st, "", st.Feeds)
	}
	for _, step := range st.Steps {
		s := &p.Spec.Steps[step.Spec]
		fmt.Fprintf(b, "  step %s", s.Name)
		if s.Key != nil {
			fmt.Fprintf(b, " by %s", keyName(s.Key))
		}
		if s.Wasm != "" {
			fmt.Fprintf(b, " runs %s", p.relative(s.Wasm))
		}
		for i, store := range step.Stores {
			b.WriteString([]string{", keeps ", " and "}[min(i, 1)] + store.Name)
		}
		b.WriteByte('\n')
		for i, edges := range step.Outs {
			output := ""
			if len(step.Outs) > 1 {
				output = outputName(s, i)
			}
			p.edgesText(b, st, output, edges)
		}
	}
}

// edgesText writes where the records of one output go.
func (p *Plan) edgesText(b *strings.Builder, st *Stage, output string, edges []Edge) {
	if output != "" {
		output = "." + output + " "
	}
	if len(edges) == 0 {
		fmt.Fprintf(b, "    %s→ nowhere\n", output)
	}
	for _, e := range edges {
		fmt.Fprintf(b, "    %s→ %s\n", output, p.edgeText(st, e))
	}
}

func (p *Plan) edgeText(st *Stage, e Edge) string {
	switch e.Kind {
	case ToStep:
		return "step " + p.Spec.Steps[st.Steps[e.Index].Spec].Name
	case ToExchange:
		x := &p.Exchanges[e.Index]
		key := "its own key"
		if x.Key != nil {
			key = keyName(x.Key)
		}
		return fmt.Sprintf("stage %s, exchanged by %s into %s", x.Name, key, count(x.Partitions, "partition"))
	}
	return "sink " + p.Spec.Sinks[e.Index].Name
}

func (p *Plan) sinkText(b *strings.Builder, i int) {
	spec, s := &p.Spec.Sinks[i], &p.Sinks[i]
	var stages []string
	for _, w := range s.Writers {
		stages = append(stages, p.Stages[w.Stage].Name)
	}
	fmt.Fprintf(b, "  %s (%s): %s, from stage %s", spec.Name, p.connectorText(spec.Kind.Name, spec.Kind.Fields, spec.Config), count(s.Count(p), "writer"), strings.Join(stages, ", "))
	if len(spec.From) == 0 {
		b.WriteString(", dead letters alone")
	}
	b.WriteByte('\n')
}

// connectorText is a connector with its first path, if it has one.
func (p *Plan) connectorText(kind string, fields []plugins.Field, c plugins.Config) string {
	for _, f := range fields {
		if f.Type == plugins.Path && c.String(f.Name) != "" {
			return kind + " " + p.relative(c.String(f.Name))
		}
	}
	return kind
}

// notes are what a reader of the plan should know.
func (p *Plan) notes() []string {
	var notes []string
	for _, s := range p.Spec.Sinks {
		if s.Kind.Delivery == plugins.Replay {
			notes = append(notes, fmt.Sprintf("sink %s: a crash may repeat the last epoch, since what %s has printed cannot be taken back", s.Name, s.Kind.Name))
		}
	}
	return notes
}

// relative shows a path from the job file's directory if it is below or near it.
func (p *Plan) relative(path string) string {
	rel, err := filepath.Rel(p.Spec.Dir, path)
	if err != nil || strings.HasPrefix(rel, "../../..") {
		return path
	}
	if rel == "." || strings.HasPrefix(rel, "..") {
		return rel
	}
	return "./" + rel
}

func outputName(s *jobspec.Step, i int) string {
	if i < len(s.Outputs) {
		return s.Outputs[i]
	}
	return ""
}

func keyName(k *jobspec.Key) string {
	switch {
	case k.Own:
		return "its own key"
	case k.Pointer == "":
		return "the whole value"
	}
	return k.Pointer
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
