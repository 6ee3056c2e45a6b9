package guest

import "context"

// callContext carries the instance to its host functions. Each instance has
// one, whose Context is replaced call by call, because a context made anew
// would be an allocation a call.
type callContext struct {
	context.Context
	in *instance
}

type instanceKey struct{}

// Value implements context.Context.
func (c *callContext) Value(key any) any {
	if _, ok := key.(instanceKey); ok {
		return c.in
	}
	return c.Context.Value(key)
}

// instanceOf returns the instance that is calling.
func instanceOf(ctx context.Context) *instance {
	in, _ := ctx.Value(instanceKey{}).(*instance)
	return in
}
