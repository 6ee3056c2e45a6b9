package abi

// Import is one host function of the module ImportModule. Its signature is
// part of the interface: a host links exactly this one, and a module that
// imports the name with another is refused before it is compiled.
type Import struct {
	Name        string
	Params      string // value types in order, separated by a space: "i32 i32 i64"
	Results     string // one value type
	Implemented bool   // by a host of minor version Minor; otherwise it answers ENOSYS
}

// Imports lists every host function in the order of SPEC.md. The place in the
// list, from 1, is the function's number in the stdio carrier, so new ones go
// to the end.
var Imports = [...]Import{
	{"emit", "i32 i32", "i32", true},
	{"fail", "i32 i32 i32 i32", "i32", true},
	{"state_get", "i32 i32 i32 i32 i32", "i32", true},
	{"state_put", "i32 i32 i32 i32 i32", "i32", true},
	{"state_delete", "i32 i32 i32", "i32", true},
	{"state_scan", "i32 i32 i32 i32 i32 i32 i32", "i32", true},
	{"state_get_many", "i32 i32 i32 i32 i32", "i32", true},
	{"table_get_many", "i32 i32 i32 i32 i32", "i32", false},
	{"timer_set", "i32 i32 i64", "i32", false},
	{"timer_delete", "i32 i32", "i32", false},
	{"resume", "i32 i32", "i32", true},
	{"log", "i32 i32 i32", "i32", true},
	{"log_enabled", "i32", "i32", true},
	{"metric_define", "i32 i32 i32", "i32", true},
	{"metric_add", "i32 i64", "i32", true},
	{"config", "i32 i32", "i32", true},
	{"secret", "i32 i32 i32 i32", "i32", false},
	{"now", "", "i64", true},
}

// FindImport returns the host function with that name.
func FindImport(name string) (Import, bool) {
	for _, f := range Imports {
		if f.Name == name {
			return f, true
		}
	}
	return Import{}, false
}
