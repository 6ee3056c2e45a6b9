#!/usr/bin/env bash
# Runs every fuzz target of the repository for the time given: fuzz.sh 60s
set -euo pipefail
cd "$(dirname "$0")/.."
length=${1:?how long, as in 60s}

said=$(mktemp)
trap 'rm -f "$said"' EXIT

# fuzz runs one target. Go before 1.27 may take the end of the time for a failure
# of the target, for which it names no input (golang/go#75804): then it is run
# again.
fuzz() { # directory, target
  for _ in 1 2 3; do
    go test "$1" -run '^$' -fuzz "^$2\$" -fuzztime "$length" -fuzzminimizetime 10x 2>&1 | tee "$said" && return
    if ! grep -q 'context deadline exceeded' "$said" || grep -q 'Failing input written' "$said"; then
      return 1
    fi
  done
  return 1
}

for mod in . sdk-go; do
  (
    cd "$mod"
    grep -rl --include='*_test.go' '^func Fuzz' . | while read -r file; do
      # Files of other modules are theirs.
      [ "$mod" != . ] || [[ $file != ./sdk-go/* ]] || continue
      sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' "$file" | while read -r target; do
        echo "== $mod $(dirname "$file") $target"
        fuzz "$(dirname "$file")" "$target"
      done
    done
  )
done
