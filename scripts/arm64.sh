#!/usr/bin/env bash
# Runs the tests of the parts that depend on the processor on arm64: natively
# there, elsewhere under qemu-user, which is installed where apt-get can do it.
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(
  host/guest/meter
  host/guest/spectest
  host/guest/watchdog
  host/guest # the last, see below
)
limit=${LIMIT:-20m} # for each package

run=()
if [ "$(uname -m)" != aarch64 ]; then
  for emulator in qemu-aarch64-static qemu-aarch64; do
    command -v "$emulator" >/dev/null && break
  done
  if ! command -v "$emulator" >/dev/null; then
    root=()
    [ "$(id -u)" = 0 ] || root=(sudo -n)
    if ! command -v apt-get >/dev/null || ! "${root[@]}" true 2>/dev/null; then
      echo "arm64: install qemu-user (the name is Debian's), then run this again" >&2
      exit 1
    fi
    apt=(scripts/again.sh "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=600 -qq)
    "${apt[@]}" update
    "${apt[@]}" install -y --no-install-recommends qemu-user >&2
    emulator=qemu-aarch64
  fi
  run=("$emulator")
  # host/guest compiles in a child process, which the kernel must know how to
  # start: without binfmt_misc (Debian: qemu-user-binfmt) it is left out.
  if ! grep -qs '^enabled' /proc/sys/fs/binfmt_misc/qemu-aarch64; then
    echo "arm64: host/guest is left out: its children need binfmt_misc for aarch64 (qemu-user-binfmt)" >&2
    unset 'packages[-1]'
  fi
fi

bin=$(mktemp -d)
trap 'rm -rf "$bin"' EXIT
failed=()
for p in "${packages[@]}"; do
  echo "== $p on arm64"
  t="$bin/${p//\//-}.test"
  CGO_ENABLED=0 GOARCH=arm64 go test -c -o "$t" "./$p"
  (cd "$p" && timeout -k 10s "$limit" "${run[@]}" "$t" -test.short -test.timeout "$limit") || failed+=("$p")
done
if [ ${#failed[@]} -gt 0 ]; then
  echo "arm64: failed: ${failed[*]}" >&2
  exit 1
fi
