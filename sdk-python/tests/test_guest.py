"""The guest's side of the frames over file descriptors, and its codecs."""

from __future__ import annotations

import json
import marshal
import os
import random
from collections import deque
from pathlib import Path
from types import ModuleType
from typing import Any, Iterator, Sequence

import pytest

import wasmill
from wasmill import _calls, _frame
from wasmill._guest._codec import Frames, Marshal
from wasmill._guest._main import Guest
from wasmill._guest._pipe import KIND_CALL, KIND_REPLY, KIND_REQUEST, KIND_RETURN, Pipe
from wasmill._testing import FakeCalls

PAYLOAD = json.dumps(
    {
        "job": "j",
        "step": "s",
        "tenant": "t",
        "task": 0,
        "partitions": 1,
        "config": None,
        "inputs": ["in"],
        "outputs": ["out", "late"],
        "stores": ["s"],
    }
).encode()


class FakePipe(FakeCalls):
    """A host whose calls are queued, and that keeps what is returned."""

    def __init__(self) -> None:
        super().__init__(1, 4096, 1 << 20)
        self.queued: deque[tuple[int, bytes]] = deque()
        self.returned: list[tuple[int, int, bytes]] = []
        self.frames: list[Any] = []
        self.failed: list[tuple[int, int, bytes]] = []

    def receive(self) -> tuple[int, int, int, memoryview] | None:
        if not self.queued:
            return None
        op, content = self.queued.popleft()
        self.begin(op)
        return KIND_CALL, op, 0, memoryview(content)

    def send(self, kind: int, count: int, number: int, content: Sequence[bytes] = ()) -> None:
        assert kind == KIND_RETURN
        self.returned.append((count, number, b"".join(content)))

    def _emit(self, frame: bytes) -> tuple[int, bytes]:
        self.frames += _frame.decode(frame)[2]
        return 0, b""

    def _fail(self, index: int, code: int, text: bytes) -> tuple[int, bytes]:
        self.failed.append((index, code, text))
        return 0, b""


@wasmill.step
def step(record: wasmill.Record, cx: wasmill.Context) -> Iterator[Any]:
    if record.value == b"bad":
        raise wasmill.Reject("no")
    if record.value == b"set":
        cx.emit({1})
    cx.store("s").put(record.key or "", record.value or "")
    if record.value == b"random":
        yield str(random.random())
    if record.value == b"memory":
        raise MemoryError
    yield {"at": record.position}
    cx.emit(record, output="late")


@wasmill.on_end
def end(cx: wasmill.Context, token: bytes | None) -> bytes | None:
    cx.emit(token)
    return None if token else b"more"


def guest(codec: Marshal | Frames, monkeypatch: pytest.MonkeyPatch) -> tuple[FakePipe, Guest]:
    module = ModuleType("step_of_the_test")
    vars(module).update(step=step, end=end)
    monkeypatch.setitem(__import__("sys").modules, module.__name__, module)
    pipe = FakePipe()
    made = Guest(pipe)
    made.load(module.__name__)
    made.codec = codec
    pipe.queued.append((0, PAYLOAD))
    assert made.serve()
    assert pipe.returned.pop() == (0, 0, b"")
    return pipe, made


def row(value: bytes | None, key: bytes | None = None, position: int = 0) -> tuple[Any, ...]:
    return (key, value, ..., 5, position, 0, 0, ((b"h", None),))


def call(pipe: FakePipe, guest: Guest, op: int, content: bytes) -> tuple[int, bytes]:
    pipe.queued.append((op, content))
    assert guest.serve()
    returned, status, effects = pipe.returned.pop()
    assert returned == op
    return status, effects


