#!/usr/bin/env bash
# Runs a command that asks a registry, and runs it again where it fails: a
# registry may be away for a moment, or another apt-get at work.
#   again.sh COMMAND...
set -euo pipefail
for pause in 3 10 30; do
  "$@" && exit
  echo "again: failed, and is run once more in $pause seconds: $*" >&2
  sleep "$pause"
done
exec "$@"
