package admit

// hosts are the hosts that modules in the wild are built for, by what they
// import. The first that fits counts.
var hosts = []struct {
	module string
	exact  bool   // else it is how the module's name begins
	name   string // how the function's name begins
	what   string
	do     string
}{
	{"env", true, "proxy_", "this is the interface of proxy-wasm", "port the code to a wasmill SDK"},
	{"env", true, "emscripten_", "this is Emscripten's runtime in JavaScript", "build with -sSTANDALONE_WASM, or with clang and wasi-libc"},
	{"env", true, "__syscall", "this is Emscripten's runtime in JavaScript", "build with -sSTANDALONE_WASM, or with clang and wasi-libc"},
	{"env", true, "invoke_", "this is how Emscripten makes exceptions", "build without exceptions (-fno-exceptions)"},
	{"env", true, "__cxa_", "this is the support of C++ exceptions", "build without exceptions (-fno-exceptions)"},
	{"env", true, "abort", "this is AssemblyScript's abort", "compile with --use abort=, or give it a function of the module"},
	{"env", true, "seed", "this is AssemblyScript's source of random numbers", "compile with --use seed= and a function of the module"},
	{"env", true, "", "env is where linkers put functions that they did not find", "link the library that defines it"},
	{"wasi_unstable", true, "", "this is a draft of WASI from before preview 1", "build with a toolchain from 2020 or later"},
	{"wasi_ephemeral_", false, "", "this is a proposal to WASI that is not in preview 1", "build without it"},
	{"wasi_nn", true, "", "this is a proposal to WASI that is not in preview 1", "build without it"},
	{"wasi:", false, "", "this is WASI preview 2, which needs components", "build for preview 1 (for Rust: target wasm32-wasip1)"},
	{"wasi", true, "thread-", "this starts threads, and a step has none", "build without threads (for Rust: target wasm32-wasip1)"},
	{"wasix_", false, "", "this is WASIX, of Wasmer", "build for WASI preview 1"},
	{"wasm_nn", true, "", "this is a proposal to WASI that is not in preview 1", "build without it"},
	{"extism:", false, "", "this is the interface of Extism's plugins", "port the code to a wasmill SDK"},
	{"wbg", true, "", bindgen, noBindgen},
	{"__wbindgen_", false, "", bindgen, noBindgen},
	{"./", false, "", bindgen, noBindgen},
	{"gojs", true, "", "this is Go for browsers", "build with GOOS=wasip1"},
	{"go", true, "", "this is Go for browsers", "build with GOOS=wasip1"},
	{"a", true, "", "this is Emscripten's runtime in JavaScript, its names made short", "build with -sSTANDALONE_WASM, or with clang and wasi-libc"},
	{"GOT.", false, "", "this is a library for dynamic linking", "link it as a module of its own"},
	{"redpanda_transform", true, "", "this is the interface of Redpanda's data transforms", "port the code to a wasmill SDK"},
	{"wapc", true, "", "this is the interface of waPC", "port the code to a wasmill SDK"},
	{"spectest", true, "", "this is a module of the specification's tests", "it is not meant to be run"},
	{"wasmill_v", false, "", "this is another version of wasmill's functions", "build it with the SDK of this version"},
}

const (
	bindgen   = "this is wasm-bindgen, for browsers"
	noBindgen = "build without wasm-bindgen (often it comes with getrandom's js feature, chrono's wasmbind or js-sys)"
)
