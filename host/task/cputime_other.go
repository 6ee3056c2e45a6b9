//go:build !linux

package task

import "time"

func threadTime() (cpu time.Duration, ok bool) { return 0, false }
