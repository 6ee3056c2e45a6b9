use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use wasmill::{Context, Error, NewRecord, Record, Result};

use crate::Config;

#[derive(Deserialize)]
struct Click<'a> {
    #[serde(borrow)]
    user: Cow<'a, str>,
    n: i64,
}

#[derive(Serialize)]
struct Twice<'a> {
    user: &'a str,
    twice: i64,
}

pub(crate) fn double(record: Record, _: &Config, cx: &mut Context) -> Result {
    let click: Click = record.json().map_err(|_| Error::new("not a click"))?;
    cx.emit_json(
        NewRecord::null(),
        &Twice {
            user: &click.user,
            twice: 2 * click.n,
        },
    )
}
