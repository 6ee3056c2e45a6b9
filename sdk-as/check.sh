#!/usr/bin/env bash
# Checks the SDK: it compiles without a warning, and its codec and JSON do what
# the golden vectors and Node.js say. The conformance suite does the rest.
set -euo pipefail
cd "$(dirname "$0")"

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
tools=${WASMILL_TOOLCHAINS:-${XDG_CACHE_HOME:-$HOME/.cache}/wasmill/toolchains}/tools
node=$(sed -n 's/^node //p' "$tools")
asc=$(sed -n 's/^asc //p' "$tools")

for runtime in minimal incremental; do
  echo "sdk-as: tests, runtime $runtime"
  "$node" "$asc" tests/probe.ts --runtime "$runtime" -O2 -o "$tmp/probe.wasm" 2>"$tmp/err" || { cat "$tmp/err"; exit 1; }
  if [ -s "$tmp/err" ]; then
    cat "$tmp/err"
    exit 1
  fi
  MODULE=$tmp/probe.wasm TESTDATA=../abi/testdata "$node" --test tests/run.mjs >"$tmp/out" || { cat "$tmp/out"; exit 1; }
  grep -E '^# (seed|pass)' "$tmp/out"
done
echo "sdk-as: ok"
