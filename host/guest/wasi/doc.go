// Package wasi is WASI preview 1 for guests that see nothing of the host:
// output goes to writers, input comes from a reader, time and random bytes
// depend on the batch alone, and files are a tree that can be read. It is
// complete, so that every module that was built for preview 1 links, and
// each function does what a program can build on or says that it does not:
//
//	args_*, environ_*        what Config holds
//	clock_time_get           a clock of the batch, one of the instance; each read advances it
//	clock_res_get            1,000 ns
//	fd_read                  stdin, files
//	fd_pread, fd_seek,       files; ESPIPE for stdio, EISDIR for directories
//	  fd_tell
//	fd_write                 stdout, stderr; EBADF for everything else
//	fd_pwrite                ESPIPE for stdio, else EBADF
//	fd_readdir               directories in the order of names; cookies are indices
//	fd_fdstat_get,           all; inodes are computed from names
//	  fd_filestat_get
//	fd_fdstat_set_flags      accepts append and nonblock, which hold anyway
//	fd_prestat_*             descriptor 3 is "/", if there is a tree
//	fd_close                 all
//	fd_renumber              files of the tree; ENOTSUP for stdio and the root
//	fd_advise, fd_sync,      nothing, successfully
//	  fd_datasync
//	fd_allocate,             EROFS for the tree, EINVAL for stdio
//	  fd_filestat_set_*
//	path_open                for reading; EROFS if it would write or create
//	path_filestat_get        all
//	path_readlink            EINVAL; ENOTSUP for a link
//	all other path_*         EROFS
//	poll_oneoff              returns at once; clocks are moved to the earliest time
//	random_get               bytes of Config.Random
//	proc_exit                unwinds the guest with its code
//	sched_yield              nothing, successfully
//	proc_raise,              ENOSYS
//	  fd_fdstat_set_rights
//	sock_*                   ENOTSUP
//
// # Bounds
//
// A guest is hostile until shown otherwise. An address or length that is not
// within its memory is EFAULT, and nothing was done. No call allocates from a
// length that a guest names. One call moves at most MaxCall bytes: reads,
// writes and listings stop there and say how much they moved, as POSIX lets
// them; random_get, which cannot say it, answers EINVAL. Lists of buffers,
// subscriptions, open files and paths have caps of their own. A call that
// answers with an error has changed no byte of the guest's memory, unless a
// reader of Config failed half-way.
//
// # Paths
//
// A path is relative to a directory that is open, its ".." are taken away
// before anything is looked up, and what is absolute or would leave the
// directory is EPERM. Symbolic links are not followed: ELOOP. Only regular
// files and directories are opened. os.DirFS does show links, so a directory
// is safe as a tree, but an embedded one is also the same everywhere.
//
// # Time
//
// No call waits, and nothing tells a guest how long it ran. A program that
// sleeps, or that spins until a clock has moved, comes to an end: a sleep
// advances both clocks by its length, a read by Tick. A second of spinning is
// a million reads. What sleeping adds to the wall clock lasts until Begin.
package wasi
