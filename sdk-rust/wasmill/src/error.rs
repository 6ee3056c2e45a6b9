use std::fmt;

use crate::Errno;

/// The code of a record at which the step panicked.
pub const CODE_PANIC: i32 = -1;

/// What a step returns.
pub type Result<T = (), E = Error> = std::result::Result<T, E>;

/// Why a record is rejected, or a call of the step failed. Every error of
/// another type becomes one by `?`, with its text.
///
/// Like the error types that take any other, it is no [`std::error::Error`]
/// itself.
pub struct Error {
    text: String,
    code: i32,
    errno: Errno,
}

impl Error {
    /// An error with a text, which the dead letter of a rejected record has.
    pub fn new(text: impl fmt::Display) -> Self {
        Error::with_code(0, text)
    }

    /// An error with a code of the step's own, 1 and above, that comes out in
    /// the dead letter and in metrics beside the text.
    pub fn with_code(code: i32, text: impl fmt::Display) -> Self {
        Error {
            text: text.to_string(),
            code,
            errno: Errno::EINVAL,
        }
    }

    /// The code; 0 if the error brought none.
    pub fn code(&self) -> i32 {
        self.code
    }

    /// What the host is told if the error ends a call: EINVAL unless it came
    /// from a call to the host.
    pub(crate) fn errno(&self) -> Errno {
        self.errno
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (code {})", self.text, self.code)
    }
}

impl<E: std::error::Error + 'static> From<E> for Error {
    fn from(e: E) -> Self {
        let any: &(dyn std::error::Error + 'static) = &e;
        let errno = any.downcast_ref::<CallError>().map(|c| c.errno);
        let errno = errno.or_else(|| any.downcast_ref::<Errno>().copied());
        Error {
            errno: errno.unwrap_or(Errno::EINVAL),
            ..Error::new(&e)
        }
    }
}

/// A call to the host that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallError {
    /// The host function.
    pub call: &'static str,
    /// The store, output or metric; empty for none.
    pub on: String,
    /// What the host answered.
    pub errno: Errno,
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let space = if self.on.is_empty() { "" } else { " " };
        write!(
            f,
            "wasmill: {}{space}{}: {}",
            self.call, self.on, self.errno
        )
    }
}

impl std::error::Error for CallError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.errno)
    }
}

/// Returns the result of a call as a length or handle, or as an error.
pub(crate) fn check(call: &'static str, on: &str, result: i32) -> Result<usize, CallError> {
    usize::try_from(result).map_err(|_| CallError {
        call,
        on: on.to_owned(),
        errno: Errno(result.saturating_neg()),
    })
}
