"""How a batch comes in and what comes of a call goes out: the two codecs."""

from __future__ import annotations

import marshal
from struct import pack
from typing import Any, Sequence

from .. import _calls, _frame
from .._context import Context
from .._record import wanted

# Of the records, the host hands over the value, and decodes it.
WANT_VALUE = 1
WANT_JSON = 2

# Bytes of a frame of emitted records.
_FRAME = 1 << 20


def want() -> int:
    """Return what the host is to hand over of the records of the next batch."""
    return WANT_VALUE | WANT_JSON if wanted.json else WANT_VALUE


class Marshal:
    """Codec 1: values of marshal, which CPython reads and writes fastest."""

    number = 1

    def batch(self, content: memoryview) -> tuple[int, bytes, bool, Sequence[tuple[Any, ...]]]:
        """Return the partition's number and name, whether all is decoded, and the rows."""
        return marshal.loads(content)  # type: ignore[no-any-return]

    def effects(self, cx: Context) -> Sequence[bytes]:
        """Return what a call comes to, in parts.

        If records fail, the host drops all else and runs the others again.
        """
        if cx.fails:
            return (marshal.dumps((want(), [], cx.fails, []), 2),)
        return (_HEAD[wanted.json], pack("<I", len(cx.emits)), *cx.emits, _NONE, marshal.dumps(cx.writes(), 2))


# A tuple of four whose second value is a list of what was encoded at each emit:
# how it begins, without and with wanted.json, and its third value, an empty list.
# Version 2 of the format has no references between values.
_HEAD = [b"(\x04\0\0\0" + marshal.dumps(n, 2) + b"[" for n in (WANT_VALUE, WANT_VALUE | WANT_JSON)]
_NONE = marshal.dumps([], 2)


class Frames:
    """Codec 0: frames of records, and a request for each effect."""

    number = 0

    def batch(self, content: memoryview) -> tuple[int, bytes, bool, Sequence[tuple[Any, ...]]]:
        """Return the partition's number and name, whether all is decoded, and the rows."""
        number, name, rows = _frame.decode(bytes(content))
        return number, name, False, [row for _, row in rows]

    def effects(self, cx: Context) -> Sequence[bytes]:
        """Hand over what a call comes to, and return nothing."""
        emits = cx.encoded()
        for index, code, text in cx.fails:
            _calls.ask(cx.calls, "", _calls.FAIL, index, code, text)
        if cx.fails:
            return ()
        for store in cx.stores():
            store.flush()
        rows, size = [], 0
        for index, output, key, value, time, flags, headers in emits:
            rows.append((index, output, (key, value, ..., time, 0, 0, flags, headers)))
            size += len(key or b"") + len(value or b"")
            if size > _FRAME:
                self._emit(cx, rows)
                rows, size = [], 0
        self._emit(cx, rows)
        return ()

    def _emit(self, cx: Context, rows: list[tuple[int, int, _frame.Row]]) -> None:
        if rows:
            _calls.ask(cx.calls, "", _calls.EMIT, _frame.encode(0, b"", rows))
