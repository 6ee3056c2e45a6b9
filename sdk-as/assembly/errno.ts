// Error numbers of the interface. The values are those of Linux.

export const EPERM = 1; // not allowed here
export const ENOENT = 2; // absent
export const EIO = 5; // the host failed; the batch will be dropped
export const E2BIG = 7; // longer than a limit of the job
export const EBADF = 9; // no such store, output or metric
export const EAGAIN = 11; // try again later
export const ENOMEM = 12; // out of memory
export const EFAULT = 14; // an address outside of the memory
export const EINVAL = 22; // a malformed argument or frame
export const ENOSPC = 28; // over a quota
export const ENOSYS = 38; // not in this host
export const ENOTSUP = 95; // not for this step

/** What an error number says. */
export function errorText(errno: i32): string {
  switch (errno) {
    case EPERM: return "not allowed here";
    case ENOENT: return "absent";
    case EIO: return "the host failed";
    case E2BIG: return "longer than limits in the job file allow (max_record, max_emit, max_key, max_value)";
    case EBADF: return "the job file declares nothing of this name";
    case EAGAIN: return "try again later";
    case ENOMEM: return "out of memory";
    case EFAULT: return "an address outside of the memory";
    case EINVAL: return "a malformed argument";
    case ENOSPC: return "over a quota";
    case ENOSYS: return "this host does not have the call";
    case ENOTSUP: return "not for this step";
    default: return "error number " + errno.toString();
  }
}
