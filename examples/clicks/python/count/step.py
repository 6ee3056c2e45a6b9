"""Counts the views of each page, and their milliseconds."""

from __future__ import annotations

import wasmill


@wasmill.batch
def count(batch: wasmill.Batch, cx: wasmill.Context) -> None:
    totals = cx.store("totals")
    totals.get_many(record.json["page"] for record in batch)  # one call instead of one for each
    for record in batch:
        click = record.json
        page = click["page"]
        views, ms = map(int, (totals.get(page) or b"0 0").split())
        views, ms = views + 1, ms + click["ms"]
        totals.put(page, f"{views} {ms}")
        cx.emit({"page": page, "views": views, "ms": ms, "region": click["region"]}, page)
