//! Typed configuration, records and stores.
#![cfg(feature = "json")]
#![allow(missing_docs)]

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use wasmill::testing::{Host, Input};
use wasmill::{Context, NewRecord, Record, Result};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Config {
    #[serde(default)]
    min: u32,
}

#[derive(Deserialize, Serialize)]
struct Click<'a> {
    #[serde(borrow)]
    user: Cow<'a, str>,
    ms: u32,
}

#[wasmill::step]
fn slow(record: Record, config: &Config, cx: &mut Context) -> Result {
    let click: Click = record.json()?;
    let totals = cx.store("totals");
    let total: u32 = totals.get_json(click.user.as_bytes())?.unwrap_or(0);
    totals.put_json(click.user.as_bytes(), &(total + click.ms))?;
    if click.ms >= config.min {
        cx.emit_json(NewRecord::null().with_key(click.user.as_bytes()), &click)?;
    }
    Ok(())
}

#[test]
fn typed_step() {
    let host = Host::new()
        .config(serde_json::json!({"min": 10}))
        .stores(["totals"]);
    let mut host = host.start(slow).expect("starts");
    let got = host.batch([
        r#"{"user":"ada","ms":12}"#,
        r#"{"user":"zo\u00eb\n","ms":3000000000}"#,
        r#"{"user":"ada","ms":3}"#,
        "nonsense",
    ]);
    assert_eq!(
        got.values(),
        [
            r#"{"user":"ada","ms":12}"#,
            r#"{"user":"zoë\n","ms":3000000000}"#
        ]
    );
    assert_eq!(got.emitted[0].key.as_deref(), Some(&b"ada"[..]));
    assert_eq!(got.failed.len(), 1);
    assert_eq!(host.store("totals")[0], ("ada".to_owned(), "15".to_owned()));
}

#[test]
fn config_has_to_fit() {
    Host::new().start(slow).expect("no config is an empty one");
    let e = Host::new()
        .config_json(r#"{"mni":3}"#)
        .start(slow)
        .err()
        .expect("is refused");
    assert!(
        e.to_string()
            .starts_with("config of step test: unknown field `mni`"),
        "{e}"
    );
}

fn long(record: Record, cx: &mut Context) -> Result {
    cx.emit_json(
        NewRecord::from(record),
        &"x".repeat(record.text()?.parse()?),
    )
}

#[test]
fn long_values_are_refused_alone() {
    let mut host = Host::new().record_limit(100).start(long).expect("starts");
    let got = host.batch([Input::value("98"), Input::value("99"), Input::value("1")]);
    assert_eq!(
        got.emitted
            .iter()
            .map(|e| e.value.as_ref().map_or(0, Vec::len))
            .collect::<Vec<_>>(),
        [100, 3]
    );
    assert!(
        got.failed.len() == 1 && got.failed[0].text.contains("limits in the job file"),
        "{got:?}"
    );
}
