#!/usr/bin/env bash
# Makes sure that what the tests need is there: Go of the version in go.mod,
# and a C compiler for the race detector. What is missing is installed where
# apt-get can do it, else named.
set -euo pipefail
cd "$(dirname "$0")/.."

want=$(awk '$1 == "go" { print $2; exit }' go.mod)

install() { # what for, packages
  local why=$1
  shift
  local run=()
  if [ "$(id -u)" != 0 ]; then
    run=(sudo -n)
  fi
  if command -v apt-get >/dev/null && { [ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null; }; then
    echo "need: installing $* ($why)" >&2
    local apt=(scripts/again.sh "${run[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=600 -qq)
    "${apt[@]}" update
    "${apt[@]}" install -y --no-install-recommends "$@" >&2
    return
  fi
  echo "need: $why: install the packages $* (names as in Debian), then run this again" >&2
  exit 1
}

if ! command -v go >/dev/null; then
  install "Go $want or newer" golang-go ca-certificates
fi
# A go command from 1.21 on fetches the toolchain that go.mod asks for.
if ! have=$(go env GOVERSION 2>&1); then
  echo "need: Go $want or newer: $have" >&2
  echo "need: install it from https://go.dev/dl/ and put its bin directory into PATH" >&2
  exit 1
fi
if [ "$(printf 'go%s\n%s\n' "$want" "$have" | sort -V | head -n 1)" != "go$want" ]; then
  echo "need: Go $want or newer, not $have: install it from https://go.dev/dl/" >&2
  exit 1
fi
if ! command -v "$(go env CC | cut -d' ' -f1)" >/dev/null; then
  install "a C compiler, for the race detector" gcc libc6-dev
fi
echo "need: $have, $(go env CC)" >&2
