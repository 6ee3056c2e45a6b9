package compile

// ModuleError says what is wrong with a module: it is invalid, or takes too
// much of the compiler. Text names neither files nor functions of the host.
type ModuleError struct{ Text string }

func (e *ModuleError) Error() string { return e.Text }
