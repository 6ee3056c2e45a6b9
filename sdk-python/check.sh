#!/usr/bin/env bash
# Checks the SDK: format, lint, types, tests, and that it packs. The tools are
# those of requirements-dev.txt, installed by pip into a virtual environment in
# the user's cache.
set -euo pipefail
cd "$(dirname "$0")"

python=${PYTHON:-python3}
cache=${XDG_CACHE_HOME:-$HOME/.cache}/wasmill/sdk-python
want=$({ cat requirements-dev.txt; "$python" -VV; } | sha256sum | cut -c1-16)
venv=$cache/venv-$want
mkdir -p "$cache"
if command -v flock >/dev/null; then # one at a time: other checkouts have the same cache
  exec 9>"$cache/lock"
  flock 9
fi
if [ ! -e "$venv/ready" ]; then
  rm -rf "$venv"
  "$python" -m venv "$venv" || {
    echo "check.sh: $python cannot make a virtual environment: install Python 3.9 or later with venv (Debian: python3-venv)" >&2
    exit 1
  }
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
  touch "$venv/ready"
fi
exec 9>&-
bin=$venv/bin
src=$PWD/src
steps=$PWD/.mypy_cache/steps

"$bin/ruff" format --check .
"$bin/ruff" check .
"$bin/mypy"
"$bin/python" -m pytest -q

# In the project's repository the steps that are written with it, too.
for step in ../conformance/guests/python ../examples/clicks/python/*; do
  [ -d "$step" ] || continue
  (
    cd "$step"
    "$bin/ruff" format --check --quiet --isolated --line-length 120 .
    "$bin/ruff" check --quiet --isolated --line-length 120 --target-version py39 --select B,E,F,I,SIM,UP,W .
    MYPYPATH=$src "$bin/mypy" --strict --no-error-summary --cache-dir "$steps" .
    if [ -e test_step.py ]; then "$bin/python" -m pytest -q -p no:cacheprovider; fi
  )
done
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
"$bin/python" -m build --no-isolation --outdir "$out" . >"$out/log" 2>&1 || {
  cat "$out/log" >&2
  exit 1
}
ls "$out"/wasmill-*.whl "$out"/wasmill-*.tar.gz >/dev/null
echo "sdk-python: all is well"
