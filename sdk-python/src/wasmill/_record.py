"""Records: what a step is given and what it emits."""

from __future__ import annotations

import json as _json
from typing import TYPE_CHECKING, Any, Callable, Final, Iterable, Mapping, Tuple, Union

if TYPE_CHECKING:
    _Row = object
else:
    _Row = tuple
    try:
        from _collections import _tuplegetter as _getter
    except ImportError:  # another interpreter than CPython
        from operator import itemgetter

        def _getter(index, doc):
            return property(itemgetter(index), doc=doc)


Headers = Union[
    Mapping[str, Union[str, bytes, None]],
    Mapping[bytes, Union[str, bytes, None]],
    Iterable[Tuple[Union[str, bytes], Union[str, bytes, None]]],
]
"""Headers as a step writes them: a mapping, or pairs of name and value."""

# What replace leaves as it was.
_OLD: Any = object()

INSERT: Final = 1
UPDATE: Final = 2
DELETE: Final = 4


class Inherit:
    """The type of INHERIT."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "wasmill.INHERIT"


INHERIT: Final = Inherit()
"""The event time of the record that is the cause."""


class Record(_Row):
    """One record. It cannot be changed; replace makes another one.

    value is what the record holds: bytes or None as they are, str as UTF-8,
    anything else as compact JSON. time is in milliseconds since 1970, or None
    for none; by default an emitted record gets that of the record that caused
    it. flags say what the record does to the row that its key names: INSERT,
    UPDATE, DELETE or 0.
    """

    __slots__ = ()

    # The fields in this order: key, value, json, time, position, stream,
    # flags, headers. Of value and json one may be an Ellipsis: not there yet.

    def __new__(  # noqa: PYI034 - a subclass is made by the host alone
        cls,
        value: Any,
        key: bytes | str | None = None,
        *,
        headers: Headers = (),
        time: int | None | Inherit = INHERIT,
        flags: int = 0,
    ) -> Record:
        # Called for each record that is emitted: what needs no change is looked
        # at without another call.
        data, obj = (value, ...) if value is None or type(value) is bytes else split(value)
        if key is not None and type(key) is not bytes:
            key = encode(key)
        if time is not INHERIT and time is not None:
            time = _ranged("time", time, -(1 << 63) + 1, (1 << 63) - 1)  # type: ignore[arg-type]
        if flags or type(flags) is not int:
            flags = _ranged("flags", flags, 0, 7)
        row = (key, data, obj, time, 0, 0, flags, encode_headers(headers) if headers else ())
        return tuple.__new__(Record, row)  # type: ignore[type-var]

    if TYPE_CHECKING:

        @property
        def key(self) -> bytes | None: ...
        @property
        def position(self) -> int: ...
        @property
        def stream(self) -> int: ...
        @property
        def flags(self) -> int: ...
        @property
        def headers(self) -> tuple[tuple[bytes, bytes | None], ...]: ...
        def __getitem__(self, index: int) -> Any: ...
    else:
        key = _getter(0, "The key, or None.")
        position = _getter(4, "The position in its partition, such as an offset.")
        stream = _getter(5, "The input that it came by: an index of Context.inputs.")
        flags = _getter(6, "INSERT, UPDATE, DELETE, or 0 for none.")
        headers = _getter(7, "Pairs of name and value; names may repeat.")

    @property
    def value(self) -> bytes | None:
        """The value, or None."""
        if self[1] is ...:
            return dump(self[2])
        data: bytes | None = self[1]
        return data

    @property
    def json(self) -> Any:
        """The value decoded as by json.loads; None if the value is None.

        Each access gives the same object. ValueError: the value is no JSON.
        """
        if self[2] is not ...:
            return self[2]
        if self[1] is None:
            return None
        key = id(self)
        if key not in decoded:
            decoded[key] = self, _json.loads(self[1])
        return decoded[key][1]

    @property
    def time(self) -> int | None:
        """The event time in milliseconds since 1970, or None."""
        time: int | None | Inherit = self[3]
        return None if isinstance(time, Inherit) else time

    def header(self, name: str | bytes) -> bytes | None:
        """Return the value of the first header of that name, None if there is none."""
        wanted = encode(name)
        return next((value for n, value in self.headers if n == wanted), None)

    def replace(
        self,
        *,
        value: Any = _OLD,
        key: bytes | str | None = _OLD,
        headers: Headers = _OLD,
        time: int | None | Inherit = _OLD,
        flags: int = _OLD,
    ) -> Record:
        """Return a record with some of value, key, headers, time and flags set anew."""
        if value is _OLD:
            value = self[2] if self[1] is ... else self[1]
        return Record.__new__(
            Record,
            value,
            self[0] if key is _OLD else key,
            headers=self[7] if headers is _OLD else headers,
            time=self[3] if time is _OLD else time,
            flags=self[6] if flags is _OLD else flags,
        )

    def __getnewargs_ex__(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        fields = {"headers": self[7], "flags": self[6]}
        if self[3] is not INHERIT:
            fields["time"] = self[3]
        return (self[2] if self[1] is ... else self[1], self[0]), fields

    def __repr__(self) -> str:
        shown = [repr(self[2] if self[1] is ... else self[1]), f"key={self[0]!r}"]
        shown += [f"headers={self[7]!r}"] if self[7] else []
        shown += [f"time={self[3]!r}"] if self[3] is not INHERIT else []
        shown += [f"flags={self[6]!r}"] if self[6] else []
        return f"Record({', '.join(shown)})"


class ReadRecord(Record):
    """A record of a batch, with its value and perhaps with its JSON."""

    __slots__ = ()
    if not TYPE_CHECKING:
        value = _getter(1, "The value, or None.")
        time = _getter(3, "The event time in milliseconds since 1970, or None.")

    @property
    def json(self) -> Any:
        """The value decoded as by json.loads; None if the value is None."""
        wanted.json = True
        return Record.json.__get__(self)


class DecodedRecord(ReadRecord):
    """A record of a batch whose values the host decoded, all of them."""

    __slots__ = ()
    if not TYPE_CHECKING:
        json = _getter(2, "The value decoded as by json.loads.")


class _Wanted:
    """What the step has asked records for."""

    json = False


wanted = _Wanted()

decoded: dict[int, tuple[Record, Any]] = {}
"""What records gave when they were asked for their JSON, by identity."""

dump_text: Callable[[Any], str] = _json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode


def dump(value: Any) -> bytes:
    """Encode a value as compact JSON; lone surrogates become escapes."""
    return dump_text(value).encode("utf-8", "backslashreplace")


def _ranged(what: str, number: int, least: int, most: int) -> int:
    if not isinstance(number, int):
        raise TypeError(f"{what}: expected an int, not {type(number).__name__}")
    if not least <= number <= most:
        raise ValueError(f"{what}: {number} is not from {least} to {most}")
    return int(number)


def split(value: Any) -> tuple[Any, Any]:
    """Return the bytes and the object of a value; one of them is an Ellipsis."""
    if value is None or type(value) is bytes:
        return value, ...
    if isinstance(value, str):
        return value.encode(), ...
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value), ...
    return ..., value


def encode(text: bytes | str | None) -> bytes | None:
    """Return a key or a header's value as bytes."""
    if text is None or type(text) is bytes:
        return text
    if isinstance(text, str):
        return text.encode()
    if isinstance(text, (bytes, bytearray, memoryview)):
        return bytes(text)
    raise TypeError(f"expected bytes, str or None, not {type(text).__name__}")


def encode_headers(headers: Headers) -> tuple[tuple[bytes, bytes | None], ...]:
    """Return headers as pairs of bytes."""
    if not headers:
        return ()
    pairs = headers.items() if isinstance(headers, Mapping) else headers
    return tuple((encode(name) or b"", encode(value)) for name, value in pairs)
