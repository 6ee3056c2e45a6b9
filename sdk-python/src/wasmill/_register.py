"""The decorators that make functions of a module the step's."""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING, Any, Callable, Iterable, TypeVar

if TYPE_CHECKING:
    from ._batch import Batch
    from ._context import Context
    from ._record import Record

    _Step = TypeVar("_Step", bound=Callable[[Record, Context], Any])
    _Batch = TypeVar("_Batch", bound=Callable[[Batch, Context], Any])
    _Init = TypeVar("_Init", bound=Callable[[Context], None])
    _End = TypeVar("_End", bound=Callable[[Context, "bytes | None"], "bytes | None"])

_F = TypeVar("_F")

_MARK = "__wasmill__"


def step(function: _Step) -> _Step:
    """Make a function the step: it is called once for each record, in order.

    What it returns or yields is emitted to the default output: a Record, str
    as UTF-8, bytes, or anything that json.dumps takes; None is nothing. An
    exception rejects the record and no other; raise Reject to say why in your
    own words. What follows is the job's on_error.
    """
    return _mark(function, "step")


def batch(function: _Batch) -> _Batch:
    """Make a function the step: it is called once for each batch.

    What it returns or yields is emitted as by step. Context.fail rejects single
    records; an exception inside of a loop over the batch rejects the record that
    the loop is at, any other one refuses the whole batch, which the host then
    tries in halves until the record at fault is alone.
    """
    return _mark(function, "batch")


def on_init(function: _Init) -> _Init:
    """Let a function be called once, before the first record.

    It may read the config and write logs, no more. An exception is a fault of
    the step: the job does not start with it. The decorated functions of the
    module are looked up once more behind it: it may choose one of several by the
    config, by making it a variable of the module.
    """
    return _mark(function, "on_init")


def on_end(function: _End) -> _End:
    """Let a function be called when a bounded input is over.

    A call has to be short. If there is more to do, the function returns a token
    of at most 64 KiB that says where to go on, and is called again with it once
    the host has taken what was done so far; perhaps in another instance, which
    knows nothing but the token. The first token is None; returning None ends it.
    """
    return _mark(function, "on_end")


def _mark(function: _F, kind: str) -> _F:
    target: Any = function
    if not callable(target):
        raise TypeError(f"wasmill.{kind} decorates a function, not {type(function).__name__}")
    setattr(target, _MARK, kind)
    return function


class Functions:
    """The functions of a step."""

    step: Callable[[Record, Context], Any] | None = None
    batch: Callable[[Batch, Context], Any] | None = None
    on_init: Callable[[Context], None] | None = None
    on_end: Callable[[Context, bytes | None], bytes | None] | None = None


def functions_of(found: ModuleType | Iterable[Any]) -> Functions:
    """Return the decorated functions of a module, or of those given.

    Of each kind there is one at most. check says what must be there.
    """
    f = Functions()
    for value in list(vars(found).values() if isinstance(found, ModuleType) else found):
        kind = getattr(value, _MARK, None)
        if not isinstance(kind, str) or getattr(f, kind) is value:
            continue
        if getattr(f, kind) is not None:
            raise ValueError(f"two functions are decorated with wasmill.{kind}: leave one of them")
        setattr(f, kind, value)
    return f


def check(f: Functions) -> None:
    """Raise ValueError unless there is one function for records or for batches, and can be called."""
    if (f.step is None) == (f.batch is None):
        what = "no function is" if f.step is None else "one function is decorated with wasmill.step and one"
        raise ValueError(
            f"{what} decorated with wasmill.{'step' if f.step is None else 'batch'}: a step has one of the two"
        )
    _check_call(f.step, "step", "record, cx")
    _check_call(f.batch, "batch", "batch, cx")
    _check_call(f.on_end, "on_end", "cx, token")


_VARARGS, _COROUTINE, _ASYNC_GENERATOR = 0x04, 0x80, 0x200  # of co_flags


def _check_call(function: Any, kind: str, arguments: str) -> None:
    """Raise ValueError if a function would fail at every call, before it has records to fail at."""
    code = getattr(function, "__code__", None)
    if code is None or hasattr(function, "__self__"):
        return  # a callable of another kind shows when it is called
    where = f"{code.co_name} at {code.co_filename}:{code.co_firstlineno}"
    if code.co_flags & (_COROUTINE | _ASYNC_GENERATOR):
        raise ValueError(f"{where} is async: wasmill.{kind} decorates an ordinary function")
    given = arguments.count(",") + 1
    least = code.co_argcount - len(function.__defaults__ or ())
    most = given if code.co_flags & _VARARGS else code.co_argcount
    if not least <= given <= most or code.co_kwonlyargcount > len(function.__kwdefaults__ or {}):
        raise ValueError(f"{where} is decorated with wasmill.{kind} and has to take ({arguments})")
