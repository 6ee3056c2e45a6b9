"""What goes wrong: rejections by the step, and calls that the host refuses."""

from __future__ import annotations

EPERM = 1
ENOENT = 2
EIO = 5
E2BIG = 7
EBADF = 9
ENOMEM = 12
EINVAL = 22
ENOSYS = 38

_TEXTS = {
    EPERM: "not allowed here",
    ENOENT: "absent",
    EIO: "the host failed",
    E2BIG: "longer than limits in the job file allow (max_record, max_emit, max_key, max_value)",
    EBADF: "the job file declares nothing of this name",
    11: "try again later",
    ENOMEM: "out of memory",
    14: "an address outside of the memory",
    EINVAL: "a malformed argument",
    28: "over a quota",
    ENOSYS: "this host does not have the call",
    95: "not for this step",
}


class Error(Exception):
    """What rejects a record by its text alone, without a place in the code."""

    code: int = 0
    """Comes out in the dead letter and in metrics: 0, or a number of the step's choice."""


class Reject(Error):
    """Raised by a step to reject the record that it was called for.

    What follows is the job's on_error. The code is 0 or above.
    """

    def __init__(self, text: str, code: int = 0) -> None:
        if not 0 <= code < 1 << 31:
            raise ValueError(f"a code is from 0 to 2147483647, not {code}")
        super().__init__(text)
        self.code = code


class CallError(Error):
    """A call that the host refused. A step that lets it out rejects its record."""

    def __init__(self, call: str, on: str, errno: int) -> None:
        text = _TEXTS.get(errno, f"error number {errno}")
        super().__init__(f"wasmill: {call} {on}: {text}" if on else f"wasmill: {call}: {text}")
        self.call = call
        """The host function."""
        self.on = on
        """The store, output or metric; "" for none."""
        self.errno = errno
        """The error number, as Linux has it."""
