"""Steps of all kinds, against the host of wasmill.testing."""

from __future__ import annotations

import collections
import functools
import types
from dataclasses import dataclass
from typing import Any, AsyncIterator, Iterator

import pytest

import wasmill
from wasmill import testing
from wasmill._record import decoded
from wasmill._register import check, functions_of
from wasmill._runtime import asks_for_json


@wasmill.step
def echo(record: wasmill.Record, cx: wasmill.Context) -> wasmill.Record:
    return record


def test_a_record_is_handed_on_as_it_is() -> None:
    r = wasmill.Record("v", key="", headers={"h": None}, time=5, flags=wasmill.UPDATE)
    got = testing.Host(echo).batch(r, wasmill.Record(None, time=None))
    assert got.records == [r, wasmill.Record(None, time=None)]
    assert [e.cause for e in got.emitted] == [0, 1]


def test_generators_and_emit_mix_in_order() -> None:
    @wasmill.step
    def step(record: wasmill.Record, cx: wasmill.Context) -> Iterator[Any]:
        yield {"a": 1}
        cx.emit("text", "key", output="late")
        yield b"bytes"
        yield wasmill.Record([1], key="k", time=9)
        yield None

    got = testing.Host(step, outputs=["out", "late"]).batch(wasmill.Record("", time=3))
    assert got.values == [b'{"a":1}', b"text", b"bytes", b"[1]", None]
    assert [e.output for e in got.emitted] == ["out", "late", "out", "out", "out"]
    assert [r.time for r in got.records] == [3, 3, 3, 9, 3]
    assert [r.key for r in got.records] == [None, b"key", None, b"k", None]


def test_what_is_emitted_is_taken_at_once() -> None:
    @wasmill.step
    def step(record: wasmill.Record, cx: wasmill.Context) -> None:
        value: dict[str, Any] = {"list": []}
        cx.emit(value)
        value["list"].append(1)
        cx.emit(value)

    assert testing.Host(step).batch("").values == [b'{"list":[]}', b'{"list":[1]}']


def test_what_only_json_takes_is_emitted_too() -> None:
    class Name(str):
        pass

    @wasmill.step
    def step(record: wasmill.Record, cx: wasmill.Context) -> None:
        cx.emit([Name("n"), (1, 2), collections.OrderedDict(a=1)])
        cx.emit(collections.defaultdict(int, a=1))
        cx.emit((1, 2))

    assert testing.Host(step).batch("").values == [b'["n",[1,2],{"a":1}]', b'{"a":1}', b"[1,2]"]


@wasmill.step
def command(record: wasmill.Record, cx: wasmill.Context) -> Iterator[Any]:
    value = record.value or b""
    yield "before"
    if value == b"reject":
        raise wasmill.Reject("no", code=7)
    if value == b"raise":
        raise KeyError("x")
    if value == b"exit":
        raise SystemExit(3)
    if value == b"set":
        yield {1, 2}
    if value == b"keys":
        yield {(1, 2): 3}
    if value == b"output":
        cx.emit("", output="none")
    if value == b"long":
        yield "x" * (1 << 20) + "x"
    if value == b"long json":
        yield {"x": "x" * (1 << 20)}
    if value == b"fail":
        cx.fail(record, "of no use", code=3)
    if value == b"fail error":
        cx.fail(record, ValueError("of no use"))


@pytest.mark.parametrize(
    ("value", "code", "text"),
    [
        ("reject", 7, "no"),
        ("raise", -1, "KeyError: 'x' at FILE in command"),
        ("exit", -1, "SystemExit: 3 at FILE in command"),
        ("set", -1, "TypeError: Object of type set is not JSON serializable"),
        ("keys", -1, "TypeError: keys must be str, int, float, bool or None, not tuple"),
        ("output", 0, "wasmill: emit none: the job file declares nothing of this name"),
        ("long", 0, "wasmill: emit out: longer than limits in the job file allow"),
        ("long json", 0, "wasmill: emit out: longer than limits in the job file allow"),
        ("fail", 3, "of no use"),
        ("fail error", -1, "ValueError: of no use"),
    ],
)
def test_a_failure_concerns_its_record_alone(value: str, code: int, text: str) -> None:
    got = testing.Host(command).batch("a", value, "b")
    assert got.values == [b"before", b"before"]
    assert [e.cause for e in got.emitted] == [0, 2]
    (failed,) = got.failed
    assert (failed.index, failed.code) == (1, code)
    place, _, function = text.partition(" at FILE")
    assert failed.text.startswith(place)
    if function:
        assert "test_step.py:" in failed.text
        assert failed.text.endswith(function)


