#!/usr/bin/env bash
# Builds the engine for JavaScript: host/guest/quickjs/engine and QuickJS-NG as
# one module.
#
#     build.sh           writes engine.wasm.gz and digest.txt here
#     build.sh OUT       writes the module to the file OUT alone
#
# The source of QuickJS-NG is that of the crate libquickjs-ng-sys 0.14.0, sha256
# 9c81e864c33a1d1543f2f651d7622de0e8fb9b8e0c50b808eee606c056dd02e2. It, clang 14
# and wasi-libc of Debian 12 are what scripts/toolchains.sh installs; with the
# same ones the bytes are the same.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
tools=${WASMILL_TOOLCHAINS:-${XDG_CACHE_HOME:-$HOME/.cache}/wasmill/toolchains}/tools

tool() { # name
  local path
  path=$(sed -n "s/^$1 //p" "$tools" 2>/dev/null)
  [ -n "$path" ] || { echo "build.sh: no $1: run scripts/toolchains.sh" >&2; exit 1; }
  echo "$path"
}
clang=$(tool clang)
src=$(tool quickjs-src)

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# prelude.js as a string of C.
{
  echo 'static const char prelude[] ='
  sed 's/\\/\\\\/g; s/"/\\"/g; s/^\(.*\)$/"\1\\n"/' "$here/engine/prelude.js"
  echo ';'
} >"$tmp/prelude.h"

# A stack of 1 MiB, below the data: what exceeds it traps. JavaScript is held
# to less, see MAX_STACK in main.c.
cp "$src"/*.c "$src"/*.h "$here"/engine/*.c "$here"/engine/*.h "$tmp"
cd "$tmp"

# QuickJS bounds recursion by the stack in memory, and the host by the locals
# of functions. What recurses by itself (JSON, the parser, regular expressions)
# has few bytes of the former and many of the latter: its frames are made as
# large, so that what is too deep is an exception and no trap.
sed -i '/^JSRuntime \*JS_NewRuntime2/i \
#define js_check_stack_overflow(rt, n) \\\
    ({ char pad[__builtin_constant_p(n) ? 256 + (n) : 1]; __asm__ volatile("" : : "r"(pad) : "memory"); js_check_stack_overflow(rt, n); })' quickjs.c

# An array of bytes whose buffer can be resized has as many as that has now.
sed -i '/^uint8_t \*JS_GetUint8Array/,/^}/s/\*psize = ta->length;/*psize = p->u.array.count;/' quickjs.c

grep -q 'char pad' quickjs.c && grep -q 'psize = p->u.array.count' quickjs.c || { echo "build.sh: quickjs.c is not the one that it should be" >&2; exit 1; }
flags=(--target=wasm32-wasi -O2 -D_GNU_SOURCE -DNDEBUG -D_WASI_EMULATED_SIGNAL -D_WASI_EMULATED_PROCESS_CLOCKS)
ours=()
for file in "$here"/engine/*.c; do ours+=("$(basename "$file")"); done
"$clang" "${flags[@]}" -mexec-model=reactor -o engine.wasm "${ours[@]}" quickjs.c libregexp.c libunicode.c dtoa.c \
  -lwasi-emulated-process-clocks -lwasi-emulated-signal \
  -Wl,--strip-debug,--stack-first,-z,stack-size=1048576

if [ $# = 1 ]; then
  mv engine.wasm "$1"
  exit
fi
gzip -9 -n -c engine.wasm >"$here/engine.wasm.gz"
echo "sha256:$(sha256sum engine.wasm | cut -d' ' -f1)" >"$here/digest.txt"
