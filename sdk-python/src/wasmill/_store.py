"""Stores: a step's state."""

from __future__ import annotations

from struct import pack, unpack_from
from typing import TYPE_CHECKING, Iterable, Iterator

from . import _calls
from ._errors import E2BIG, ENOENT, EPERM, CallError
from ._record import encode

if TYPE_CHECKING:
    from ._context import Context

_ABSENT = 0xFFFFFFFF

# Bytes of keys and values that a store keeps before it hands them over.
_KEPT = 8 << 20


class Store:
    """Keyed state that belongs to the task and lasts.

    Keys and values are bytes; str stands for its UTF-8. What a batch writes is
    dropped again if the batch fails. A call that the host refuses raises
    CallError: a key or a value is longer than the job allows, or there is no
    state at this place, such as in on_init.
    """

    # What was read and written in the running call is kept in _seen, so that a
    # key is asked for once; what was written and not handed over is in _written.

    def __init__(self, cx: Context, number: int, name: str, most_key: int, most_value: int) -> None:
        self._cx = cx
        self._number = number
        self._most_key = most_key
        self._most_value = most_value
        self.name = name
        """Its name in the job file."""
        self.forget()

    def forget(self) -> None:
        """Begin a new call."""
        self._seen: dict[bytes, bytes | None] = {}
        self._written: dict[bytes, bytes | None] = {}
        self._room = _KEPT

    def get(self, key: bytes | str) -> bytes | None:
        """Return the value of key, None if there is none."""
        if type(key) is not bytes:
            key = encode(key) or b""
        seen = self._seen
        if key in seen:
            return seen[key]
        result, value = self._cx.calls.call(_calls.STATE_GET, self._number, key)
        if result < 0 and result != -ENOENT:
            raise CallError("state_get", self.name, -result)
        seen[key] = found = value if result >= 0 else None
        return found

    def put(self, key: bytes | str, value: bytes | str) -> None:
        """Set the value of key."""
        if type(key) is not bytes:
            key = encode(key) or b""
        if type(value) is not bytes:
            value = encode(value) or b""
        if len(value) > self._most_value:
            raise CallError("state_put", self.name, E2BIG)
        self._write("state_put", key, value, len(value))

    def delete(self, key: bytes | str) -> None:
        """Remove key; it is no error if there is none."""
        if type(key) is not bytes:
            key = encode(key) or b""
        self._write("state_delete", key, None, 0)

    def _write(self, call: str, key: bytes, value: bytes | None, size: int) -> None:
        size += len(key)
        if len(key) > self._most_key:
            raise CallError(call, self.name, E2BIG)
        if self._cx.op == 0:
            raise CallError(call, self.name, EPERM)
        self._seen[key] = self._written[key] = value
        self._room -= size
        if self._room < 0:
            self.flush()
            self._seen.clear()

    def get_many(self, keys: Iterable[bytes | str]) -> list[bytes | None]:
        """Return the value of each key, None where there is none.

        It costs one crossing to the host, and so do many calls of get behind it
        in the same batch: they find there what was looked up here.
        """
        wanted = [encode(key) or b"" for key in keys]
        missing = [key for key in dict.fromkeys(wanted) if key not in self._seen]
        if missing:
            _, reply = _calls.ask(self._cx.calls, self.name, _calls.STATE_GET_MANY, self._number, pack_keys(missing))
            self._seen.update(zip(missing, values(reply)))
        return [self._seen[key] for key in wanted]

    def scan(self, start: bytes | str = b"", end: bytes | str = b"") -> Iterator[tuple[bytes, bytes]]:
        """Yield the entries with start <= key < end in the order of the keys' bytes.

        An empty end is open. Entries are fetched many at a time: the loop may
        write to the store, but a write to a key that the scan has not come to may
        or may not be seen.
        """
        at, end = encode(start) or b"", encode(end) or b""
        while True:
            self.flush()
            _, page = _calls.ask(self._cx.calls, self.name, _calls.STATE_SCAN, self._number, at, end)
            if not page:
                return
            for key, value in entries(page):
                yield key, value
            at = key + b"\0"

    def flush(self) -> None:
        """Hand over what was written."""
        for key, value in self._written.items():
            if value is None:
                _calls.ask(self._cx.calls, self.name, _calls.STATE_DELETE, self._number, key)
            else:
                _calls.ask(self._cx.calls, self.name, _calls.STATE_PUT, self._number, key, value)
        self._written.clear()
        self._room = _KEPT

    def writes(self) -> list[tuple[int, bytes, bytes | None]]:
        """Return what was written and not handed over."""
        return [(self._number, key, value) for key, value in self._written.items()]


def pack_keys(keys: Iterable[bytes]) -> bytes:
    """Return the keys of a request of state_get_many."""
    return b"".join(pack("<I", len(key)) + key for key in keys)


def entries(page: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield the entries of a page of a scan."""
    at = 0
    while at < len(page):
        n, m = unpack_from("<II", page, at)
        at += 8
        yield page[at : at + n], page[at + n : at + n + m]
        at += n + m


def values(reply: bytes) -> Iterator[bytes | None]:
    """Yield the values of a reply of state_get_many."""
    at = 0
    while at < len(reply):
        (n,) = unpack_from("<I", reply, at)
        at += 4
        if n == _ABSENT:
            yield None
            continue
        yield reply[at : at + n]
        at += n
