//go:build !wasip1

package wasmill

import "github.com/wasmill/wasmill/sdk-go/internal/host"

func init() {
	host.NewInstance = func() host.Instance { return &native{} }
}

// native is an instance in a native build.
type native struct{ cx Context }

func (n *native) Alloc(size int) []byte                  { return n.cx.alloc(size) }
func (n *native) Init(payload []byte) int32              { return n.cx.initialise(payload) }
func (n *native) Process(op int32, payload []byte) int32 { return n.cx.process(op, payload) }
