"""Batch: what a function of wasmill.batch gets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Iterator, Sequence

if TYPE_CHECKING:
    from ._context import Context
    from ._record import Record


class Batch:
    """A run of records of one partition, in order.

    While a loop over it is at a record, what the step emits is noted as caused
    by that record, and gets its event time. Otherwise the batch as a whole is
    the cause, and there is no time.
    """

    def __init__(self, cx: Context, records: Sequence[Record]) -> None:
        self._cx = cx
        self._records = records

    def __len__(self) -> int:
        return len(self._records)

    def __getitem__(self, index: int) -> Record:
        return self._records[index]

    def __iter__(self) -> Iterator[Record]:
        cx = self._cx
        for index, record in enumerate(self._records):
            cx.at(index, record)
            yield record
        cx.at()
