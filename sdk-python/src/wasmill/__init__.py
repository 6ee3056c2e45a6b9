"""wasmill for Python: write the steps of a stream job as functions.

    import wasmill

    @wasmill.step
    def step(record, cx):
        if b"fox" in (record.value or b""):
            yield record

wasmill.testing runs a step without WebAssembly.
"""

from ._batch import Batch
from ._context import Context
from ._errors import CallError, Error, Reject
from ._metric import Counter, Gauge
from ._record import DELETE, INHERIT, INSERT, UPDATE, Headers, Record
from ._register import batch, on_end, on_init, step
from ._store import Store

__version__ = "0.1.0"

__all__ = [
    "DELETE",
    "INHERIT",
    "INSERT",
    "UPDATE",
    "Batch",
    "Context",
    "Counter",
    "Error",
    "Gauge",
    "Headers",
    "CallError",
    "Record",
    "Reject",
    "Store",
    "batch",
    "on_end",
    "on_init",
    "step",
]
