//! A step that counts clicks by page, in a store.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use wasmill::{Context, Error, NewRecord, Record, Result};

/// What step parse emits, as far as it counts.
#[derive(Deserialize)]
struct Click<'a> {
    #[serde(borrow)]
    page: Cow<'a, str>,
    ms: u64,
    #[serde(borrow)]
    region: Cow<'a, str>,
}

/// What is emitted: the totals of a page so far.
#[derive(Serialize)]
struct Total<'a> {
    page: &'a str,
    views: u64,
    ms: u64,
    region: &'a str,
}

#[wasmill::step]
fn count(record: Record, cx: &mut Context) -> Result {
    let click: Click = record.json()?;
    let page = click.page.as_bytes();
    let totals = cx.store("totals");
    let (views, ms) = totals.with(page, read)?.transpose()?.unwrap_or((0, 0));
    let (views, ms) = (views + 1, ms + click.ms);
    totals.put(page, format!("{views} {ms}"))?;
    let total = Total {
        page: &click.page,
        views,
        ms,
        region: &click.region,
    };
    cx.emit_json(NewRecord::null().with_key(page), &total)
}

/// Reads what the store has: "VIEWS MS".
fn read(text: &[u8]) -> Result<(u64, u64)> {
    let (views, ms) = std::str::from_utf8(text)?
        .split_once(' ')
        .ok_or_else(|| Error::new("the store has something else than VIEWS MS"))?;
    Ok((views.parse()?, ms.parse()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasmill::testing::Host;

    #[test]
    fn totals_by_page() {
        let mut host = Host::new().stores(["totals"]).start(count).expect("starts");
        let got = host.batch([
            r#"{"user":"u1","page":"/a","ms":120,"region":"asia"}"#,
            r#"{"user":"u2","page":"/a","ms":30,"region":"europe"}"#,
        ]);
        assert_eq!(
            got.values(),
            [
                r#"{"page":"/a","views":1,"ms":120,"region":"asia"}"#,
                r#"{"page":"/a","views":2,"ms":150,"region":"europe"}"#,
            ]
        );
        assert_eq!(
            host.store("totals"),
            [("/a".to_owned(), "2 150".to_owned())]
        );
    }
}
