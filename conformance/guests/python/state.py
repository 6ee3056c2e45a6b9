"""Cases about stores."""

from __future__ import annotations

from collections.abc import Iterator

import wasmill

# How many entries one call of end emits.
PAGE = 2

counting = False


def add(store: wasmill.Store, key: bytes) -> str:
    """Add 1 to the number at key, in decimal, and return it."""
    number = str(int(store.get(key) or 0) + 1)
    store.put(key, number)
    return number


def state(record: wasmill.Record, cx: wasmill.Context) -> Iterator[wasmill.Record]:
    command, *words = (record.value or b"").split(b" ")
    store = cx.store("state")
    if command == b"put":
        store.put(words[0], words[1])
    elif command == b"get":
        yield wasmill.Record(store.get(words[0]), command)
    elif command == b"delete":
        store.delete(words[0])
    elif command == b"count":
        yield wasmill.Record(add(store, words[0]), command)
    elif command == b"scan":
        start, end = (b"" if word == b"-" else word for word in words)
        for key, value in store.scan(start, end):
            yield wasmill.Record(key + b"=" + value, command)
    elif command == b"many":
        for found in store.get_many(words):
            yield wasmill.Record(found, command)
    elif command == b"big":
        store.put(words[0], b"x" * int(words[1]))
    else:
        raise wasmill.Reject(f"no command {command.decode()}")


def count(record: wasmill.Record, cx: wasmill.Context) -> None:
    add(cx.store("state"), record.key or b"")


@wasmill.on_end
def end(cx: wasmill.Context, token: bytes | None) -> bytes | None:
    if counting:
        for n, (key, value) in enumerate(cx.store("state").scan(token or b"")):
            if n == PAGE:
                return key
            cx.emit(value, key)
    return None


CASES = {"state": state, "end": count}
