// Package benchhost lets a benchmark be the host of a step: the SDK's border is
// internal to its module, of which this becomes a part for the benchmark.
package benchhost

import "github.com/wasmill/wasmill/sdk-go/internal/host"

// Host is what a step asks for; Instance is the step.
type (
	Host     = host.Host
	Instance = host.Instance
)

// New makes an instance.
func New() Instance { return host.NewInstance() }

// Call runs fn, during which the imports go to h.
func Call(h Host, fn func() int32) int32 { return host.Call(h, fn) }
