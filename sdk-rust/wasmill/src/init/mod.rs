//! The payload of init.

mod scan;

use crate::{Error, Result};
use scan::{Malformed, Scanner};

/// What init tells of where the step runs.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Info {
    pub(crate) tenant: String,
    pub(crate) job: String,
    pub(crate) step: String,
    pub(crate) task: u32,
    pub(crate) partitions: u32,
    /// JSON as it came.
    pub(crate) config: Vec<u8>,
    pub(crate) inputs: Vec<String>,
    pub(crate) outputs: Vec<String>,
    pub(crate) stores: Vec<String>,
    /// Bytes of key, value and headers that a record may have.
    pub(crate) record_limit: usize,
}

/// Reads the payload. Fields that it does not know are left out.
pub(crate) fn parse(payload: &[u8]) -> Result<Info> {
    fields(payload).map_err(|Malformed(at)| {
        Error::new(format_args!(
            "wasmill: the payload of init is not the JSON that the interface describes, at byte {at}"
        ))
    })
}

fn fields(payload: &[u8]) -> Result<Info, Malformed> {
    let mut info = Info {
        record_limit: usize::MAX,
        ..Info::default()
    };
    let mut scanner = Scanner::new(payload);
    scanner.object(|name, s| {
        match name {
            "tenant" => info.tenant = s.string()?,
            "job" => info.job = s.string()?,
            "step" => info.step = s.string()?,
            "task" => info.task = s.number()?,
            "partitions" => info.partitions = s.number()?,
            "config" => info.config = s.value()?.to_vec(),
            "inputs" => info.inputs = s.strings()?,
            "outputs" => info.outputs = s.strings()?,
            "stores" => info.stores = s.strings()?,
            "limits" => s.object(|name, s| {
                match name {
                    "record" => info.record_limit = s.number()?,
                    _ => _ = s.value()?,
                }
                Ok(())
            })?,
            _ => _ = s.value()?,
        }
        Ok(())
    })?;
    scanner.end()?;
    Ok(info)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn golden_payload() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../abi/testdata/init.json");
        let info = parse(&std::fs::read(path).expect(path)).expect("well formed");
        let strings = |all: &[&str]| all.iter().map(|s| String::from(*s)).collect::<Vec<_>>();
        assert_eq!(
            info,
            Info {
                tenant: "default".into(),
                job: "word-count".into(),
                step: "count".into(),
                task: 3,
                partitions: 8,
                config: r#"{"min": 10, "note": "a \"quoted\" } ] \u00e9 line", "list": [1, {"x": null}], "big": 12345678901234567890}"#.into(),
                inputs: strings(&["by-word", "late"]),
                outputs: strings(&["out", "rejects"]),
                stores: strings(&["counts", "seen"]),
                record_limit: 1 << 20,
            }
        );
    }

    #[test]
    fn malformed_payloads() {
        for text in [
            "",
            "[]",
            "{",
            r#"{"job":1}"#,
            r#"{"job":"a}"#,
            r#"{"task":-1}"#,
            r#"{"task":4294967296}"#,
            r#"{"stores":["a" "b"]}"#,
            "{} {}",
            r#"{"x":[1}"#,
        ] {
            let e = parse(text.as_bytes()).expect_err(text).to_string();
            assert!(
                e.contains("payload of init") && e.contains("at byte "),
                "{text}: {e}"
            );
        }
    }

    #[test]
    fn escapes_of_strings() {
        let text = r#"{"job":"a\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00\ud800x"}"#;
        let info = parse(text.as_bytes()).expect(text);
        assert_eq!(info.job, "a\"\\/\u{8}\u{c}\n\r\té😀\u{fffd}x");
    }
}