def test_codec_of_marshal(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe, made = guest(Marshal(), monkeypatch)

    def batch(*rows: tuple[Any, ...]) -> Any:
        status, effects = call(pipe, made, 1, marshal.dumps((7, b"p", False, list(rows))))
        assert status == 0
        return marshal.loads(effects)

    want, emits, fails, writes = batch(row(b"v", b"k", 3), row(None, position=4))
    assert want == 1
    assert emits == [
        (0, 0, None, {"at": 3}, 5, 0, ()),
        (0, 1, b"k", b"v", 5, 0, ((b"h", None),)),
        (1, 0, None, {"at": 4}, 5, 0, ()),
        (1, 1, None, None, 5, 0, ((b"h", None),)),
    ]
    assert fails == []
    assert writes == [(0, b"k", b"v"), (0, b"", b"")]
    # What the host would drop is not handed over.
    assert batch(row(b"v"), row(b"bad")) == (1, [], [(1, 0, b"no")], [])
    assert batch() == (1, [], [], [])
    assert pipe.stores == [{}]
    assert not pipe.frames


def test_codec_of_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe, made = guest(Frames(), monkeypatch)

    def batch(*rows: tuple[Any, ...]) -> None:
        content = _frame.encode(7, b"p", [(0, 0, row) for row in rows])
        assert call(pipe, made, 1, content) == (0, b"")

    batch(row(b"v", b"k", 3))
    assert pipe.frames == [
        (0, (None, b'{"at":3}', ..., 5, 0, 0, 0, ())),
        (0, (b"k", b"v", ..., 5, 0, 1, 0, ((b"h", None),))),
    ]
    assert pipe.stores == [{b"k": b"v"}]
    batch(row(b"bad"), row(b"set"))
    assert pipe.failed == [(0, 0, b"no"), (1, -1, b"TypeError: Object of type set is not JSON serializable")]
    assert len(pipe.frames) == 2


@pytest.mark.parametrize("codec", [Marshal(), Frames()])
def test_end(codec: Marshal | Frames, monkeypatch: pytest.MonkeyPatch) -> None:
    pipe, made = guest(codec, monkeypatch)
    status, effects = call(pipe, made, 3, b"")
    assert (status, pipe.token) == (1, b"more")
    if codec.number == 1:
        assert marshal.loads(effects)[1] == [(-1, 0, None, None, None, 0, ())]
    assert call(pipe, made, 3, b"more")[0] == 0


def test_resumed_seeds_random_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe, made = guest(Marshal(), monkeypatch)
    drawn = []
    for seed in (b"1" * 32, b"2" * 32, b"1" * 32):
        assert call(pipe, made, 4, seed) == (0, b"")
        _, effects = call(pipe, made, 1, marshal.dumps((7, b"p", False, [row(b"random")])))
        drawn.append(marshal.loads(effects)[1][0][3])
    assert drawn[0] == drawn[2] != drawn[1]


def test_an_unknown_operation(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe, made = guest(Marshal(), monkeypatch)
    assert call(pipe, made, 99, b"") == (-38, b"")


def test_memory_that_is_used_up_fails_the_record(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe, made = guest(Marshal(), monkeypatch)
    _, effects = call(pipe, made, 1, marshal.dumps((7, b"p", False, [row(b"memory"), row(b"v")])))
    ((index, code, text),) = marshal.loads(effects)[2]
    assert (index, code) == (0, -1)
    assert text.startswith(b"MemoryError at ")


def test_content_that_is_no_batch_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe, made = guest(Frames(), monkeypatch)
    assert call(pipe, made, 1, b"x") == (-22, b"")
    assert "FrameError" in pipe.logs[-1][1]


def test_a_module_that_cannot_be_imported_is_told_in_init() -> None:
    pipe = FakePipe()
    made = Guest(pipe)
    made.load("no_module_of_this_name")
    assert call(pipe, made, 4, bytes(32)) == (-38, b"")
    assert call(pipe, made, 0, PAYLOAD) == (-22, b"")
    assert "No module named 'no_module_of_this_name'" in pipe.logs[-1][1]
    assert not made.serve()


def test_pipe_reads_frames_that_come_in_pieces_and_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wasmill._guest._pipe.read", lambda fd, n: os.read(fd, min(n, 20)))
    (source, host_out), (host_in, sink) = os.pipe(), os.pipe()
    host, pipe = Pipe(host_in, host_out), Pipe(source, sink)
    try:
        content = bytes(range(256))
        host.send(KIND_CALL, 1, 0, [content[:100], content[100:]])
        assert pipe.receive() == (KIND_CALL, 1, 0, content)
        host.send(KIND_REPLY, _calls.STATE_GET, -2)
        assert pipe.call(_calls.STATE_GET, 1, b"key") == (-2, b"")
        frame = host.receive()
        assert frame is not None
        assert frame[:2] == (KIND_REQUEST, _calls.STATE_GET)
        assert frame[3] == b"\1\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0key\0\0\0\0\0"
        os.write(host_out, b"WML1")
        os.close(host_out)
        with pytest.raises(EOFError):
            pipe.receive()
        assert pipe.receive() is None
    finally:
        for fd in (source, host_in, sink):
            os.close(fd)


def test_pipe_writes_what_is_long_in_pieces(tmp_path: Path) -> None:
    content = [b"x" * 700_000, b"y" * 700_001]
    with open(tmp_path / "frame", "w+b", buffering=0) as f:
        pipe = Pipe(f.fileno(), f.fileno())
        pipe.send(KIND_RETURN, 1, 0, content)
        f.seek(0)
        frame = pipe.receive()
        assert frame is not None
        assert frame[3] == b"".join(content)
        assert f.tell() % 8 == 0


def test_pipe_passes_over_what_there_is_no_memory_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_room(size: int) -> bytearray:
        raise MemoryError

    monkeypatch.setattr("wasmill._guest._pipe.bytearray", no_room, raising=False)
    with open(tmp_path / "frame", "w+b", buffering=0) as f:
        pipe = Pipe(f.fileno(), f.fileno())
        pipe.send(KIND_CALL, 1, 0, [bytes(300_000)])
        pipe.send(KIND_CALL, 3, 0)
        f.seek(0)
        made = Guest(pipe)
        assert made.pipe.receive() == (KIND_CALL, 1, 0, None)
        assert pipe.receive() == (KIND_CALL, 3, 0, b"")
