"""The other side of the tests: what CPython's json and marshal say.

Reads and writes messages, each a u32 length and bytes. A message's first byte
says what it asks for.
"""

import base64
import json
import marshal
import random
import struct
import sys


def read():
    head = sys.stdin.buffer.read(4)
    if len(head) < 4:
        sys.exit(0)
    return sys.stdin.buffer.read(struct.unpack("<I", head)[0])


def write(data):
    sys.stdout.buffer.write(struct.pack("<I", len(data)) + data)
    sys.stdout.buffer.flush()


def exact(value):
    """A text that differs wherever two values of JSON do."""
    return repr(value)


def check(plain, rich):
    """Compare two batches of the same records: as bytes, and decoded."""
    faults, refused = [], []
    plain, rich = marshal.loads(plain), marshal.loads(rich)
    if plain[:2] != rich[:2]:
        faults.append([-1, f"partition {plain[:2]!r} and {rich[:2]!r}"])
    if len(plain[3]) != len(rich[3]):
        return {"faults": [[-1, "other records"]], "refused": []}
    for i, (a, b) in enumerate(zip(plain[3], rich[3])):
        if a[0] != b[0] or a[3:] != b[3:]:
            faults.append([i, f"{a!r} and {b!r}"])
        value = a[1]
        try:
            want = None if value is None else json.loads(value)
        except (ValueError, RecursionError) as e:
            if b[2] is not ...:
                faults.append([i, f"{b[2]!r} where json.loads raises {e!r}"])
                continue
            want = ...
        if b[2] is ...:
            if want is not ... and value is not None:
                refused.append(i)
            if b[1] != value:
                faults.append([i, f"the value {value!r} is handed over as {b[1]!r}"])
        elif b[1] is not ...:
            faults.append([i, "a value that was not asked for"])
        elif exact(want) != exact(b[2]):
            faults.append([i, f"{b[2]!r}, json.loads gives {want!r}"])
    if rich[2] is not all(row[2] is not ... for row in rich[3]):
        faults.append([-1, f"all is {rich[2]!r}"])
    return {"faults": faults, "refused": refused}


CHARS = ["a", "Z", " ", '"', "\\", "/", "\n", "\x00", "\x1f", "\x7f", "\x80", "é", "ퟗ", "\ud800", "\udfff", "\ue000", "\uffff", "\U0001f600"]
FLOATS = [0.0, -0.0, 1e16, 1e-4, 9.999e-5, 1e22, 5e-324, 1.7976931348623157e308, 9999999999999998.0, 0.1, float("inf"), -float("inf"), float("nan")]


def text(r):
    return "".join(r.choices(CHARS, k=r.choice([0, 1, 2, 5, 300])))


def number(r):
    kind = r.randrange(6)
    if kind == 0:
        return r.randrange(-200, 200)
    if kind == 1:
        return r.randrange(-(2**66), 2**66)
    if kind == 2:
        return r.choice([1, -1]) * (1 << r.randrange(200)) + r.randrange(-1, 2)
    if kind == 3:
        return r.choice(FLOATS)
    if kind == 4:
        return struct.unpack("<d", r.randbytes(8))[0]
    return r.uniform(-1, 1) * 10 ** r.randrange(-20, 20)


shared = []


def value(r, depth=0):
    """A random value, of which parts are the same object."""
    if shared and r.random() < 0.1:
        return r.choice(shared)
    v = fresh(r, depth)
    if r.random() < 0.1:
        shared[r.randrange(20) :] = [v]
    return v


def fresh(r, depth):
    kind = r.randrange(14 if depth < 5 else 8)
    if kind < 3:
        return text(r)
    if kind < 6:
        return number(r)
    if kind < 8:
        return r.choice([None, True, False])
    if kind < 10:
        return [value(r, depth + 1) for _ in range(r.randrange(4))]
    if kind < 11:
        return tuple(value(r, depth + 1) for _ in range(r.randrange(4)))
    return {key(r): value(r, depth + 1) for _ in range(r.randrange(5))}


def key(r):
    if r.random() < 0.02:
        return r.choice([b"x", (1, 2), frozenset([1]), ..., 1j, check.__code__])
    return r.choice([text, number, lambda r: r.choice([None, True, False])])(r)


def ring():
    a = [1, {}]
    a[1]["a"] = (2, a)
    return a


def odd(r, version):
    if version > 2 and r.random() < 0.1:
        return ring()
    v = r.choice([{1, "a"}, frozenset([2]), b"bytes", 1j, ..., StopIteration, check.__code__, 10**4300, -(10**4300), 10**5000, {(1,): 2}])
    return r.choice([v, [v], {"a": [1, v], "b": 2}, {"a": ({"b": v},)}]) if not isinstance(v, bytes) else [v]


def dumps(seed, count, version):
    """Make a return of random records, and say what json.dumps makes of each."""
    r = random.Random(seed)
    shared.clear()
    values = [10**4300 - 1, -(10**4300) + 1, *FLOATS, {1: 1, "1": 2, True: 3, "true": 4, None: 5, "null": 6, 1.5: 7, "1.5": 8}]
    values += [odd(r, version) if r.random() < 0.1 else value(r) for _ in range(count)]
    values = [v for v in values if v is not None]
    want = []
    for v in values:
        try:
            out = json.dumps(v, separators=(",", ":"), ensure_ascii=False)
            want.append([True, base64.b64encode(out.encode("utf-8", "backslashreplace")).decode()])
        except (TypeError, ValueError) as e:
            want.append([False, base64.b64encode(f"{type(e).__name__}: {e}".encode()).decode()])
    emits = [(i, i % 3, None, v, None, 0, ()) for i, v in enumerate(values)]
    write(marshal.dumps((3, emits, [], []), version))
    write(json.dumps(want).encode())


while True:
    ask = read()
    if ask[:1] == b"l":
        write(json.dumps(check(read(), read())).encode())
    elif ask[:1] == b"e":
        write(marshal.dumps(eval(ask[1:])))
    else:
        dumps(*json.loads(ask[1:]))
