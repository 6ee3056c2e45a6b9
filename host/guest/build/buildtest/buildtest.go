// Package buildtest lets tests build steps with the toolchains that
// scripts/toolchains.sh installs.
package buildtest

import (
	"os"

	"github.com/wasmill/wasmill/host/guest/corpus"
)

// Use points the environment of this process at the toolchains, so that
// package build finds them. It is called by TestMain; where the toolchains are
// not installed it returns an error, and package build takes what is in PATH.
func Use() error {
	env, err := Env()
	if err != nil {
		return err
	}
	for _, v := range env {
		if err := os.Setenv(v[0], v[1]); err != nil {
			return err
		}
	}
	return nil
}

// Env returns the variables that Use sets, name and value each.
func Env() (env [][2]string, err error) {
	tools, err := corpus.Tools()
	if err != nil {
		return nil, err
	}
	set := func(name, value string) { env = append(env, [2]string{name, value}) }
	set("CLANG", tools["clang"])
	set("CARGO", tools["cargo"])
	set("RUSTC", tools["rustc"])
	if sysroot := tools["rust-sysroot"]; sysroot != "" { // absent with rustup's target
		set("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", tools["rust-ld"])
		set("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", "--sysroot="+sysroot)
	}
	set("WASMILL_ASC", tools["asc"])
	set("WASMILL_INTERPRETERS", tools["interpreters"])
	return env, nil
}
