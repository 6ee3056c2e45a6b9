from __future__ import annotations

import random
from typing import Any, Callable

import pytest

import wasmill
from wasmill import testing
from wasmill._context import Context
from wasmill._errors import E2BIG, EBADF
from wasmill._testing import FakeCalls

PAYLOAD = (
    b'{"job":"j","step":"s","tenant":"t","task":0,"partitions":1,"config":null,"inputs":[],"outputs":[],'
    b'"stores":["a","b"],"limits":{"key":8,"state_value":16}}'
)


class Counted(FakeCalls):
    """A host that counts how often it is asked."""

    asked = 0

    def call(self, function: int, *args: int | bytes) -> tuple[int, bytes]:
        self.asked += 1
        return super().call(function, *args)


def opened() -> tuple[Counted, Context]:
    calls = Counted(2, 8, 16)
    cx = Context(calls, PAYLOAD)
    calls.begin(1)
    cx.begin(1)
    return calls, cx


def test_a_key_is_asked_for_once_a_call() -> None:
    calls, cx = opened()
    store = cx.store("b")
    assert store.get("k") is None
    store.put("k", "v")
    assert store.get(b"k") == b"v"
    store.delete("k")
    assert store.get("k") is None
    assert calls.asked == 1
    assert cx.writes() == [(1, b"k", None)]


def test_get_many_asks_once_for_what_is_not_known() -> None:
    calls, cx = opened()
    calls.stores[0] = {b"a": b"1", b"e": b""}
    store = cx.store("a")
    store.put("b", "2")
    assert store.get_many(["a", "b", "c", "a", "e"]) == [b"1", b"2", None, b"1", b""]
    assert [store.get("a"), store.get("c")] == [b"1", None]
    assert store.get_many([]) == []
    assert calls.asked == 1


def test_scan_sees_what_was_written() -> None:
    _, cx = opened()
    store = cx.store("a")
    for key in ("b", "a", "c"):
        store.put(key, "v" + key)
    store.delete("c")
    assert list(store.scan()) == [(b"a", b"va"), (b"b", b"vb")]
    assert list(store.scan("b")) == [(b"b", b"vb")]
    assert list(store.scan(end="b")) == [(b"a", b"va")]


def test_scan_goes_over_pages() -> None:
    calls, cx = opened()
    want = {b"%06d" % i: b"x" * 10 for i in range(9000)}
    calls.stores[0] = dict(want)
    assert dict(cx.store("a").scan()) == want
    assert calls.asked > 2


def test_limits_hold_where_they_are_passed() -> None:
    _, cx = opened()
    store = cx.store("a")
    calls: list[Callable[[], None]] = [
        lambda: store.put("x" * 9, ""),
        lambda: store.put("x", "x" * 17),
        lambda: store.delete("x" * 9),
    ]
    for call in calls:
        with pytest.raises(wasmill.CallError) as caught:
            call()
        assert caught.value.errno == E2BIG
        assert "limit" in str(caught.value)
    with pytest.raises(wasmill.CallError) as caught:
        store.get("x" * 9)
    assert (caught.value.call, caught.value.on, caught.value.errno) == ("state_get", "a", E2BIG)


def test_a_store_that_the_job_does_not_declare() -> None:
    _, cx = opened()
    with pytest.raises(wasmill.CallError) as caught:
        cx.store("c")
    assert caught.value.errno == EBADF


def test_much_that_is_written_is_handed_over_in_between(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wasmill._store._KEPT", 30)
    calls, cx = opened()
    store = cx.store("a")
    for i in range(10):
        store.put(f"k{i}", "12345678")
    assert calls.asked > 0
    assert len(cx.writes()) < 10
    assert len(store._seen) < 10
    assert [store.get(f"k{i}") for i in range(10)] == [b"12345678"] * 10


def test_a_random_run_agrees_with_a_dict() -> None:
    seed = random.randrange(1 << 32)
    print("seed", seed)
    rng = random.Random(seed)
    calls, cx = opened()
    store, want = cx.store("a"), dict[bytes, bytes]()
    for _ in range(2000):
        key = b"%d" % rng.randrange(20)
        action = rng.randrange(6)
        if action == 0:
            want[key] = b"%d" % rng.randrange(100)
            store.put(key, want[key])
        elif action == 1:
            want.pop(key, None)
            store.delete(key)
        elif action == 2:
            assert store.get(key) == want.get(key)
        elif action == 3:
            keys = [b"%d" % rng.randrange(20) for _ in range(5)]
            assert store.get_many(keys) == [want.get(k) for k in keys]
        elif action == 4:
            assert list(store.scan(key)) == sorted((k, v) for k, v in want.items() if k >= key)
        else:
            store.flush()
            cx.begin(1)
    store.flush()
    assert calls.stores[0] == want


@pytest.mark.parametrize("scans", [False, True])
def test_a_batch_that_fails_leaves_no_state(scans: bool) -> None:
    @wasmill.step
    def step(record: wasmill.Record, cx: wasmill.Context) -> Any:
        store = cx.store("n")
        n = int(store.get("n") or 0) + 1
        store.put("n", str(n))
        if scans:  # which hands over what was written
            assert list(store.scan()) == [(b"n", str(n).encode())]
        if record.value == b"bad":
            raise wasmill.Reject("bad")
        return n

    host = testing.Host(step, stores=["n"])
    got = host.batch("a", "bad", "b")
    assert got.values == [b"1", b"2"]
    assert host.store("n") == {b"n": b"2"}
