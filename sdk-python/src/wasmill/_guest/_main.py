"""The main program of a guest."""

from __future__ import annotations

import gc
import io
import sys
import time
from importlib import import_module
from struct import pack
from typing import Protocol, Sequence

from .. import _calls
from .._errors import ENOMEM, ENOSYS
from .._runtime import OP_BATCH, OP_END, OP_RESUMED, Runtime, refuse
from ._codec import Frames, Marshal, want
from ._pipe import KIND_PARK, KIND_RETURN, Pipe

# How many containers there may be more before the collector looks for cycles
# among them: a batch of some thousand records makes and drops several of each.
_YOUNG = 20_000


class Host(_calls.Calls, Protocol):
    """The host, as Pipe has it."""

    def receive(self) -> tuple[int, int, int, memoryview | None] | None: ...
    def send(self, kind: int, count: int, number: int, content: Sequence[bytes] = ()) -> None: ...


class Guest:
    """An instance that the host calls by frames."""

    def __init__(self, pipe: Host) -> None:
        self.pipe = pipe
        self.codec: Marshal | Frames = Frames()
        self.runtime: Runtime | None = None
        self.fault: BaseException = RuntimeError("wasmill: no step is loaded")

    def load(self, module: str) -> None:
        """Import the step. What goes wrong is told when the host calls init."""
        try:
            self.runtime = Runtime(self.pipe, import_module(module))
        except BaseException as error:
            self.fault = error

    def serve(self) -> bool:
        """Serve one call; return False if there is none."""
        call = self.pipe.receive()
        if call is None:
            return False
        _, op, _, content = call
        del call  # so that the content is held by nothing but _run
        effects: Sequence[bytes] = ()
        try:
            if content is None:
                raise MemoryError
            held, content = [content], None
            status = self._run(op, held)
            if status >= 0 and op in (OP_BATCH, OP_END) and self.runtime is not None:
                effects = self.codec.effects(self.runtime.cx)
        except MemoryError:
            status, effects = -ENOMEM, ()
        except BaseException as error:
            status, effects = refuse(self.pipe, error), ()
        self.pipe.send(KIND_RETURN, op, status, effects)
        if self.runtime is not None:
            self.runtime.forget()
        return True

    def _run(self, op: int, held: list[memoryview]) -> int:
        runtime = self.runtime
        if runtime is None:
            return refuse(self.pipe, self.fault) if op == 0 else -ENOSYS
        if op == OP_BATCH:
            number, name, decoded, rows = self.codec.batch(held.pop())
            return runtime.batch(rows, decoded, name, number)
        content = bytes(held.pop())
        if op == 0:
            return runtime.init(content)
        if op == OP_END:
            return runtime.end(content)
        if op == OP_RESUMED:
            return runtime.resumed(content)
        return -ENOSYS


def main(module: str) -> None:
    """Run the step of the module of that name until the host calls no more."""
    vars(sys).update(
        stdout=sys.stderr,  # print goes to the log
        __stdout__=sys.stderr,
        stdin=io.StringIO(),  # what there is are frames
        __stdin__=io.StringIO(),
    )
    guest = Guest(Pipe())
    guest.load(module)
    gc.collect()
    gc.freeze()
    gc.set_threshold(_YOUNG)
    park(guest)
    while guest.serve():
        pass


def park(guest: Guest) -> None:
    """Let the host call a function of this process from now on.

    It knows how for CPython 3.12 alone, and does not come back there.
    """
    if sys.implementation.name != "cpython" or sys.version_info[:2] != (3, 12) or sys.platform != "wasi":
        return
    parked.append(lambda: guest.serve() and None)
    guest.codec = Marshal()
    guest.pipe.send(KIND_PARK, 0, 0, (pack("<III", id(parked[0]), guest.codec.number, want()),))
    time.time_ns()


parked: list[object] = []
"""What the host calls, kept alive."""
