import wasmill.testing

import step


def test_totals_of_pages() -> None:
    host = wasmill.testing.Host(step, stores=["totals"])
    click = {"user": "u", "page": "/a", "ms": 5, "region": "asia"}
    got = host.batch(click, {**click, "page": "/b"}, {**click, "ms": 7, "region": "europe"})
    assert got.values == [
        b'{"page":"/a","views":1,"ms":5,"region":"asia"}',
        b'{"page":"/b","views":1,"ms":5,"region":"asia"}',
        b'{"page":"/a","views":2,"ms":12,"region":"europe"}',
    ]
    assert [r.key for r in got.records] == [b"/a", b"/b", b"/a"]
    assert host.store("totals") == {b"/a": b"2 12", b"/b": b"1 5"}
