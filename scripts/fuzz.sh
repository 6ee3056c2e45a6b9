#!/usr/bin/env bash
# Runs every fuzz target of the repository for the time given: fuzz.sh 60s
set -euo pipefail
cd "$(dirname "$0")/.."
length=${1:?how long, as in 60s}

for mod in . sdk-go; do
  (
    cd "$mod"
    grep -rl --include='*_test.go' '^func Fuzz' . | while read -r file; do
      # Files of other modules are theirs.
      [ "$mod" != . ] || [[ $file != ./sdk-go/* ]] || continue
      sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' "$file" | while read -r target; do
        echo "== $mod $(dirname "$file") $target"
        go test "$(dirname "$file")" -run '^$' -fuzz "^$target\$" -fuzztime "$length" -fuzzminimizetime 10x
      done
    done
  )
done
