import wasmill.testing

import step

CONFIG = {"regions": {"de": "europe"}, "otherwise": "elsewhere"}


def test_clicks_get_a_region() -> None:
    got = wasmill.testing.Host(step, config=CONFIG).batch(
        '{"user":"u1","page":"/p/3","ms":120,"country":"de"}',
        '{"ms":0,"page":"/\\u00e9","user":"\\"u\\u0001\\"","more":[1,2]}',
    )
    assert got.values == [
        b'{"user":"u1","page":"/p/3","ms":120,"region":"europe"}',
        '{"user":"\\"u\\u0001\\"","page":"/é","ms":0,"region":"elsewhere"}'.encode(),
    ]


def test_what_is_no_click_is_rejected() -> None:
    got = wasmill.testing.Host(step, config=CONFIG).batch(
        "no", "[]", '{"page":"/","ms":1}', '{"user":"u","page":"","ms":1}', '{"user":"u","page":"/","ms":1.0}'
    )
    assert [f.text for f in got.failed] == [
        "not JSON",
        "not JSON",
        "user is missing",
        "page is missing",
        "ms is not a number",
    ]
    assert {f.code for f in got.failed} == {0}
