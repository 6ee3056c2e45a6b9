#!/usr/bin/env bash
# The tests of the Rust SDK: format, lints, tests with and without the feature
# json, documentation, packages.
set -euo pipefail
cd "$(dirname "$0")"
for tool in cargo cargo-fmt cargo-clippy; do
  command -v "$tool" >/dev/null || {
    echo "sdk-rust/check.sh: $tool is not in PATH: install Rust 1.95 or later by rustup, with rustfmt and clippy" >&2
    exit 1
  }
done
cargo fmt --all --check
cargo clippy --workspace --all-targets --locked --quiet -- -D warnings
cargo clippy --workspace --all-targets --no-default-features --locked --quiet -- -D warnings
cargo test --workspace --locked --quiet
# The examples of the documentation are those of the default features.
cargo test --workspace --no-default-features --lib --tests --locked --quiet
RUSTDOCFLAGS=-Dwarnings cargo doc --workspace --no-deps --locked --quiet
cargo package --workspace --locked --allow-dirty --quiet
echo "sdk-rust: all tests passed"
