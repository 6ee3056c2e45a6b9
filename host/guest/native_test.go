package guest_test

import (
	"context"
	"errors"
	"testing"

	"github.com/wasmill/wasmill/abi"
	"github.com/wasmill/wasmill/abi/wire"
	"github.com/wasmill/wasmill/host/guest"
)

// native emits every batch and refuses to end.
type native struct {
	calls guest.Calls
	err   error
}

func (n *native) Batch(b *wire.Batch) (abi.Errno, error) {
	return n.calls.Emit(b.AppendFrame(nil)), n.err
}

func (n *native) End(token []byte) (bool, abi.Errno, error) {
	return len(token) == 0, abi.ENOSPC, n.err
}

func TestNative_StandsBehindTheSameInterfaces(t *testing.T) {
	ctx := context.Background()
	n := &native{}
	m := guest.Native("copy", func(config guest.Init, c guest.Calls) (guest.NativeInstance, error) {
		if config.Step == "" {
			return nil, errors.New("no step")
		}
		n.calls = c
		return n, nil
	})
	if m.Digest() == guest.Native("other", nil).Digest() {
		t.Fatal("two names have one digest")
	}
	var tr *guest.Trap
	if _, err := m.Instantiate(ctx, guest.Init{}, nil); !errors.As(err, &tr) || tr.Kind != guest.TrapInit || tr.Message != "no step" {
		t.Fatalf("init: %v", err)
	}
	c := &calls{}
	in, err := m.Instantiate(ctx, guest.Init{Step: "s"}, c)
	if err != nil {
		t.Fatal(err)
	}
	run(t, in, batch("a", "b"))
	if len(c.records) != 2 {
		t.Fatalf("records %v", c.records)
	}
	if more, status, err := in.End(ctx, nil); !more || status != abi.ENOSPC || err != nil {
		t.Fatalf("end: %v %v %v", more, status, err)
	}
	n.err = &guest.Trap{Kind: guest.TrapMemory, Message: "full"}
	if tr := trap(t, in, batch("a")); tr.Kind != guest.TrapMemory || tr.Module != m.Digest() {
		t.Fatalf("trap %+v", tr)
	}
	if _, _, err := in.End(ctx, nil); !errors.As(err, &tr) || tr.Kind != guest.TrapMemory {
		t.Fatalf("end of a dead instance: %v", err)
	}

	n.err = errors.New("broken")
	in, _ = m.Instantiate(ctx, guest.Init{Step: "s"}, c)
	if tr := trap(t, in, batch("a")); tr.Kind != guest.TrapCode || tr.Message != "broken" {
		t.Fatalf("trap %+v", tr)
	}
	in, _ = m.Instantiate(ctx, guest.Init{Step: "s"}, c)
	if err := in.Close(ctx); err != nil {
		t.Fatal(err)
	}
	if tr := trap(t, in, batch("a")); tr.Kind != guest.TrapStop {
		t.Fatalf("trap %+v", tr)
	}
}
