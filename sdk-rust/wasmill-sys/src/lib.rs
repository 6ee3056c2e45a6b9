#![doc = include_str!("../README.md")]

#[cfg(target_family = "wasm")]
mod wasm;
#[cfg(target_family = "wasm")]
pub use wasm::*;

#[cfg(not(target_family = "wasm"))]
mod native;
#[cfg(not(target_family = "wasm"))]
pub use native::*;

mod input;
pub use input::{alloc, with_payload};

/// The error number of an address that the host was not given.
const EFAULT: i32 = 14;
