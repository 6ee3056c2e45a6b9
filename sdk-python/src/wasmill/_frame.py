"""Frames of records: their encoding, as abi/SPEC.md has it in section 5."""

from __future__ import annotations

from struct import Struct
from typing import Any, Iterable, Tuple

MAGIC = 0x314C4D57
VERSION = 1
KIND_RECORDS = 1
NULL = 0xFFFFFFFF
CAUSE_BATCH = 0xFFFFFFFF
NO_TIME = -(1 << 63)

_HEADER = Struct("<IHHIIIIQ")
_RECORD = Struct("<qqIHHIIII")
_PAIR = Struct("<II")

Row = Tuple[Any, ...]
"""Key, value, json, time, position, stream, flags, headers: the fields of a record."""


class FrameError(ValueError):
    """Bytes that are no frame of records."""


def encode(number: int, name: bytes, rows: Iterable[tuple[int, int, Row]]) -> bytes:
    """Encode a frame: the partition, and for each record its cause, its stream and its fields.

    The cause -1 is the batch as a whole.
    """
    out = [b""]
    for cause, stream, (key, value, _, time, position, _, flags, headers) in rows:
        body = [key or b"", value or b""]
        for n, v in headers:
            body += [_PAIR.pack(len(n), NULL if v is None else len(v)), n, v or b""]
        data = b"".join(body)
        data += bytes(-len(data) % 8)
        head = _RECORD.pack(
            NO_TIME if time is None else time,
            position,
            cause & NULL,
            stream,
            flags,
            NULL if key is None else len(key),
            NULL if value is None else len(value),
            len(headers),
            _RECORD.size + len(data),
        )
        out.append(head + data)
    size = _HEADER.size + len(name) + -len(name) % 8 + sum(map(len, out))
    head = _HEADER.pack(MAGIC, VERSION, KIND_RECORDS, len(out) - 1, size, number, len(name), 0)
    out[0] = head + name + bytes(-len(name) % 8)
    return b"".join(out)


def decode(frame: bytes) -> tuple[int, bytes, list[tuple[int, Row]]]:
    """Decode a frame: the partition's number and name, and each record's cause and fields."""
    if len(frame) < _HEADER.size:
        raise FrameError(f"a frame of {len(frame)} bytes is shorter than its header")
    magic, version, kind, count, size, number, length, reserved = _HEADER.unpack_from(frame)
    if (magic, version, kind, size, reserved) != (MAGIC, VERSION, KIND_RECORDS, len(frame), 0):
        raise FrameError("the header is not that of a frame of records of this length")
    at = _HEADER.size
    name = _take(frame, at, length, len(frame))
    at = _padded(frame, at + length, len(frame))
    rows = []
    for _ in range(count):
        if len(frame) - at < _RECORD.size:
            raise FrameError("a record is cut off")
        cause, row, at = _record(frame, at)
        rows.append((cause, row))
    if at != len(frame):
        raise FrameError("there is more behind the last record")
    return number, name, rows


def _record(frame: bytes, at: int) -> tuple[int, Row, int]:
    time, position, cause, stream, flags, key, value, headers, size = _RECORD.unpack_from(frame, at)
    end = at + size
    if size % 8 or size < _RECORD.size or end > len(frame):
        raise FrameError(f"a record has {size} bytes")
    at += _RECORD.size
    fields: list[Any] = []
    for length in (key, value):
        fields.append(None if length == NULL else _take(frame, at, length, end))
        at += 0 if length == NULL else length
    pairs = []
    for _ in range(headers):
        if end - at < _PAIR.size:
            raise FrameError("a header is cut off")
        n, v = _PAIR.unpack_from(frame, at)
        at += _PAIR.size
        header = _take(frame, at, n, end)
        at += n
        pairs.append((header, None if v == NULL else _take(frame, at, v, end)))
        at += 0 if v == NULL else v
    if end - at >= 8 or any(frame[at:end]):
        raise FrameError("a record does not end in fewer than 8 zeros")
    fields += [..., None if time == NO_TIME else time, position, stream, flags, tuple(pairs)]
    return (-1 if cause == CAUSE_BATCH else cause), tuple(fields), end


def _take(frame: bytes, at: int, length: int, end: int) -> bytes:
    if length > end - at:
        raise FrameError(f"{length} bytes are said to be where {end - at} are left")
    return frame[at : at + length]


def _padded(frame: bytes, at: int, end: int) -> int:
    to = at + -at % 8
    if to > end or any(frame[at:to]):
        raise FrameError("padding is not zero")
    return to


def arguments(args: Iterable[int | bytes]) -> bytes:
    """Encode the arguments of a request, as section 7 has it."""
    out = b""
    for a in args:
        if isinstance(a, int):
            out += a.to_bytes(8, "little", signed=True)
        else:
            out += _PAIR.pack(len(a), 0) + a + bytes(-len(a) % 8)
    return out
