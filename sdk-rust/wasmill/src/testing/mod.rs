//! A host in memory, so that `cargo test` runs a step natively.
//!
//! ```
//! use wasmill::testing::{Host, Input};
//! use wasmill::{Context, Error, NewRecord, Record, Result};
//!
//! fn shout(record: Record, cx: &mut Context) -> Result {
//!     if record.bytes().is_empty() {
//!         return Err(Error::new("empty"));
//!     }
//!     cx.emit(NewRecord::of(&record.text()?.to_uppercase()))?;
//!     Ok(())
//! }
//!
//! let mut host = Host::new().start(shout)?;
//! let got = host.batch(["fox", ""]);
//! assert_eq!(got.values(), ["FOX"]);
//! assert_eq!(got.failed[0].text, "empty");
//! # let _ = Input::value("fox");
//! # Ok::<(), wasmill::Error>(())
//! ```
//!
//! It does with a batch what the engine does: what fails is undone, and the
//! other records run again. It knows neither time limits nor memory limits;
//! `wasmill test` runs the step in the engine itself.

mod calls;
mod host;
mod input;
mod running;
mod state;

pub use host::Host;
pub use input::Input;
pub use running::{Emitted, Failed, Outcome, Running};
