"""Turns lines of JSON into clicks with a region."""

from __future__ import annotations

from typing import Any

import wasmill

regions: dict[str, str] = {}
otherwise = ""


@wasmill.on_init
def init(cx: wasmill.Context) -> None:
    global regions, otherwise
    regions, otherwise = cx.config["regions"], cx.config["otherwise"]


@wasmill.step
def step(record: wasmill.Record, cx: wasmill.Context) -> dict[str, Any]:
    try:
        click = record.json
    except (ValueError, RecursionError):
        click = None
    if type(click) is not dict:
        raise wasmill.Reject("not JSON")
    user, page, ms = click.get("user"), click.get("page"), click.get("ms")
    if not user or type(user) is not str:
        raise wasmill.Reject("user is missing")
    if not page or type(page) is not str:
        raise wasmill.Reject("page is missing")
    if type(ms) is not int or not 0 <= ms < 1 << 31:
        raise wasmill.Reject("ms is not a number")
    country = click.get("country")
    region = regions.get(country, otherwise) if type(country) is str else otherwise
    return {"user": user, "page": page, "ms": ms, "region": region}
