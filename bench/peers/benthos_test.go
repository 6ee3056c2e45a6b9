package peers_test

import (
	"context"
	"testing"

	_ "github.com/benthosdev/benthos/v4/public/components/wasm" // the processor
	"github.com/benthosdev/benthos/v4/public/service"
)

// benthosContestants are the wasm processor alone, without a pipeline around
// it. It takes batches and calls the module for each message.
func benthosContestants(b *testing.B) (all []contestant) {
	ctx := context.WithoutCancel(b.Context())
	path := peerStep(b, "benthos")
	conf, err := service.NewConfigSpec().Field(service.NewProcessorField("p")).ParseYAML("p:\n  wasm:\n    module_path: "+path+"\n", nil)
	if err != nil {
		b.Fatal(err)
	}
	p, err := conf.FieldProcessor("p")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := p.Close(ctx); err != nil {
			b.Error(err)
		}
	})
	for _, n := range []int{1, 1024} {
		all = append(all, contestant{peer: "benthos", way: "processor", batch: n, bytes: size(b, path), prepare: func(b *testing.B, times int, check func([]string)) func() {
			in := records(n)
			batches := make([]service.MessageBatch, times) // a run changes them
			for i := range batches {
				for _, r := range in {
					batches[i] = append(batches[i], service.NewMessage(r))
				}
			}
			return func() {
				for _, batch := range batches {
					out, err := p.ProcessBatch(ctx, batch)
					if err != nil {
						b.Fatal(err)
					}
					if check != nil {
						check(contents(b, out))
					}
				}
			}
		}})
	}
	return all
}

func contents(b *testing.B, batches []service.MessageBatch) (all []string) {
	for _, batch := range batches {
		for _, m := range batch {
			if err := m.GetError(); err != nil {
				b.Fatal(err)
			}
			v, err := m.AsBytes()
			if err != nil {
				b.Fatal(err)
			}
			all = append(all, string(v))
		}
	}
	return all
}
