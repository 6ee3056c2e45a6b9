use std::fmt;

/// An error number of the interface. The values are those of Linux.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Errno(pub i32);

impl Errno {
    /// Not allowed here.
    pub const EPERM: Errno = Errno(1);
    /// Absent.
    pub const ENOENT: Errno = Errno(2);
    /// The host failed; the batch will be dropped.
    pub const EIO: Errno = Errno(5);
    /// Longer than a limit of the job.
    pub const E2BIG: Errno = Errno(7);
    /// No such store, output or metric.
    pub const EBADF: Errno = Errno(9);
    /// Try again later.
    pub const EAGAIN: Errno = Errno(11);
    /// Out of memory.
    pub const ENOMEM: Errno = Errno(12);
    /// An address outside of the memory.
    pub const EFAULT: Errno = Errno(14);
    /// A malformed argument or frame.
    pub const EINVAL: Errno = Errno(22);
    /// Over a quota.
    pub const ENOSPC: Errno = Errno(28);
    /// Not in this host.
    pub const ENOSYS: Errno = Errno(38);
    /// Not for this step.
    pub const ENOTSUP: Errno = Errno(95);
}

impl fmt::Display for Errno {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match *self {
            Errno::EPERM => "not allowed here",
            Errno::ENOENT => "absent",
            Errno::EIO => "the host failed",
            Errno::E2BIG => {
                "longer than limits in the job file allow (max_record, max_emit, max_key, max_value)"
            }
            Errno::EBADF => "the job file declares nothing of this name",
            Errno::EAGAIN => "try again later",
            Errno::ENOMEM => "out of memory",
            Errno::EFAULT => "an address outside of the memory",
            Errno::EINVAL => "a malformed argument",
            Errno::ENOSPC => "over a quota",
            Errno::ENOSYS => "this host does not have the call",
            Errno::ENOTSUP => "not for this step",
            Errno(n) => return write!(f, "error number {n}"),
        })
    }
}

impl std::error::Error for Errno {}
