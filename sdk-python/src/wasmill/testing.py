"""Runs a step without WebAssembly, against a host that keeps its state in memory.

    import step
    import wasmill.testing

    def test_step():
        host = wasmill.testing.Host(step, config={"match": "fox"})
        got = host.batch("the quick fox", "the lazy dog")
        assert got.values == [b"the quick fox"]

It is as strict as the real one: limits hold, and a batch with records that
failed is undone and the others run again.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, Callable, Iterable, Sequence

from ._record import INHERIT, Record, wanted
from ._runtime import MORE, OP_BATCH, OP_END, Runtime
from ._testing import FakeCalls

__all__ = ["Emitted", "Failed", "Host", "Result", "StepError"]


class StepError(Exception):
    """The step refused to start, a whole batch, or the end of its input."""


@dataclass(frozen=True)
class Emitted:
    """A record that the step emitted."""

    record: Record
    output: str
    cause: int
    """The index of the record that caused it; -1 for the batch as a whole."""


@dataclass(frozen=True)
class Failed:
    """A record that the step rejected."""

    index: int
    code: int
    text: str


@dataclass(frozen=True)
class Result:
    """What came of a call."""

    emitted: list[Emitted] = field(default_factory=list)
    failed: list[Failed] = field(default_factory=list)

    @property
    def records(self) -> list[Record]:
        """The records that were emitted."""
        return [e.record for e in self.emitted]

    @property
    def values(self) -> list[bytes | None]:
        """The values that were emitted."""
        return [e.record.value for e in self.emitted]


class Host:
    """Runs one instance of a step.

    step is the module that has the decorated functions, or these functions.
    config is what the job file would say; stores, inputs and outputs are names.
    Raises StepError if on_init does not accept this.
    """

    def __init__(
        self,
        step: ModuleType | Callable[..., Any] | Iterable[Callable[..., Any]],
        *,
        config: Any = None,
        stores: Sequence[str] = (),
        inputs: Sequence[str] = ("in",),
        outputs: Sequence[str] = ("out",),
        max_record: int = 1 << 20,
        max_key: int = 4 << 10,
        max_value: int = 1 << 20,
    ) -> None:
        self._outputs = list(outputs)
        self._names = list(stores)
        self._max_record = max_record
        self._calls = FakeCalls(len(self._names), max_key, max_value)
        found = step if isinstance(step, ModuleType) or not callable(step) else [step]
        self._runtime = Runtime(self._calls, found)
        payload = {
            "abi_minor": 1,
            "tenant": "default",
            "job": "test",
            "step": "test",
            "task": 0,
            "partitions": 1,
            "config": config,
            "inputs": list(inputs),
            "outputs": self._outputs,
            "stores": self._names,
            "lookups": [],
            "limits": {"record": max_record, "key": max_key, "state_value": max_value},
        }
        self._check(self._runtime.init(json.dumps(payload).encode()))

    def batch(self, *records: Any, partition: str | bytes = "test", number: int = 0) -> Result:
        """Run one batch. A record is a Record, or a value as Record takes it.

        If records fail, all that the batch did is undone and the others run
        again, until none fails. The result's indexes are those of the arguments.
        """
        name = partition.encode() if isinstance(partition, str) else partition
        left = [(i, _row(record)) for i, record in enumerate(records)]
        result = Result()
        while left:
            rows = [row for _, row in left]
            undo = self._calls.begin(OP_BATCH, max((row[3] for row in rows if row[3] is not None), default=0))
            decoded = wanted.json and all(_decode(row) is not ... for row in rows)
            if decoded:
                rows = [(*row[:2], _decode(row), *row[3:]) for row in rows]
            status = self._runtime.batch(rows, decoded, name, number)
            emits = self._runtime.cx.encoded() if status >= 0 else []
            fails: dict[int, Failed] = {}
            for index, code, text in self._runtime.cx.fails:
                fails.setdefault(index, Failed(left[index][0], code, text.decode()))
            if status < 0 or fails:
                self._calls.stores = undo
            self._check(status)
            result.failed.extend(fails[index] for index in sorted(fails))
            if not fails:
                self._take(result, emits, [i for i, _ in left])
                break
            left = [pair for i, pair in enumerate(left) if i not in fails]
        return result

    def end(self) -> Result:
        """Tell the step that its input is over, as often as it has more to do."""
        result, token, status = Result(), b"", MORE
        while status == MORE:
            undo = self._calls.begin(OP_END)
            status = self._runtime.end(token)
            if status < 0:
                self._calls.stores = undo
            self._check(status)
            self._take(result, self._runtime.cx.encoded(), [])
            token = self._calls.token
        return result

    def _take(self, result: Result, emits: list[tuple[Any, ...]], indexes: list[int]) -> None:
        for store in self._runtime.cx.stores():
            store.flush()
        for index, output, key, value, time, flags, headers in emits:
            record = Record(value, key, headers=headers, time=time, flags=flags)
            cause = indexes[index] if index >= 0 else -1
            result.emitted.append(Emitted(record, self._outputs[output], cause))

    def _check(self, status: int) -> None:
        if status < 0:
            raise StepError(self.logs[-1][1] if self.logs else f"status {status}")

    def store(self, name: str) -> dict[bytes, bytes]:
        """Return the content of a store, to read and to change."""
        return self._calls.stores[self._names.index(name)]

    @property
    def logs(self) -> list[tuple[str, str]]:
        """What was logged: level and text of each line."""
        return self._calls.logs

    def metric(self, name: str) -> int:
        """Return the value of a metric, 0 if nothing was added to it."""
        return self._calls.metrics.get(name, 0)


def _row(record: Any) -> tuple[Any, ...]:
    if not isinstance(record, Record):
        record = Record(record)
    key, _, _, time, position, stream, flags, headers = tuple(record)
    return key, record.value, ..., None if time is INHERIT else time, position, stream, flags, headers


def _decode(row: tuple[Any, ...]) -> Any:
    """Return the JSON of a row, Ellipsis if it has none."""
    try:
        return ... if row[1] is None else json.loads(row[1])
    except (ValueError, RecursionError):
        return ...
