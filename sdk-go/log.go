package wasmill

import "github.com/wasmill/wasmill/sdk-go/internal/host"

// The levels of logs, as the border has them.
const (
	levelDebug int32 = iota
	levelInfo
	levelWarn
	levelError
)

// Debug, Info, Warn and Error write a line to the log of the job, with the
// step's name and task. The host drops lines above a rate. What a module
// prints to its standard output and error goes there as well.
func (cx *Context) Debug(text string) { host.Log(levelDebug, text) }
func (cx *Context) Info(text string)  { host.Log(levelInfo, text) }
func (cx *Context) Warn(text string)  { host.Log(levelWarn, text) }
func (cx *Context) Error(text string) { host.Log(levelError, text) }

// DebugEnabled reports whether Debug goes anywhere, so that the text need not
// be made in vain.
func (cx *Context) DebugEnabled() bool { return host.LogEnabled(levelDebug) > 0 }
