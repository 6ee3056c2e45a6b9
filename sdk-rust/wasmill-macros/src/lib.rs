#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod expand;

use proc_macro::TokenStream;

/// Makes a function, or the type of an `impl Step for` block, the step of the
/// module. A module has one.
///
/// The function is called for each record, in order:
///
/// ```ignore
/// #[wasmill::step]
/// fn shout(record: Record, cx: &mut Context) -> Result { Ok(()) }
/// #[wasmill::step]
/// fn shout(record: Record, config: &Config, cx: &mut Context) -> Result { Ok(()) }
/// ```
///
/// A function whose first parameter is `&Batch` is called for each batch.
/// What the attribute is on stays as it is, so that tests can name it.
#[proc_macro_attribute]
pub fn step(args: TokenStream, item: TokenStream) -> TokenStream {
    expand::step(args.into(), item.into()).into()
}
