package plan

import "encoding/json"

// document is the plan as JSON: the form that other programs may rely on.
type document struct {
	Job       string        `json:"job"`
	Guarantee string        `json:"guarantee"`
	EpochMS   float64       `json:"epoch_ms"`
	StateDir  string        `json:"state_dir"`
	Stages    []stageDoc    `json:"stages"`
	Exchanges []exchangeDoc `json:"exchanges"`
	Sinks     []sinkDoc     `json:"sinks"`
	Topics    []string      `json:"topics"` // that would be made
	Notes     []string      `json:"notes"`
}

type stageDoc struct {
	Name       string    `json:"name"`
	Source     string    `json:"source,omitempty"`
	Kind       string    `json:"kind,omitempty"` // of the source
	Tasks      int       `json:"tasks"`
	Partitions int       `json:"partitions"`
	Feeds      []edgeDoc `json:"feeds,omitempty"`
	Steps      []stepDoc `json:"steps"`
}

type stepDoc struct {
	Name    string      `json:"name"`
	Inputs  []string    `json:"inputs"`
	Wasm    string      `json:"wasm,omitempty"`
	Stores  []string    `json:"stores,omitempty"`
	Outputs []outputDoc `json:"outputs"`
}

type outputDoc struct {
	Name string    `json:"name"`
	To   []edgeDoc `json:"to"`
}

type edgeDoc struct {
	Step     string `json:"step,omitempty"`
	Exchange *int   `json:"exchange,omitempty"` // index in exchanges
	Sink     string `json:"sink,omitempty"`
}

type exchangeDoc struct {
	From       string  `json:"from"`
	Producer   string  `json:"producer"` // stage
	Consumer   string  `json:"consumer"` // stage
	Key        *string `json:"key"`      // JSON Pointer; null = the record's own key
	Partitions int     `json:"partitions"`
}

type sinkDoc struct {
	Name    string      `json:"name"`
	Kind    string      `json:"kind"`
	Writers []writerDoc `json:"writers"`
}

type writerDoc struct {
	Stage string `json:"stage"`
	First int    `json:"first"`
	Tasks int    `json:"tasks"`
}

// JSON returns the plan as indented JSON with a newline at the end.
func (p *Plan) JSON() ([]byte, error) {
	d := document{
		Job:       p.Spec.Job,
		Guarantee: string(p.Spec.Guarantee),
		EpochMS:   p.Spec.Epoch.Seconds() * 1000,
		StateDir:  p.Spec.StateDir,
		Stages:    []stageDoc{},
		Exchanges: []exchangeDoc{},
		Sinks:     []sinkDoc{},
		Topics:    []string{},
		Notes:     append([]string{}, p.notes()...),
	}
	for i := range p.Stages {
		d.Stages = append(d.Stages, p.stageDoc(&p.Stages[i]))
	}
	for _, x := range p.Exchanges {
		doc := exchangeDoc{From: x.From, Producer: p.Stages[x.Producer].Name, Consumer: p.Stages[x.Consumer].Name, Partitions: x.Partitions}
		if x.Key != nil && !x.Key.Own {
			doc.Key = &x.Key.Pointer
		}
		d.Exchanges = append(d.Exchanges, doc)
	}
	for i, s := range p.Sinks {
		spec := &p.Spec.Sinks[i]
		doc := sinkDoc{Name: spec.Name, Kind: spec.Kind.Name, Writers: []writerDoc{}}
		for _, w := range s.Writers {
			doc.Writers = append(doc.Writers, writerDoc{p.Stages[w.Stage].Name, w.First, p.Stages[w.Stage].Tasks})
		}
		d.Sinks = append(d.Sinks, doc)
	}
	b, err := json.MarshalIndent(d, "", "  ")
	return append(b, '\n'), err
}

func (p *Plan) stageDoc(st *Stage) stageDoc {
	d := stageDoc{Name: st.Name, Tasks: st.Tasks, Partitions: st.Partitions, Steps: []stepDoc{}, Feeds: p.edgeDocs(st, st.Feeds)}
	if st.Source >= 0 {
		d.Source = p.Spec.Sources[st.Source].Name
		d.Kind = p.Spec.Sources[st.Source].Kind.Name
	}
	for _, step := range st.Steps {
		s := &p.Spec.Steps[step.Spec]
		doc := stepDoc{Name: s.Name, Inputs: step.Inputs, Wasm: s.Wasm}
		for _, store := range step.Stores {
			doc.Stores = append(doc.Stores, store.Name)
		}
		for i, edges := range step.Outs {
			doc.Outputs = append(doc.Outputs, outputDoc{outputName(s, i), p.edgeDocs(st, edges)})
		}
		d.Steps = append(d.Steps, doc)
	}
	return d
}

func (p *Plan) edgeDocs(st *Stage, edges []Edge) []edgeDoc {
	docs := []edgeDoc{}
	for _, e := range edges {
		var d edgeDoc
		switch e.Kind {
		case ToStep:
			d.Step = p.Spec.Steps[st.Steps[e.Index].Spec].Name
		case ToExchange:
			d.Exchange = &e.Index
		case ToSink:
			d.Sink = p.Spec.Sinks[e.Index].Name
		}
		docs = append(docs, d)
	}
	return docs
}
