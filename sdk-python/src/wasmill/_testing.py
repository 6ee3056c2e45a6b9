"""The host's functions in memory, for wasmill.testing."""

from __future__ import annotations

from struct import pack, unpack_from

from . import _calls
from ._errors import E2BIG, EBADF, EINVAL, ENOENT, ENOSYS, EPERM

_LEVELS = ("debug", "info", "warn", "error")
_PAGE = 64 << 10
_TOKEN = 64 << 10
_END = 3

# What a call during init may ask for.
_ALWAYS = (_calls.LOG, _calls.LOG_ENABLED, _calls.METRIC_DEFINE, _calls.METRIC_ADD, _calls.NOW)


class FakeCalls:
    """A host for one instance."""

    def __init__(self, stores: int, max_key: int, max_value: int) -> None:
        self.stores: list[dict[bytes, bytes]] = [{} for _ in range(stores)]
        self.logs: list[tuple[str, str]] = []
        self.metrics: dict[str, int] = {}
        self.token = b""
        self._defined: list[tuple[int, str]] = []
        self._max_key = max_key
        self._max_value = max_value
        self._op = 0
        self._clock = 0

    def begin(self, op: int, time: int = 0) -> list[dict[bytes, bytes]]:
        """Begin a call at a time in milliseconds; return what the stores hold, for the case that it fails."""
        self._op, self.token, self._clock = op, b"", time * 1_000_000
        return [dict(store) for store in self.stores]

    def call(self, function: int, *args: int | bytes) -> tuple[int, bytes]:
        """Serve a call of the step."""
        served = getattr(self, "_" + _calls.NAMES.get(function, "none"), None)
        if served is None:
            return -ENOSYS, b""
        if self._op == 0 and function not in _ALWAYS:
            return -EPERM, b""
        if _calls.STATE_GET <= function <= _calls.STATE_GET_MANY and args[0] not in range(len(self.stores)):
            return -EBADF, b""
        result: tuple[int, bytes] = served(*args)
        return result

    def _state_get(self, store: int, key: bytes) -> tuple[int, bytes]:
        if len(key) > self._max_key:
            return -E2BIG, b""
        value = self.stores[store].get(key)
        return (-ENOENT, b"") if value is None else (len(value), value)

    def _state_put(self, store: int, key: bytes, value: bytes) -> tuple[int, bytes]:
        if len(key) > self._max_key or len(value) > self._max_value:
            return -E2BIG, b""
        self.stores[store][key] = value
        return 0, b""

    def _state_delete(self, store: int, key: bytes) -> tuple[int, bytes]:
        if len(key) > self._max_key:
            return -E2BIG, b""
        self.stores[store].pop(key, None)
        return 0, b""

    def _state_scan(self, store: int, start: bytes, end: bytes) -> tuple[int, bytes]:
        page = b""
        for key, value in sorted(self.stores[store].items()):
            if key < start or (end and key >= end):
                continue
            entry = pack("<II", len(key), len(value)) + key + value
            if page and len(page) + len(entry) > _PAGE:
                break
            page += entry
        return len(page), page

    def _state_get_many(self, store: int, keys: bytes) -> tuple[int, bytes]:
        at, reply = 0, b""
        while at < len(keys):
            (n,) = unpack_from("<I", keys, at)
            result, value = self._state_get(store, keys[at + 4 : at + 4 + n])
            if result == -E2BIG:
                return result, b""
            reply += pack("<I", 0xFFFFFFFF if result < 0 else result) + value
            at += 4 + n
        return len(reply), reply

    def _resume(self, token: bytes) -> tuple[int, bytes]:
        if self._op != _END:
            return -EPERM, b""
        if len(token) > _TOKEN:
            return -E2BIG, b""
        self.token = token
        return 0, b""

    def _log(self, level: int, text: bytes) -> tuple[int, bytes]:
        self.logs.append((_LEVELS[level], text.decode()))
        return 0, b""

    def _log_enabled(self, level: int) -> tuple[int, bytes]:
        return 1, b""

    def _metric_define(self, kind: int, name: bytes) -> tuple[int, bytes]:
        text = name.decode()
        plain = text.replace("_", "a")
        if not ("a" <= text[:1] <= "z" and plain.isascii() and plain.isalnum() and plain.islower() and len(text) <= 64):
            return -EINVAL, b""
        for handle, (known, other) in enumerate(self._defined):
            if other == text:
                return (handle if known == kind else -EINVAL), b""
        self._defined.append((kind, text))
        return len(self._defined) - 1, b""

    def _metric_add(self, handle: int, delta: int) -> tuple[int, bytes]:
        if handle >= len(self._defined):
            return -EBADF, b""
        name = self._defined[handle][1]
        self.metrics[name] = self.metrics.get(name, 0) + delta
        return 0, b""

    def _now(self) -> tuple[int, bytes]:
        self._clock += 1000
        return 0, self._clock.to_bytes(8, "little", signed=True)
