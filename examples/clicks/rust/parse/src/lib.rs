//! A step that reads clicks of a web site: it checks them, and adds the region
//! of their country.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use wasmill::{Context, Error, NewRecord, Record, Result};

/// What the job file says under config.
#[derive(Deserialize)]
struct Config {
    regions: HashMap<String, String>,
    otherwise: String,
}

/// What is emitted.
#[derive(Serialize)]
struct Click<'a> {
    user: &'a str,
    page: &'a str,
    ms: i32,
    region: &'a str,
}

#[wasmill::step]
fn parse(record: Record, config: &Config, cx: &mut Context) -> Result {
    let fields: Map<String, Value> = record.json().map_err(|_| Error::new("not JSON"))?;
    let text = |name| {
        fields
            .get(name)
            .and_then(Value::as_str)
            .filter(|s| !s.is_empty())
    };
    let user = text("user").ok_or_else(|| Error::new("user is missing"))?;
    let page = text("page").ok_or_else(|| Error::new("page is missing"))?;
    let ms = fields
        .get("ms")
        .and_then(Value::as_i64)
        .and_then(|n| i32::try_from(n).ok());
    let ms = ms
        .filter(|n| *n >= 0)
        .ok_or_else(|| Error::new("ms is not a number"))?;
    let region = text("country")
        .and_then(|c| config.regions.get(c))
        .unwrap_or(&config.otherwise);
    cx.emit_json(
        NewRecord::null(),
        &Click {
            user,
            page,
            ms,
            region,
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use wasmill::testing::Host;

    #[test]
    fn clicks_and_what_is_none() {
        let config = json!({"regions": {"de": "europe"}, "otherwise": "elsewhere"});
        let mut host = Host::new().config(config).start(parse).expect("starts");
        let got = host.batch([
            r#"{"user":"u1","page":"/p/3","ms":120,"country":"de"}"#,
            r#"{"ms":0,"page":"/\u00e9","user":"u2"}"#,
            "GET /p/1",
            r#"{"user":"","page":"/p/1","ms":1}"#,
            r#"{"user":"u1","page":7,"ms":1}"#,
            r#"{"user":"u1","page":"/p/1","ms":2147483648}"#,
            r#"{"user":"u1","page":"/p/1","ms":0.5}"#,
        ]);
        assert_eq!(
            got.values(),
            [
                r#"{"user":"u1","page":"/p/3","ms":120,"region":"europe"}"#,
                r#"{"user":"u2","page":"/é","ms":0,"region":"elsewhere"}"#,
            ]
        );
        let why: Vec<_> = got.failed.iter().map(|f| f.text.as_str()).collect();
        let no_number = "ms is not a number";
        assert_eq!(
            why,
            [
                "not JSON",
                "user is missing",
                "page is missing",
                no_number,
                no_number
            ]
        );
    }
}
