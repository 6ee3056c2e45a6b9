//go:build !linux

package guest

import "time"

var began = time.Now()

// threadTime stands for the CPU time of the present thread where the system
// does not tell it: the time elapsed.
func threadTime() time.Duration { return time.Since(began) }
