"""The life of an instance: what each operation of the host does."""

from __future__ import annotations

import sys
from functools import partial
from types import GeneratorType, ModuleType
from typing import Any, Callable, Iterable, Sequence

from . import _calls
from ._batch import Batch
from ._context import Context
from ._errors import EINVAL, CallError
from ._metric import Metrics
from ._record import DecodedRecord, ReadRecord, Record, wanted
from ._register import check, functions_of
from ._trace import describe

DONE = 0
MORE = 1

OP_BATCH = 1
OP_END = 3
OP_RESUMED = 4

# A record is made of a row without a call of its class.
_read: Callable[[Any], Record] = partial(tuple.__new__, ReadRecord)  # type: ignore[type-var]
_decoded: Callable[[Any], Record] = partial(tuple.__new__, DecodedRecord)  # type: ignore[type-var]


class Runtime:
    """One instance of a step. Each method serves one call and returns its status."""

    def __init__(self, calls: _calls.Calls, found: ModuleType | Iterable[Any]) -> None:
        self.calls = calls
        self._metrics = Metrics(calls)
        self._found = found if isinstance(found, ModuleType) else list(found)
        self._look_up()

    def _look_up(self) -> None:
        self._functions = f = functions_of(self._found)
        wanted.json = f.step is not None and asks_for_json(f.step)

    def forget(self) -> None:
        """Let go of what a call held: it is over."""
        cx = getattr(self, "cx", None)
        if cx is not None:
            cx.begin(cx.op)

    def init(self, payload: bytes) -> int:
        """Let on_init run."""
        try:
            self.cx = cx = Context(self.calls, payload)
            self._metrics.define()
            if self._functions.on_init is not None:
                self._functions.on_init(cx)
                self._look_up()
            check(self._functions)
        except BaseException as error:
            return self.refuse(error)
        return self._finish(DONE)

    def batch(self, rows: Sequence[tuple[Any, ...]], decoded: bool, name: bytes, number: int) -> int:
        """Run the step for rows: the fields of records, decoded if each has its JSON."""
        cx = self.cx
        cx.begin(OP_BATCH)
        cx.partition_name, cx.partition_number = name, number
        records = map(_decoded if decoded else _read, rows)
        if self._functions.step is None:
            return self._run_batch(list(records))
        self._run_records(enumerate(records), self._functions.step)
        return self._finish(DONE)

    def _run_records(self, numbered: Any, step: Callable[[Record, Context], Any]) -> None:
        # Each line of the inner loop counts for every record: there is no
        # handler for each, and nothing is called that need not be.
        cx = self.cx
        emit = cx.emit
        while True:
            try:
                for cx.index, cx.record in numbered:
                    out = step(cx.record, cx)
                    if type(out) is GeneratorType:
                        for value in out:
                            emit(value)
                    elif out is not None:
                        emit(out)
            except BaseException as error:  # of a record: the others go on
                cx.reject(cx.index, error)
            else:
                return

    def _run_batch(self, records: list[Record]) -> int:
        cx = self.cx
        cx.batch = records
        function = self._functions.batch
        try:
            out = function(Batch(cx, records), cx) if function is not None else None
            for value in out if isinstance(out, GeneratorType) else [] if out is None else [out]:
                cx.emit(value)
        except BaseException as error:
            if cx.index < 0:
                return self.refuse(error)
            cx.reject(cx.index, error)
        cx.at()
        return self._finish(DONE)

    def end(self, token: bytes) -> int:
        """Let on_end run with the token of the call before, at first an empty one."""
        cx = self.cx
        cx.begin(OP_END)
        function = self._functions.on_end
        try:
            following = None if function is None else function(cx, token or None)
            if following is not None:
                _calls.ask(self.calls, "", _calls.RESUME, following)
        except BaseException as error:
            return self.refuse(error)
        return self._finish(DONE if following is None else MORE)

    def resumed(self, seed: bytes) -> int:
        """Seed random numbers anew: an image was taken, or the instance is made from one."""
        random = sys.modules.get("random")
        if random is not None:
            random.seed(seed)
        return DONE

    def _finish(self, status: int) -> int:
        try:
            self._metrics.hand_over()
        except CallError as error:
            return self.refuse(error)
        return status

    def refuse(self, error: BaseException) -> int:
        """End the call as a whole."""
        return refuse(self.calls, error)


def refuse(calls: _calls.Calls, error: BaseException) -> int:
    """Return the status for an error; only a number goes to the host, so the text is logged."""
    calls.call(_calls.LOG, 3, describe(error)[1].encode("utf-8", "replace"))
    return -error.errno if isinstance(error, CallError) else -EINVAL


def asks_for_json(function: Any) -> bool:
    """Guess whether a step reads Record.json: something is called so in its code."""
    code = getattr(function, "__code__", None)
    if code is None or "json" not in code.co_names:
        return False
    return "json" not in getattr(function, "__globals__", {})
