#!/usr/bin/env bash
# Checks the SDK: format, types, tests, that it packs, and that the tutorial's
# steps type-check and pass theirs. The tools are those of package-lock.json.
set -euo pipefail
cd "$(dirname "$0")"

command -v npm >/dev/null || {
  echo "check.sh: npm is not in PATH: install Node.js 20 or newer" >&2
  exit 1
}
npm ci --ignore-scripts --no-audit --no-fund --silent
npm run --silent lint
npm run --silent types
npm test --silent
npm pack --dry-run --silent >/dev/null

# The conformance program and the tutorial, against this SDK.
modules=$PWD/node_modules
npx prettier --check --log-level warn --config .prettierrc.json ../conformance/guests/ts/*.ts ../examples/clicks/ts/*/*.ts
npx tsc -p ../conformance/guests/ts
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
for step in ../examples/clicks/ts/*/; do
  to=$out/$(basename "$step")
  mkdir -p "$to/node_modules"
  cp "$step"*.ts "$step"*.json "$to"
  ln -s "$PWD" "$to/node_modules/wasmill"
  ln -s "$modules/@types" "$to/node_modules/@types"
  (cd "$to" && "$modules/.bin/tsc" && node --test dist/*.test.js)
done
echo "sdk-ts: all is well"
