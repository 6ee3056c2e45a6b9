"""The conformance program of this SDK: one step that does what the case in its config says."""

from __future__ import annotations

from typing import Any, Callable

import wasmill

import records
import state
import surroundings

CASES: dict[str, Callable[..., Any]] = {**records.CASES, **state.CASES, **surroundings.CASES}


@wasmill.on_init
def init(cx: wasmill.Context) -> None:
    global run
    case = (cx.config or {}).get("case")
    if case == "init-fails":
        raise RuntimeError("configured to fail")
    if case not in CASES:
        raise LookupError(f"no case {case!r}")
    run = (wasmill.batch if case == "batch" else wasmill.step)(CASES[case])
    state.counting = case == "end"


run: Callable[..., Any]

end = state.end
