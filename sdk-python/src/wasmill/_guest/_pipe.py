"""Frames over file descriptors 0 and 1, as abi/SPEC.md has it in section 7."""

from __future__ import annotations

from os import read, write
from struct import Struct

from .._frame import MAGIC, VERSION, arguments

KIND_CALL = 0x100
KIND_RETURN = 0x101
KIND_REQUEST = 0x102
KIND_REPLY = 0x103
KIND_PARK = 0x104

_HEADER = Struct("<IHHIIiIII")

# Room for a frame that is read at once, in bytes.
_ROOM = 64 << 10


class Pipe:
    """The host behind two file descriptors."""

    def __init__(self, source: int = 0, sink: int = 1) -> None:
        self._source = source
        self._sink = sink

    def receive(self) -> tuple[int, int, int, memoryview] | None:
        """Read a frame: its kind, count and number, and its content. None: there is none."""
        data = read(self._source, _ROOM)
        if not data:
            return None
        while len(data) < _HEADER.size:
            data += self._more(_HEADER.size - len(data))
        _, _, kind, count, size, number, length, _, _ = _HEADER.unpack_from(data)
        if len(data) < size:
            parts = [data]
            missing = size - len(data)
            while missing:
                parts.append(self._more(missing))
                missing -= len(parts[-1])
            data = b"".join(parts)
        return kind, count, number, memoryview(data)[_HEADER.size : _HEADER.size + length]

    def _more(self, n: int) -> bytes:
        data = read(self._source, n)
        if not data:
            raise EOFError("wasmill: standard input ends within a frame")
        return data

    def send(self, kind: int, count: int, number: int, content: bytes = b"") -> None:
        """Write a frame."""
        n = len(content)
        pad = -n % 8
        header = _HEADER.pack(MAGIC, VERSION, kind, count, _HEADER.size + n + pad, number, n, 0, 0)
        data = b"".join((header, content, bytes(pad)))
        done = write(self._sink, data)
        while done < len(data):
            done += write(self._sink, data[done:])

    def call(self, function: int, *args: int | bytes) -> tuple[int, bytes]:
        """Call a function of the host; return its result and what it replied."""
        self.send(KIND_REQUEST, function, 0, arguments(args))
        frame = self.receive()
        if frame is None or frame[0] != KIND_REPLY:
            raise EOFError("wasmill: the host does not reply")
        return frame[2], bytes(frame[3])
