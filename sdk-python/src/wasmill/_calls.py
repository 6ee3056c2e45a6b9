"""The functions of the host, by number, and what is behind them."""

from __future__ import annotations

from typing import Protocol

from ._errors import CallError

EMIT = 1
FAIL = 2
STATE_GET = 3
STATE_PUT = 4
STATE_DELETE = 5
STATE_SCAN = 6
STATE_GET_MANY = 7
RESUME = 11
LOG = 12
LOG_ENABLED = 13
METRIC_DEFINE = 14
METRIC_ADD = 15
NOW = 18

NAMES = {
    EMIT: "emit",
    FAIL: "fail",
    STATE_GET: "state_get",
    STATE_PUT: "state_put",
    STATE_DELETE: "state_delete",
    STATE_SCAN: "state_scan",
    STATE_GET_MANY: "state_get_many",
    RESUME: "resume",
    LOG: "log",
    LOG_ENABLED: "log_enabled",
    METRIC_DEFINE: "metric_define",
    METRIC_ADD: "metric_add",
    NOW: "now",
}


class Calls(Protocol):
    """The host, as a step's call sees it."""

    def call(self, function: int, *args: int | bytes) -> tuple[int, bytes]:
        """Call a function of the host; return its result and what it replied."""


def ask(calls: Calls, on: str, function: int, *args: int | bytes) -> tuple[int, bytes]:
    """Call a function of the host and raise CallError if it refuses."""
    result, reply = calls.call(function, *args)
    if result < 0:
        raise CallError(NAMES[function], on, -result)
    return result, reply
