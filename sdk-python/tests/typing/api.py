"""Samples of steps that have to pass mypy in its strict mode."""

from __future__ import annotations

from typing import Any, Iterator

import wasmill
from wasmill import testing

clicks = wasmill.Counter("clicks")
size = wasmill.Gauge("size")


@wasmill.on_init
def start(cx: wasmill.Context) -> None:
    limit: int = cx.config["limit"]
    cx.info(f"{cx.job} {limit}")


@wasmill.step
def emits(record: wasmill.Record, cx: wasmill.Context) -> None:
    value: bytes | None = record.value
    key: bytes | None = record.key
    time: int | None = record.time
    header: bytes | None = record.header("trace")
    cx.emit(value, key, headers={"trace": header}, time=time, flags=wasmill.INSERT)
    cx.emit({"a": [1, 2]}, output="late")
    cx.emit(record.replace(value="text"))
    clicks.add()
    size.add(-1)


@wasmill.step
def yields(record: wasmill.Record, cx: wasmill.Context) -> Iterator[dict[str, Any]]:
    if record.value is None:
        raise wasmill.Reject("no value", code=7)
    yield {"n": record.json["n"]}


@wasmill.step
def returns(record: wasmill.Record, cx: wasmill.Context) -> wasmill.Record | str | None:
    store: wasmill.Store = cx.store("seen")
    try:
        before: bytes | None = store.get(record.key or b"")
        store.put(record.key or b"", "1")
    except wasmill.CallError as error:
        return f"{error.call} {error.errno}"
    return None if before else record


@wasmill.batch
def whole(batch: wasmill.Batch, cx: wasmill.Context) -> None:
    values: list[bytes | None] = cx.store("seen").get_many(r.key or b"" for r in batch)
    for record, value in zip(batch, values):
        if value is None:
            cx.fail(record, "unknown", code=1)
    cx.emit(str(len(batch)))


@wasmill.on_end
def end(cx: wasmill.Context, token: bytes | None) -> bytes | None:
    for key, value in cx.store("seen").scan(token or b""):
        cx.emit(value, key)
    return None


def test() -> None:
    host = testing.Host([start, emits, end], config={"limit": 1}, stores=["seen"])
    result: testing.Result = host.batch("a", wasmill.Record(b"b", key="k"))
    values: list[bytes | None] = result.values
    assert values
    assert host.store("seen") == {b"k": b"1"}
