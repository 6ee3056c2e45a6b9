"""Context: a step's way to the host."""

from __future__ import annotations

import json
from marshal import dumps, loads
from typing import Any, Callable, Final, Iterable, Mapping, Sequence, TypeVar

from . import _calls
from ._errors import E2BIG, EBADF, CallError
from ._record import INHERIT, Headers, Inherit, Record, decoded, dump, encode
from ._store import Store
from ._trace import describe

_C = TypeVar("_C")

# What marshal writes of a value in one byte, JSON has in six at most.
_JSON_PER_MARSHAL = 6

# Types of values that the host takes as they are: bytes, and what it encodes.
_PLAIN = frozenset({dict, bytes, list, int, float, bool, type(None)})

# The record that the batch as a whole is caused by.
_NOTHING: Final[Any] = (None, None, None, None)


class Context:
    """The step's way to the host.

    A step is handed the same one in each call.
    """

    def __init__(self, calls: _calls.Calls, payload: bytes) -> None:
        info: dict[str, Any] = json.loads(payload)
        self.calls = calls
        self.job: str = info["job"]
        """The name of the job."""
        self.step: str = info["step"]
        """The name of the step."""
        self.tenant: str = info["tenant"]
        """The tenant that the job belongs to."""
        self.task: int = info["task"]
        """The number of the task that the instance serves."""
        self.partitions: int = info["partitions"]
        """How many partitions the step's input has."""
        self.inputs: list[str] = info["inputs"]
        """The names of what the step reads; Record.stream is an index of it."""
        self.outputs: list[str] = info["outputs"]
        """The names of the step's outputs, the default one first."""
        self.config: Any = info["config"]
        """The step's config, decoded; None if the job has none."""
        self.partition_name: bytes = b""
        """Where the batch comes from: a topic, a file by its path, an exchange."""
        self.partition_number: int = 0
        """The number of the partition that the batch comes from."""
        limits: Mapping[str, int] = info.get("limits", {})
        self._most: int = limits.get("record") or 1 << 20
        self._sure: int = self._most // _JSON_PER_MARSHAL
        self._numbers = {name: i for i, name in enumerate(self.outputs)}
        self._stores = {
            name: Store(self, i, name, limits.get("key") or 4096, limits.get("state_value") or 1 << 20)
            for i, name in enumerate(info["stores"])
        }
        self.begin(0)

    def begin(self, op: int) -> None:
        """Forget what belongs to a call: another one begins."""
        self.op = op
        self.index = -1  # of the record that emits belong to; -1 = the batch
        self.record: Any = _NOTHING  # that one
        self.batch: Sequence[Record] = ()
        self.emits: list[bytes] = []  # each a value of marshal
        self.fails: list[tuple[int, int, bytes]] = []
        self._debug: bool | None = None
        decoded.clear()
        for store in self._stores.values():
            store.forget()

    def at(self, index: int = -1, record: Any = _NOTHING) -> None:
        """Say which record emits belong to from now on."""
        self.index, self.record = index, record

    def stores(self) -> Iterable[Store]:
        """Return all stores."""
        return self._stores.values()

    def writes(self) -> list[tuple[int, bytes, bytes | None]]:
        """Return what was written to stores and not handed over."""
        return [write for store in self._stores.values() for write in store.writes()]

    @property
    def config_json(self) -> bytes | None:
        """The step's config as JSON, None if the job has none."""
        return None if self.config is None else dump(self.config)

    def config_as(self, cls: Callable[..., _C]) -> _C:
        """Return the config as an instance of a dataclass, or of a class like one.

        Fields of the config become arguments by name; without a config there are
        none. Raises TypeError for one that the class does not have, and for one
        that is missing.
        """
        fields = {} if self.config is None else self.config
        if not isinstance(fields, dict):
            raise TypeError(f"config: expected an object, not {type(fields).__name__}")
        known = getattr(cls, "__dataclass_fields__", fields)
        for name in fields:
            if name not in known:
                raise TypeError(f"config: unknown field {name!r}: there are {', '.join(known) or 'none'}")
        return cls(**fields)

    def emit(
        self,
        value: Any,
        key: bytes | str | None = None,
        *,
        output: str | None = None,
        headers: Headers = (),
        time: int | None | Inherit = INHERIT,
        flags: int = 0,
    ) -> None:
        """Emit a record to the default output, or to the one named.

        value is a Record, which is handed on as it is, or what Record takes:
        bytes, str, None, or anything that json.dumps takes. The arguments are as
        for Record. What is emitted is taken at once: later changes do not count.

        Raises CallError if there is no such output or the record is longer than
        the job allows, ValueError or TypeError as json.dumps does.
        """
        number = 0 if output is None else self._output(output)
        if type(value) in _PLAIN and time is INHERIT and not flags and not headers:
            if key is not None and type(key) is not bytes:
                key = encode(key)
            emit = (self.index, number, key, value, self.record[3], 0, ())
            # As _pack begins: one call less for most of what is emitted.
            try:
                packed = dumps(emit, 2)
                if len(packed) <= self._sure:
                    self.emits.append(packed)
                    return
            except ValueError:
                pass
            self._pack(emit)
            return
        record: Any = value
        if not isinstance(value, Record):
            record = Record(value, key, headers=headers, time=time, flags=flags)
        elif key is not None or headers or flags or time is not INHERIT:
            raise TypeError("a Record brings its own key, headers, time and flags: change it by Record.replace")
        key, data, obj, time, _, _, flags, headers = record
        if data is ...:
            data = obj
        self._pack((self.index, number, key, data, self.record[3] if time is INHERIT else time, flags, headers))

    def _output(self, name: str) -> int:
        try:
            return self._numbers[name]
        except KeyError:
            raise CallError("emit", name, EBADF) from None

    def _pack(self, emit: tuple[Any, ...]) -> None:
        """Keep what is emitted as the bytes that the host is handed."""
        try:
            packed = dumps(emit, 2)
            if len(packed) <= self._sure:
                self.emits.append(packed)
                return
        except ValueError:  # nothing for marshal; json.dumps takes more types
            pass
        index, output, key, value, time, flags, headers = emit
        if type(value) is not bytes and value is not None:
            value = dump(value)
        size = len(key or b"") + len(value or b"") + sum(8 + len(n) + len(v or b"") for n, v in headers)
        if size > self._most:
            raise CallError("emit", self.outputs[output], E2BIG)
        self.emits.append(dumps((index, output, key, value, time, flags, headers), 2))

    def encoded(self) -> list[tuple[Any, ...]]:
        """Return what was emitted: cause, output, key, value, time, flags, headers.

        This encodes the values, which the host does for those who hand it the
        bytes of emits. A value that is no JSON rejects its cause.
        """
        found = []
        for index, output, key, value, *rest in map(loads, self.emits):
            try:
                if type(value) is not bytes and value is not None:
                    value = dump(value)
                found.append((index, output, key, value, *rest))
            except (ValueError, TypeError, RecursionError) as error:
                if index < 0:
                    raise
                self.reject(index, error.with_traceback(None))
        return found

    def fail(self, record: Record, error: BaseException | str, code: int = 0) -> None:
        """Reject a record of the batch, as an exception at it does."""
        index = self.index
        if record is not self.record:
            index = next((i for i, r in enumerate(self.batch) if r is record), -1)
        if index < 0:
            raise ValueError("the record is not one of the running batch")
        if isinstance(error, BaseException):
            self.reject(index, error)
        else:
            self.fails.append((index, code, error.encode("utf-8", "replace")))

    def reject(self, index: int, error: BaseException) -> None:
        """Reject the record of that index for an exception."""
        code, text = describe(error)
        self.fails.append((index, code, text.encode("utf-8", "replace")))

    def store(self, name: str) -> Store:
        """Return the store of that name; CallError if the job declares none."""
        try:
            return self._stores[name]
        except KeyError:
            raise CallError("store", name, EBADF) from None

    def now(self) -> int:
        """Return the batch's time in nanoseconds since 1970.

        That is the largest event time in it, not the clock on the wall, and a
        microsecond more with each call: a batch that runs again gets the same.
        """
        return int.from_bytes(self.calls.call(_calls.NOW)[1], "little", signed=True)

    def debug(self, text: str) -> None:
        """Write a line to the job's log, with the step's name and task."""
        self._log(0, text)

    def info(self, text: str) -> None:
        """Write a line to the job's log."""
        self._log(1, text)

    def warn(self, text: str) -> None:
        """Write a line to the job's log."""
        self._log(2, text)

    def error(self, text: str) -> None:
        """Write a line to the job's log."""
        self._log(3, text)

    def _log(self, level: int, text: str) -> None:
        self.calls.call(_calls.LOG, level, text.encode("utf-8", "replace"))

    @property
    def debug_enabled(self) -> bool:
        """Whether debug goes anywhere: asked once a call."""
        if self._debug is None:
            self._debug = self.calls.call(_calls.LOG_ENABLED, 0)[0] > 0
        return self._debug
