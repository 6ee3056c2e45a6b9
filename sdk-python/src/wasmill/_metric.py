"""Counters and gauges."""

from __future__ import annotations

from . import _calls


class _Metric:
    """A number of the host's that the step moves."""

    _kind: int

    def __init__(self, name: str) -> None:
        self.name = name
        """What the host calls it: [a-z][a-z0-9_]*, 64 characters at most."""
        self.delta = 0
        made.append(self)

    def _move(self, n: int) -> None:
        if self.delta == 0:
            moved.append(self)
        self.delta += int(n)


class Counter(_Metric):
    """A metric that only grows. It belongs into a variable of a module."""

    _kind = 0

    def add(self, n: int = 1) -> None:
        """Add n, which is not negative. The host is told at the end of the call."""
        if n < 0:
            raise ValueError(f"counter {self.name}: {n} is negative")
        self._move(n)


class Gauge(_Metric):
    """A metric that goes up and down. It belongs into a variable of a module."""

    _kind = 1

    def add(self, n: int) -> None:
        """Add n, which may be negative. The host is told at the end of the call."""
        self._move(n)


made: list[_Metric] = []
"""All metrics that there are."""

moved: list[_Metric] = []
"""Those that something was added to; one may be there twice."""


class Metrics:
    """The metrics of one instance: what the host calls them by."""

    def __init__(self, calls: _calls.Calls) -> None:
        self._calls = calls
        self._handles: dict[str, int] = {}

    def define(self) -> None:
        """Tell the host of all metrics."""
        for metric in made:
            self._handle(metric)

    def hand_over(self) -> None:
        """Tell the host of everything that was added."""
        while moved:
            metric = moved.pop()
            delta, metric.delta = metric.delta, 0
            if delta:
                _calls.ask(self._calls, metric.name, _calls.METRIC_ADD, self._handle(metric), delta)

    def _handle(self, metric: _Metric) -> int:
        handle = self._handles.get(metric.name)
        if handle is None:
            name = metric.name.encode()
            handle, _ = _calls.ask(self._calls, metric.name, _calls.METRIC_DEFINE, metric._kind, name)
            self._handles[metric.name] = handle
        return handle
