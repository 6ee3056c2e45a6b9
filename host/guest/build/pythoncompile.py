# Compiles the modules below /app as files of their own: what is found without
# a source beside it. The hash in each is not checked when it is loaded.
import importlib.util
import os
import struct
import sys
from importlib import _bootstrap_external

DEPENDENCIES = "/app/.dependencies"


def modules():
    for at, dirs, files in os.walk("/app"):
        dirs[:] = sorted(d for d in dirs if d != "__pycache__")
        for name in sorted(files):
            if name.endswith(".py"):
                yield os.path.join(at, name)[len("/app/") :]


def write(block):
    os.write(1, struct.pack("<I", len(block)))
    done = 0
    while done < len(block):
        done += os.write(1, block[done:])


foreign = set()
if os.path.exists(DEPENDENCIES):
    with open(DEPENDENCIES, encoding="utf-8") as f:
        foreign = set(f.read().splitlines())

failed = False
for name in modules():
    with open("/app/" + name, "rb") as f:
        source = f.read()
    try:
        code = compile(source, name, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError) as error:
        if name in foreign:  # a template, or for another version: it stays as it is
            continue
        failed = True
        line = getattr(error, "lineno", None)
        print(f"{name}:{line}: {error.msg}" if line else f"{name}: {error}", file=sys.stderr)
        continue
    write(name.encode())
    write(_bootstrap_external._code_to_hash_pyc(code, importlib.util.source_hash(source), False))
sys.exit(failed)
