"""Cases about records: what is emitted and what is rejected."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import wasmill


def echo(record: wasmill.Record, cx: wasmill.Context) -> wasmill.Record:
    return record.replace(time=wasmill.INHERIT)


def batch(batch: wasmill.Batch, cx: wasmill.Context) -> str:
    size = sum(len(record.key or b"") + len(record.value or b"") for record in batch)
    return f"{len(batch)} {size}"


def outputs(record: wasmill.Record, cx: wasmill.Context) -> None:
    name = (record.value or b"").decode()
    if name not in cx.outputs:
        raise wasmill.Reject(f"no output {name}")
    cx.emit(record.value, record.key, output=name)


def fail(record: wasmill.Record, cx: wasmill.Context) -> bytes | None:
    what, _, rest = (record.value or b"").decode().partition(" ")
    if what == "fail":
        code, _, text = rest.partition(" ")
        raise wasmill.Reject(text, int(code))
    if what == "panic":
        raise RuntimeError(rest)
    return record.value


def json(record: wasmill.Record, cx: wasmill.Context) -> dict[str, Any]:
    try:
        click = record.json
    except (ValueError, RecursionError):
        click = None
    if not isinstance(click, dict) or type(click.get("user")) is not str or type(click.get("n")) is not int:
        raise wasmill.Reject("not a click")
    return {"user": click["user"], "twice": 2 * click["n"]}


def flags(record: wasmill.Record, cx: wasmill.Context) -> Iterator[wasmill.Record]:
    yield wasmill.Record(record.value, "i", flags=wasmill.INSERT)
    yield wasmill.Record(record.value, "u", flags=wasmill.UPDATE)
    yield wasmill.Record(None, "d", flags=wasmill.DELETE)


def time(record: wasmill.Record, cx: wasmill.Context) -> wasmill.Record:
    value = record.value or b""
    return wasmill.Record(value, time=None if value == b"none" else int(value))


def loop(record: wasmill.Record, cx: wasmill.Context) -> bytes | None:
    if record.value == b"loop":
        while True:
            pass
    if record.value == b"oom":
        hoard = []
        while True:
            hoard.append(bytes(1 << 20))
    if record.value == b"exit":
        os._exit(3)
    return record.value


CASES: dict[str, Callable[..., Any]] = {
    "echo": echo,
    "batch": batch,
    "outputs": outputs,
    "fail": fail,
    "json": json,
    "flags": flags,
    "time": time,
    "loop": loop,
}
