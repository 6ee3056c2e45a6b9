#!/usr/bin/env bash
# The tests of the Rust SDK: format, lints, tests with and without the feature
# json, documentation, packages.
set -euo pipefail
cd "$(dirname "$0")"
toolchain() { # the first that has the command: rustup's, whose lints and format are pinned by it
  command -v "$1" >/dev/null || { echo "sdk-rust/check.sh: $1 is not in PATH: install Rust from rustup, with rustfmt and clippy" >&2; exit 1; }
}
toolchain cargo
cargo fmt --all --check
cargo clippy --workspace --all-targets --locked --quiet -- -D warnings
cargo clippy --workspace --all-targets --no-default-features --locked --quiet -- -D warnings
cargo test --workspace --locked --quiet
cargo test --workspace --no-default-features --locked --quiet
RUSTDOCFLAGS=-Dwarnings cargo doc --workspace --no-deps --locked --quiet
cargo package --workspace --locked --allow-dirty --quiet
echo "sdk-rust: all tests passed"
