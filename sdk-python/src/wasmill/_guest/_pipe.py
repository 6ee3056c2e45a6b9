"""Frames over file descriptors 0 and 1, as abi/SPEC.md has it in section 7."""

from __future__ import annotations

from io import FileIO
from os import read, write
from struct import Struct
from typing import Sequence

from .._frame import MAGIC, VERSION, arguments

KIND_CALL = 0x100
KIND_RETURN = 0x101
KIND_REQUEST = 0x102
KIND_REPLY = 0x103
KIND_PARK = 0x104

_HEADER = Struct("<IHHIIiIII")  # of 32 bytes

# The same of a request with a number and bytes, which goes on to where the bytes
# begin: those of the header up to the kind, function, size, length of the content,
# the number, length of the bytes. And what says something in the header of a reply:
# kind, size, number, length of the content.
_SHORT = Struct("<8sII4xI8xqI4x")  # of 48 bytes, 16 of them content
_REQUEST = _HEADER.pack(MAGIC, VERSION, KIND_REQUEST, 0, 0, 0, 0, 0, 0)[:8]
_REPLY = Struct("<6xH4xIiI8x")
_PADDING = [bytes(-n % 8) for n in range(8)]

# Room for a frame that is read at once, and bytes that are written at once.
_ROOM = 64 << 10
_PIECE = 1 << 20


class Pipe:
    """The host behind two file descriptors."""

    def __init__(self, source: int = 0, sink: int = 1) -> None:
        self._source = source
        self._file = FileIO(source, closefd=False)
        self._sink = sink

    def receive(self) -> tuple[int, int, int, memoryview | None] | None:
        """Read a frame: its kind, count and number, and its content.

        None: there is no frame, or no memory for the content, which is passed over.
        """
        return self._rest(read(self._source, _ROOM))

    def _rest(self, data: bytes | bytearray) -> tuple[int, int, int, memoryview | None] | None:
        """Read what is not there yet of a frame that begins with data."""
        if not data:
            return None
        while len(data) < _HEADER.size:
            data += self._some(_HEADER.size - len(data))
        _, _, kind, count, size, number, length, _, _ = _HEADER.unpack_from(data)
        if len(data) < size:
            try:
                whole = bytearray(size)
            except MemoryError:
                self._pass_over(size - len(data))
                return kind, count, number, None
            whole[: len(data)] = data
            self._fill(memoryview(whole)[len(data) :])
            data = whole
        return kind, count, number, memoryview(data)[_HEADER.size : _HEADER.size + length]

    def _some(self, n: int) -> bytes:
        data = read(self._source, min(n, _ROOM))
        if not data:
            raise EOFError("wasmill: standard input ends within a frame")
        return data

    def _fill(self, view: memoryview) -> None:
        while view:
            n = self._file.readinto(view)
            if not n:
                raise EOFError("wasmill: standard input ends within a frame")
            view = view[n:]

    def _pass_over(self, n: int) -> None:
        while n:
            n -= len(self._some(n))

    def send(self, kind: int, count: int, number: int, content: Sequence[bytes] = ()) -> None:
        """Write a frame, whose content is in parts."""
        n = sum(map(len, content))
        pad = bytes(-n % 8)
        header = _HEADER.pack(MAGIC, VERSION, kind, count, 32 + n + len(pad), number, n, 0, 0)
        parts = (header, *content, pad)
        for part in (b"".join(parts),) if n <= _PIECE else parts:
            self._write(part)

    def _write(self, data: bytes) -> None:
        done = write(self._sink, data)
        while done < len(data):
            done += write(self._sink, data[done : done + _PIECE])

    def call(self, function: int, *args: int | bytes) -> tuple[int, bytes]:
        """Call a function of the host; return its result and what it replied."""
        # A step that reads state does this for each record, with a number and
        # bytes: that is one write and one read, with little between them.
        if len(args) == 2 and type(args[1]) is bytes:
            number, text = args[0], args[1]
            n = len(text)
            text += _PADDING[n & 7]
            request = _SHORT.pack(_REQUEST, function, 48 + len(text), 16 + len(text), number, n) + text
        else:
            content = arguments(args)
            n = len(content)
            request = _HEADER.pack(MAGIC, VERSION, KIND_REQUEST, function, 32 + n, 0, n, 0, 0) + content
        done = write(self._sink, request)
        if done < len(request):
            self._write(request[done:])
        data = read(self._source, _ROOM)
        if len(data) >= 32:
            kind, size, result, length = _REPLY.unpack_from(data)
            if len(data) == size and kind == KIND_REPLY:
                return result, data[32 : 32 + length]
        frame = self._rest(data)
        if frame is None or frame[0] != KIND_REPLY:
            raise EOFError("wasmill: the host does not reply")
        if frame[3] is None:
            raise MemoryError
        return frame[2], bytes(frame[3])