def test_places_leave_out_the_standard_library() -> None:
    @wasmill.step
    def step(record: wasmill.Record, cx: wasmill.Context) -> Any:
        return record.json["x"]

    (failed,) = testing.Host(step).batch("{").failed
    assert failed.text.startswith("JSONDecodeError: Expecting property name")
    assert failed.text.count(".py:") == 1


def test_no_codes_below_zero() -> None:
    with pytest.raises(ValueError, match="not -1"):
        wasmill.Reject("x", code=-1)


def test_json_comes_from_the_host_and_can_be_changed() -> None:
    @wasmill.step
    def step(record: wasmill.Record, cx: wasmill.Context) -> Any:
        record.json["n"] += 1
        return record.json

    host = testing.Host(step)
    assert host.batch('{"n":1}').values == [b'{"n":2}']
    got = host.batch('{"n":1}', "no")  # not all are decoded
    assert got.values == [b'{"n":2}']
    assert got.failed[0].index == 1
    host.batch()
    assert host.batch('{"n":1}').values == [b'{"n":2}']
    assert not decoded  # nothing of a batch is kept for ever


def test_a_look_at_the_code_tells_who_asks_for_json() -> None:
    def asks(record: wasmill.Record) -> Any:
        return record.json

    def does_not(record: wasmill.Record) -> Any:
        return record.value

    assert asks_for_json(asks)
    assert not asks_for_json(does_not)
    assert not asks_for_json(print)


def test_batches() -> None:
    @wasmill.batch
    def whole(batch: wasmill.Batch, cx: wasmill.Context) -> str:
        for record in batch:
            if record.value == b"raise":
                raise ValueError("raised")
            if record.value == b"fail":
                continue
            cx.emit(record)
        if len(batch) > 1 and batch[1].value == b"fail":
            cx.fail(batch[1], "failed", code=2)
        if batch[0].value == b"refuse":
            raise ValueError("refused")
        return f"{len(batch)} of {cx.partition_name.decode()} {cx.partition_number}"

    host = testing.Host(whole)
    got = host.batch(wasmill.Record("a", time=1), "raise", wasmill.Record("b", time=2), partition="p", number=3)
    assert [(e.cause, e.record.value, e.record.time) for e in got.emitted] == [
        (0, b"a", 1),
        (2, b"b", 2),
        (-1, b"2 of p 3", None),
    ]
    assert [(f.index, f.code) for f in got.failed] == [(1, -1)]
    assert [(f.index, f.code, f.text) for f in host.batch("a", "fail").failed] == [(1, 2, "failed")]
    with pytest.raises(testing.StepError, match=r"ValueError: refused at .*test_step.py:\d+ in .*whole"):
        host.batch("refuse")


def test_fail_is_for_records_of_the_batch() -> None:
    @wasmill.step
    def step(record: wasmill.Record, cx: wasmill.Context) -> None:
        cx.fail(wasmill.Record("another"), "x")

    (failed,) = testing.Host(step).batch("a").failed
    assert failed.text.startswith("ValueError: the record is not one of the running batch")


def test_init_and_config() -> None:
    @dataclass
    class Settings:
        match: str = "x"

    @wasmill.on_init
    def init(cx: wasmill.Context) -> None:
        cx.info(cx.config_as(Settings).match)
        if cx.config is not None and cx.config["match"] == "store":
            cx.store("s").put("k", "v")

    assert testing.Host([init, echo], config={"match": "fox"}).logs == [("info", "fox")]
    assert testing.Host([init, echo]).logs == [("info", "x")]
    with pytest.raises(testing.StepError, match="unknown field 'macht': there are match"):
        testing.Host([init, echo], config={"macht": "fox"})
    with pytest.raises(testing.StepError, match="expected an object, not int"):
        testing.Host([init, echo], config=1)
    with pytest.raises(testing.StepError, match="state_put s: not allowed here"):
        testing.Host([init, echo], config={"match": "store"}, stores=["s"])


