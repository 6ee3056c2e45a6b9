#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod batch;
mod config;
mod context;
mod definition;
mod emit;
mod errno;
mod error;
mod frame;
mod headers;
mod init;
mod instance;
#[cfg(feature = "json")]
mod json;
mod metric;
mod new_record;
mod panics;
mod record;
mod scan;
mod step;
mod store;
#[cfg(not(target_family = "wasm"))]
pub mod testing;

pub use batch::{Batch, Records};
pub use context::Context;
pub use definition::Definition;
pub use errno::Errno;
pub use error::{CODE_PANIC, CallError, Error, Result};
pub use headers::{Headers, HeadersBuf};
pub use metric::{Counter, Gauge};
pub use new_record::NewRecord;
pub use record::{Flags, Partition, Record};
pub use scan::{Entry, Scan};
pub use step::Step;
pub use store::Store;
pub use wasmill_macros::step;

/// What the attribute `step` writes calls to.
#[doc(hidden)]
pub mod __private {
    pub use crate::definition::is_definition;
    #[cfg(target_family = "wasm")]
    pub use crate::instance::{alloc, init, process};
}
