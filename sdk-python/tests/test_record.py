from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import pytest

from wasmill import DELETE, INHERIT, Record
from wasmill._record import DecodedRecord, ReadRecord, dump, wanted


@pytest.mark.parametrize(
    ("value", "data"),
    [
        (None, None),
        (b"", b""),
        ("é", "é".encode()),
        (bytearray(b"x"), b"x"),
        ({"é": [1, 2.5, None, True]}, '{"é":[1,2.5,null,true]}'.encode()),
        (7, b"7"),
        ("\ud800".join(["a", "b"]), None),
    ],
)
def test_value_forms(value: Any, data: bytes | None) -> None:
    if isinstance(value, str) and "\ud800" in value:
        with pytest.raises(UnicodeEncodeError):
            Record(value)
        assert dump(value) == b'"a\\ud800b"'
    else:
        assert Record(value).value == data


def test_fields() -> None:
    r = Record("v", key="k", headers={"h": "1", "n": None}, time=5, flags=DELETE)
    assert (r.key, r.time, r.flags) == (b"k", 5, DELETE)
    assert r.headers == ((b"h", b"1"), (b"n", None))
    assert (r.header("h"), r.header(b"n"), r.header("other")) == (b"1", None, None)
    assert repr(r) == "Record(b'v', key=b'k', headers=((b'h', b'1'), (b'n', None)), time=5, flags=4)"
    assert repr(Record({"a": 1})) == "Record({'a': 1}, key=None)"


def test_replace() -> None:
    r = Record("v", key="k", headers=[("h", "1")], time=5)
    assert r.replace(value={"a": 1}).json == {"a": 1}
    assert r.replace(value=None, flags=DELETE) == Record(None, key="k", headers=[("h", "1")], time=5, flags=DELETE)
    assert r.replace(time=INHERIT).time is None


def test_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        Record("v").value = b"w"  # type: ignore[misc]


@pytest.mark.parametrize("record", [Record("v"), Record({"a": 1}, key=b"k", time=None, headers={"h": None})])
def test_copies_are_equal(record: Record) -> None:
    assert copy.copy(record) == record
    assert copy.deepcopy(record) == record
    assert pickle.loads(pickle.dumps(record)) == record


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"time": 1.5}, TypeError),
        ({"time": 1 << 63}, ValueError),
        ({"flags": 8}, ValueError),
        ({"key": 5}, TypeError),
        ({"headers": {"h": 5}}, TypeError),
    ],
)
def test_mistakes_are_refused(fields: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        Record("v", **fields)


def row(value: Any, obj: Any) -> tuple[Any, ...]:
    return (b"k", value, obj, 5, 6, 1, 0, ())


def test_json_of_the_host_is_handed_on() -> None:
    obj = {"a": 1}
    r = tuple.__new__(DecodedRecord, row(b"{}", obj))  # type: ignore[type-var]
    assert r.json is obj


def test_json_that_was_not_sent_is_decoded_once_and_asked_for() -> None:
    wanted.json = False
    r = tuple.__new__(ReadRecord, row(b'{"a":[1]}', ...))  # type: ignore[type-var]
    assert r.json == {"a": [1]}
    assert r.json is r.json
    assert wanted.json
    assert tuple.__new__(ReadRecord, row(None, ...)).json is None  # type: ignore[type-var]
    with pytest.raises(json.JSONDecodeError):
        tuple.__new__(ReadRecord, row(b"{", ...)).json  # type: ignore[type-var]  # noqa: B018
