"""What an exception tells the host: what, and where in the step's code."""

from __future__ import annotations

import json

from ._errors import Error

PANIC = -1
"""The code of a record at which the step raised what is no Error."""

# How many of the innermost places a text names.
_PLACES = 8


def describe(error: BaseException) -> tuple[int, str]:
    """Return the code and the text of an exception."""
    if isinstance(error, Error):
        return error.code, str(error)
    try:
        text = str(error)
    except Exception:
        text = "its text cannot be had"
    name = type(error).__name__
    return PANIC, (f"{name}: {text}" if text else name) + _places(error)


def _places(error: BaseException) -> str:
    """Name the lines that led to an exception, innermost first."""
    found = []
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if _of_the_step(code.co_filename):
            name = getattr(code, "co_qualname", code.co_name)
            found.append(f"{code.co_filename}:{trace.tb_lineno} in {name}")
        trace = trace.tb_next
    if isinstance(error, SyntaxError) and error.filename:
        found.append(f"{error.filename}:{error.lineno}")
    return " at " + ", called by ".join(found[: -_PLACES - 1 : -1]) if found else ""


# Where code is that is none of the step's: the SDK and the standard library.
_OTHERS = (
    describe.__code__.co_filename[: -len("_trace.py")],
    json.loads.__code__.co_filename[: -len("json/__init__.py")],
    "<frozen ",
)


def _of_the_step(file: str) -> bool:
    return not file.startswith(_OTHERS) or ("site-packages" in file and not file.startswith(_OTHERS[0]))
