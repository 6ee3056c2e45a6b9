package wasi

import "github.com/tetratelabs/wazero/api"

// Module is the name that guests import from.
const Module = "wasi_snapshot_preview1"

// Func is a function of WASI.
type Func struct {
	Name            string
	Params, Results []api.ValueType

	serve func(*State, api.Memory, []uint64) Errno // its arguments are as many as Params
}

// Call serves a call of a guest with memory m. stack holds the arguments and
// takes the error number. proc_exit does not return, it panics with a
// *sys.ExitError.
func (f *Func) Call(s *State, m api.Memory, stack []uint64) {
	stack[0] = uint64(f.serve(s, m, stack))
}

// Funcs are all functions of WASI preview 1. It is not to be changed.
var Funcs = []Func{
	function("args_get", "ii", argsGet),
	function("args_sizes_get", "ii", argsSizesGet),
	function("environ_get", "ii", environGet),
	function("environ_sizes_get", "ii", environSizesGet),
	function("clock_res_get", "ii", clockResGet),
	function("clock_time_get", "ili", clockTimeGet),
	function("fd_advise", "illi", fdAdvise),
	function("fd_allocate", "ill", fdAllocate),
	function("fd_close", "i", fdClose),
	function("fd_datasync", "i", fdSync),
	function("fd_fdstat_get", "ii", fdFdstatGet),
	function("fd_fdstat_set_flags", "ii", fdFdstatSetFlags),
	function("fd_fdstat_set_rights", "ill", unknown),
	function("fd_filestat_get", "ii", fdFilestatGet),
	function("fd_filestat_set_size", "il", fdChange),
	function("fd_filestat_set_times", "illi", fdChange),
	function("fd_pread", "iiili", fdPread),
	function("fd_prestat_get", "ii", fdPrestatGet),
	function("fd_prestat_dir_name", "iii", fdPrestatDirName),
	function("fd_pwrite", "iiili", fdPwrite),
	function("fd_read", "iiii", fdRead),
	function("fd_readdir", "iiili", fdReaddir),
	function("fd_renumber", "ii", fdRenumber),
	function("fd_seek", "ilii", fdSeek),
	function("fd_sync", "i", fdSync),
	function("fd_tell", "ii", fdTell),
	function("fd_write", "iiii", fdWrite),
	function("path_create_directory", "iii", pathChange),
	function("path_filestat_get", "iiiii", pathFilestatGet),
	function("path_filestat_set_times", "iiiilli", pathSetTimes),
	function("path_link", "iiiiiii", pathLink),
	function("path_open", "iiiiillii", pathOpen),
	function("path_readlink", "iiiiii", pathReadlink),
	function("path_remove_directory", "iii", pathChange),
	function("path_rename", "iiiiii", pathRename),
	function("path_symlink", "iiiii", pathSymlink),
	function("path_unlink_file", "iii", pathChange),
	function("poll_oneoff", "iiii", pollOneoff),
	{Name: "proc_exit", Params: types("i"), serve: procExit},
	function("proc_raise", "i", unknown),
	function("random_get", "ii", randomGet),
	function("sched_yield", "", schedYield),
	function("sock_accept", "iii", noSockets),
	function("sock_recv", "iiiiii", noSockets),
	function("sock_send", "iiiii", noSockets),
	function("sock_shutdown", "ii", noSockets),
}

func function(name, params string, serve func(*State, api.Memory, []uint64) Errno) Func {
	return Func{name, types(params), types("i"), serve}
}

// types reads a letter a value: i for i32, l for i64.
func types(letters string) []api.ValueType {
	list := make([]api.ValueType, len(letters))
	for i := range letters {
		list[i] = api.ValueTypeI32
		if letters[i] == 'l' {
			list[i] = api.ValueTypeI64
		}
	}
	return list
}
