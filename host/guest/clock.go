package guest

// clock is what a guest sees of time through WASI. Its wall clock is the
// batch's time; its monotonic clock has no relation to it and none to the
// host's: it advances by 1 µs a read, and by the length of a sleep, which
// returns at once. So equal batches see equal times.
type clock struct {
	start     int64 // wall clock reads during start-up, when there is no batch
	monotonic int64 // nanoseconds
}

const tick = 1000 // nanoseconds a read

// wall returns nanoseconds since 1970.
func (in *instance) wall() int64 {
	if in.op == 0 {
		in.clock.start += tick
		return in.clock.start
	}
	return in.calls.Now()
}

func (c *clock) read() int64 {
	c.monotonic += tick
	return c.monotonic
}

func (c *clock) sleep(ns int64) {
	if ns > 0 {
		c.monotonic += ns
	}
}
