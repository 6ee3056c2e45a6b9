"""Cases about where the step runs, and what it says of itself."""

from __future__ import annotations

from collections.abc import Iterator

import wasmill

seen = wasmill.Counter("seen")
size = wasmill.Gauge("bytes")


def config(record: wasmill.Record, cx: wasmill.Context) -> Iterator[str]:
    has = cx.config
    nothing = has.get("nothing")
    yield f"text={has.get('text', '')}"
    yield f"number={has.get('number', 0)}"
    yield f"list={','.join(str(n) for n in has.get('list', []))}"
    yield f"flag={'true' if has.get('flag') else 'false'}"
    yield f"nothing={'null' if nothing is None else nothing}"
    yield f"nested={has.get('nested', {}).get('a', {}).get('b', '')}"


def log(record: wasmill.Record, cx: wasmill.Context) -> str:
    level, _, text = (record.value or b"").decode().partition(" ")
    {"debug": cx.debug, "info": cx.info, "warn": cx.warn, "error": cx.error}[level](text)
    return "1" if cx.debug_enabled else "0"


def metrics(record: wasmill.Record, cx: wasmill.Context) -> None:
    seen.add()
    size.add(len(record.value or b""))


def info(record: wasmill.Record, cx: wasmill.Context) -> Iterator[str | bytes]:
    where = [cx.job, cx.step, cx.tenant, cx.task, cx.partitions, ",".join(cx.inputs), ",".join(cx.outputs)]
    yield " ".join(map(str, where))
    time = "none" if record.time is None else record.time
    rest = f" {record.position} {record.stream} {time}"
    yield f"{cx.partition_number} ".encode() + cx.partition_name + rest.encode()


def now(record: wasmill.Record, cx: wasmill.Context) -> Iterator[str]:
    yield str(cx.now())
    yield str(cx.now())


CASES = {"config": config, "log": log, "metrics": metrics, "info": info, "now": now}