def test_on_init_may_choose_the_function() -> None:
    module = types.ModuleType("m")

    @wasmill.on_init
    def init(cx: wasmill.Context) -> None:
        vars(module)["run"] = {"echo": echo, "command": command}[cx.config]

    vars(module)["init"] = init
    assert testing.Host(module, config="echo").batch("a").values == [b"a"]
    assert testing.Host(module, config="command").batch("a").values == [b"before"]
    with pytest.raises(testing.StepError, match="KeyError"):
        testing.Host(module, config="other")


def test_what_a_module_must_have() -> None:
    module = types.ModuleType("m")
    with pytest.raises(ValueError, match="no function is decorated with wasmill.step"):
        check(functions_of(module))
    vars(module).update(a=echo, b=echo)
    assert functions_of(module).step is echo
    with pytest.raises(ValueError, match=r"two functions are decorated with wasmill.step"):
        functions_of([echo, command])
    with pytest.raises(ValueError, match="one function is decorated with wasmill.step and one"):
        check(functions_of([echo, wasmill.batch(lambda batch, cx: None)]))
    with pytest.raises(TypeError, match="decorates a function"):
        wasmill.step(5)  # type: ignore[type-var]


def test_functions_are_called_with_what_they_take() -> None:
    async def coroutine(record: Any, cx: Any) -> None: ...

    async def generator(record: Any, cx: Any) -> AsyncIterator[str]:
        yield "a"

    def named(record: Any, cx: Any, *, name: str) -> None: ...

    for function in (coroutine, generator):
        with pytest.raises(ValueError, match=rf"{function.__name__} at .*test_step.py:\d+ is async"):
            check(functions_of([wasmill.step(function)]))
    wrong: list[Any] = [lambda: None, lambda record: None, lambda record, cx, more: None, named]
    for function in wrong:
        with pytest.raises(ValueError, match=r"wasmill.step and has to take \(record, cx\)"):
            check(functions_of([wasmill.step(function)]))
    with pytest.raises(ValueError, match=r"wasmill.on_end and has to take \(cx, token\)"):
        check(functions_of([echo, wasmill.on_end(wrong[1])]))
    right: list[Any] = [lambda *all: None, lambda record, *cx: None, lambda record, cx, more=1, *, name="": None]
    for function in [*right, functools.partial(named, name="a")]:
        check(functions_of([wasmill.step(function)]))


def test_logs_metrics_and_now() -> None:
    seen, size = wasmill.Counter("seen"), wasmill.Gauge("size")

    @wasmill.step
    def step(record: wasmill.Record, cx: wasmill.Context) -> Iterator[str]:
        seen.add()
        size.add(-len(record.value or b""))
        if cx.debug_enabled:
            cx.debug("d")
        cx.info("i")
        cx.warn("w")
        cx.error("e\ud800")
        yield str(cx.now())
        yield str(cx.now())

    host = testing.Host(step)
    assert host.batch(wasmill.Record("abc", time=5)).values == [b"5001000", b"5002000"]
    assert host.logs == [("debug", "d"), ("info", "i"), ("warn", "w"), ("error", "e?")]
    assert (host.metric("seen"), host.metric("size"), host.metric("other")) == (1, -3, 0)
    host.batch("a")
    assert (host.metric("seen"), host.metric("size")) == (2, -4)
    with pytest.raises(ValueError, match="-1 is negative"):
        seen.add(-1)


def test_a_metric_of_a_bad_name_is_a_fault_of_the_step() -> None:
    bad = wasmill.Counter("Bad")
    try:
        with pytest.raises(testing.StepError, match="metric_define Bad: a malformed argument"):
            testing.Host(echo)
    finally:
        wasmill._metric.made.remove(bad)


def test_end_goes_on_by_tokens() -> None:
    @wasmill.on_end
    def end(cx: wasmill.Context, token: bytes | None) -> bytes | None:
        n = int(token or 0)
        cx.emit({"n": n})
        return str(n + 1).encode() if n < 2 else None

    got = testing.Host([echo, end]).end()
    assert got.values == [b'{"n":0}', b'{"n":1}', b'{"n":2}']
    assert {(e.cause, e.record.time) for e in got.emitted} == {(-1, None)}
