"""The golden vectors of abi/testdata, which every SDK reads."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from wasmill import _frame
from wasmill._context import Context
from wasmill._store import entries, pack_keys, values
from wasmill._testing import FakeCalls

DATA = Path(__file__).parents[2] / "abi" / "testdata"

pytestmark = pytest.mark.skipif(not DATA.exists(), reason="the golden vectors are in wasmill's repository")


def vectors(name: str) -> list[Any]:
    if not DATA.exists():
        return []
    found = []
    for part in (DATA / name).read_text().split("\n\n"):
        if part.startswith("#"):
            continue
        head, _, digits = (part.rstrip("\n") + "\n").partition("\nbytes\n")
        first, *lines = [re.findall(r'"[^"]*"|\S+', line) for line in head.split("\n")]
        found.append(pytest.param(first[0], lines, bytes.fromhex(digits), id=first[1]))
    assert len(found) > 5
    return found


def text(word: str) -> bytes | None:
    if word == "null":
        return None
    return word[1:-1].encode().decode("unicode_escape").encode("latin-1")


def number(word: str) -> int | None:
    return None if word == "none" else -1 if word == "batch" else int(word)


@pytest.mark.parametrize(("kind", "lines", "data"), vectors("frames.txt"))
def test_frame_golden(kind: str, lines: list[list[str]], data: bytes) -> None:
    partition: tuple[int, bytes] = (0, b"")
    rows: list[list[Any]] = []
    for word, *rest in lines:
        if word == "partition":
            partition = int(rest[0]), text(rest[1]) or b""
        elif word == "record":
            time, position, cause, stream, flags = map(number, rest[:5])
            rows.append([cause, text(rest[5]), text(rest[6]), ..., time, position, stream, flags, ()])
        else:
            rows[-1][-1] += ((text(rest[0]), text(rest[1])),)
    assert _frame.encode(*partition, [(row[0], row[6], tuple(row[1:])) for row in rows]) == data
    assert _frame.decode(data) == (*partition, [(row[0], tuple(row[1:])) for row in rows])


@pytest.mark.parametrize(("kind", "lines", "data"), vectors("faults.txt"))
def test_frame_golden_faults(kind: str, lines: list[list[str]], data: bytes) -> None:
    with pytest.raises(_frame.FrameError):
        _frame.decode(data)


def test_a_record_of_an_odd_size_is_refused() -> None:
    whole = _frame.encode(0, b"", [(0, 0, (b"abc", b"", ..., None, 0, 0, 0, ()))])
    size = len(whole) - 4  # without half of its padding
    short = bytearray(whole[:size])
    short[12:16] = size.to_bytes(4, "little")
    short[32 + 36 : 32 + 40] = (size - 32).to_bytes(4, "little")
    with pytest.raises(_frame.FrameError, match="44 bytes"):
        _frame.decode(bytes(short))


@pytest.mark.parametrize(("kind", "lines", "data"), vectors("entries.txt"))
def test_entries_golden(kind: str, lines: list[list[str]], data: bytes) -> None:
    found = [tuple(text(word) for word in line[1:]) for line in lines]
    if kind == "scan":
        assert list(entries(data)) == found
    elif kind == "keys":
        assert pack_keys([key or b"" for (key,) in found]) == data
    else:
        assert list(values(data)) == [value for (value,) in found]


def test_init_golden() -> None:
    payload = (DATA / "init.json").read_bytes()
    cx = Context(FakeCalls(2, 1, 1), payload)
    info = json.loads(payload)
    assert (cx.job, cx.step, cx.tenant, cx.task, cx.partitions) == ("word-count", "count", "default", 3, 8)
    assert (cx.inputs, cx.outputs) == (["by-word", "late"], ["out", "rejects"])
    assert cx.config == info["config"]
    assert json.loads(cx.config_json or b"") == info["config"]
    assert cx.store("seen").name == "seen"
