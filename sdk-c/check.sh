#!/usr/bin/env bash
# Checks the SDK: it compiles without a warning as C11 and as C++17, its tests
# pass under the sanitizers, the decoders stand a short run of made inputs, and
# modules come out with and without a C library. FUZZ is the seconds of that run.
set -euo pipefail
cd "$(dirname "$0")"

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
tools=${WASMILL_TOOLCHAINS:-${XDG_CACHE_HOME:-$HOME/.cache}/wasmill/toolchains}/tools
clang=$(sed -n 's/^clang //p' "$tools")
ld=$(sed -n 's/^wasm-ld //p' "$tools")
warn=(-Wall -Wextra -Wshadow -Werror)
san=(-g -O1 -fsanitize=address,undefined -fno-sanitize-recover=undefined)
sdk=(wasmill.c wasmill_frame.c wasmill_json.c)
say() { echo "sdk-c: $*"; }

say "warnings"
for file in "${sdk[@]}" wasmill_native.c; do
  for cc in cc "$clang"; do
    "$cc" -std=c11 "${warn[@]}" -O2 -fsyntax-only "$file"
    "$cc" -x c++ -std=c++17 "${warn[@]}" -O2 -fsyntax-only "$file"
  done
done
for header in *.h; do
  cc -x c -std=c11 "${warn[@]}" -fsyntax-only -include "$header" /dev/null
  c++ -x c++ -std=c++17 "${warn[@]}" -fsyntax-only -include "$header" /dev/null
done

say "tests"
cc -std=c11 "${warn[@]}" "${san[@]}" -o "$tmp/json" tests/json_test.c wasmill_json.c wasmill_frame.c -lm
cc -std=c11 "${warn[@]}" "${san[@]}" -o "$tmp/frame" tests/frame_test.c wasmill_frame.c
cc -std=c11 "${warn[@]}" "${san[@]}" -o "$tmp/step" tests/step_test.c "${sdk[@]}" wasmill_native.c -lm
for file in "${sdk[@]}" wasmill_native.c; do
  cc -std=c11 "${san[@]}" -c -o "$tmp/${file%.c}.o" "$file"
done
c++ -std=c++17 "${warn[@]}" "${san[@]}" -o "$tmp/cxx" tests/cxx_test.cc "$tmp"/*.o -lm
"$tmp/json"
"$tmp/frame" ../abi/testdata
"$tmp/step"
"$tmp/cxx"

say "fuzz"
cc -std=c11 "${warn[@]}" "${san[@]}" -o "$tmp/fuzz" tests/fuzz.c wasmill_json.c wasmill_frame.c -lm
"$tmp/fuzz" "${FUZZ:-2}"

say "modules"
"$clang" --target=wasm32-wasi -mexec-model=reactor -fuse-ld="$ld" -O2 -mbulk-memory "${warn[@]}" -o "$tmp/wasi.wasm" \
  tests/echo.c "${sdk[@]}"
"$clang" --target=wasm32-unknown-unknown -ffreestanding -nostdlib -fuse-ld="$ld" -Wl,--no-entry -O2 -mbulk-memory "${warn[@]}" \
  -o "$tmp/free.wasm" tests/echo.c "${sdk[@]}" wasmill_freestanding.c
"$clang" --target=wasm32-wasi -fno-exceptions -x c++ -std=c++17 -O2 "${warn[@]}" -c -o "$tmp/cxx.o" tests/echo.c

if command -v clang-format >/dev/null; then
  say "format"
  clang-format --dry-run -Werror ./*.[ch] tests/*.[ch] tests/*.cc
fi
say "ok"
