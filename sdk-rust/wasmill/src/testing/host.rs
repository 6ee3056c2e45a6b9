use std::rc::Rc;

use super::Running;
use super::calls::Calls;
use super::running::Start;
use crate::instance::Instance;
use crate::{Definition, Result};

/// The settings of a host in memory.
#[derive(Clone, Debug)]
pub struct Host {
    pub(super) config: String,
    pub(super) inputs: Vec<String>,
    pub(super) outputs: Vec<String>,
    pub(super) stores: Vec<String>,
    pub(super) record_limit: usize,
    pub(super) debug: bool,
}

impl Default for Host {
    fn default() -> Self {
        Host::new()
    }
}

impl Host {
    /// A host for a step without config and stores, with the input `in` and
    /// the output `out`.
    pub fn new() -> Self {
        Host {
            config: "null".into(),
            inputs: vec!["in".into()],
            outputs: vec!["out".into()],
            stores: Vec::new(),
            record_limit: 1 << 20,
            debug: true,
        }
    }

    /// The same with that config, which is JSON.
    pub fn config_json(self, config: impl Into<String>) -> Self {
        Host {
            config: config.into(),
            ..self
        }
    }

    /// The same with that config. A value that cannot be written as JSON
    /// counts as none.
    #[cfg(feature = "json")]
    pub fn config(self, config: impl serde::Serialize) -> Self {
        self.config_json(serde_json::to_string(&config).unwrap_or_else(|_| "null".into()))
    }

    /// The same with those inputs.
    pub fn inputs<S: Into<String>>(self, names: impl IntoIterator<Item = S>) -> Self {
        Host {
            inputs: names.into_iter().map(Into::into).collect(),
            ..self
        }
    }

    /// The same with those outputs, the default one first.
    pub fn outputs<S: Into<String>>(self, names: impl IntoIterator<Item = S>) -> Self {
        Host {
            outputs: names.into_iter().map(Into::into).collect(),
            ..self
        }
    }

    /// The same with those stores.
    pub fn stores<S: Into<String>>(self, names: impl IntoIterator<Item = S>) -> Self {
        Host {
            stores: names.into_iter().map(Into::into).collect(),
            ..self
        }
    }

    /// The same with that limit in bytes on key, value and headers of a
    /// record; by default 1 MiB.
    pub fn record_limit(self, bytes: usize) -> Self {
        Host {
            record_limit: bytes,
            ..self
        }
    }

    /// The same with lines of level debug going nowhere.
    pub fn without_debug(self) -> Self {
        Host {
            debug: false,
            ..self
        }
    }

    /// Starts a step: its function, or `T::init` of a type that is one. The
    /// error is that of its init.
    pub fn start<M, D>(self, definition: D) -> Result<Running>
    where
        D: Definition<M> + Clone + 'static,
    {
        let calls = Rc::new(Calls::new(&self));
        let payload = self.payload();
        let start: Start = Box::new(move || {
            let mut instance = Instance::default();
            let status = instance.init(payload.as_bytes(), definition.clone());
            (instance, status)
        });
        Running::new(calls, start)
    }

    fn payload(&self) -> String {
        format!(
            r#"{{"abi_minor":1,"tenant":"default","job":"test","step":"test","task":0,"partitions":1,"config":{},"inputs":{},"outputs":{},"stores":{},"lookups":[],"limits":{{"record":{}}}}}"#,
            self.config,
            array(&self.inputs),
            array(&self.outputs),
            array(&self.stores),
            self.record_limit,
        )
    }
}

/// Names as a JSON array.
fn array(names: &[String]) -> String {
    let quoted = |n: &String| {
        let escaped = n.replace('\\', "\\\\").replace('"', "\\\"");
        format!("\"{escaped}\"")
    };
    format!(
        "[{}]",
        names.iter().map(quoted).collect::<Vec<_>>().join(",")
    )
}
