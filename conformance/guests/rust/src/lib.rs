//! The conformance program of the Rust SDK: one step that does what the case
//! in its config says.

mod host;
mod json;
mod records;
mod state;

use serde::Deserialize;
use wasmill::{Batch, Context, Error, Record, Result, Step};

/// The config. What stands beside the case is that of case config.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Config {
    case: String,
    text: String,
    number: i64,
    list: Vec<i64>,
    flag: bool,
    nothing: Option<i64>,
    nested: Nested,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Nested {
    a: Inner,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Inner {
    b: String,
}

type OfRecord = fn(Record<'_>, &Config, &mut Context) -> Result;
type OfBatch = fn(&Batch<'_>, &mut Context) -> Result;

struct Case {
    config: Config,
    record: OfRecord,
    batch: Option<OfBatch>,
}

#[wasmill::step]
impl Step for Case {
    fn init(cx: &mut Context) -> Result<Self> {
        let config: Config = cx.config()?;
        let mut batch = None;
        let record: OfRecord = match config.case.as_str() {
            "init-fails" => return Err(Error::new("configured to fail")),
            "batch" => {
                batch = Some(records::sizes as OfBatch);
                records::echo
            }
            "config" => host::config,
            "echo" => records::echo,
            "end" => state::count,
            "fail" => records::fail,
            "flags" => records::flags,
            "info" => host::info,
            "json" => json::double,
            "log" => host::log,
            "loop" => records::harm,
            "metrics" => host::metrics,
            "now" => host::now,
            "outputs" => records::outputs,
            "state" => state::state,
            "time" => records::time,
            other => return Err(Error::new(format_args!("no case {other:?}"))),
        };
        Ok(Case {
            config,
            record,
            batch,
        })
    }

    fn record(&mut self, record: Record, cx: &mut Context) -> Result {
        (self.record)(record, &self.config, cx)
    }

    fn batch(&mut self, batch: &Batch, cx: &mut Context) -> Result {
        match self.batch {
            Some(step) => step(batch, cx),
            None => self.each(batch, cx),
        }
    }

    fn end(&mut self, token: &[u8], cx: &mut Context) -> Result<Option<Vec<u8>>> {
        match self.config.case.as_str() {
            "end" => state::counted(token, cx),
            _ => Ok(None),
        }
    }
}
