//! The buffer that the host writes the payload of each call to.

use std::cell::RefCell;

/// Bounds of the buffer in bytes. It grows in powers of two, so that it stops
/// growing after a few batches.
const MIN: usize = 64 << 10;
const MAX: usize = 256 << 20;

thread_local! {
    /// Words, so that the buffer begins at a multiple of 8.
    static INPUT: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

/// Returns where the host may write `size` bytes, null if there is no room for
/// them. The place is the same each time: what was there before is gone.
pub fn alloc(size: u32) -> *mut u8 {
    let size = size as usize;
    if size > MAX {
        return std::ptr::null_mut();
    }
    INPUT.with_borrow_mut(|words| {
        if words.is_empty() || size > words.len() * 8 {
            let n = size.max(MIN).next_power_of_two() / 8;
            *words = Vec::new(); // given back before the larger one is taken
            if words.try_reserve_exact(n).is_err() {
                return std::ptr::null_mut();
            }
            words.resize(n, 0);
        }
        words.as_mut_ptr().cast()
    })
}

/// Calls `serve` with the `len` bytes that the host wrote at `ptr`, which
/// [`alloc`] returned, and gives back its result: the negative of EFAULT if
/// `alloc` did not return that address or had fewer bytes there.
pub fn with_payload(ptr: *const u8, len: u32, serve: impl FnOnce(&[u8]) -> i32) -> i32 {
    let words = INPUT.take(); // so that serve may do what it likes
    let given = words.as_ptr().cast::<u8>();
    let len = len as usize;
    if given != ptr || len > words.len() * 8 {
        INPUT.set(words);
        return -crate::EFAULT;
    }
    // SAFETY: the words are initialised, as many as are asked for, and nobody
    // else has them until serve is done.
    let status = serve(unsafe { std::slice::from_raw_parts(given, len) });
    INPUT.set(words);
    status
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn payload_is_what_alloc_has_room_for() {
        for size in [0, 1, 100, 64 << 10, (64 << 10) + 1, 1 << 20] {
            let ptr = alloc(size);
            assert!(
                !ptr.is_null() && (ptr as usize).is_multiple_of(8),
                "{size} bytes at {ptr:?}"
            );
            let seen = with_payload(ptr, size, |b| i32::try_from(b.len()).expect("fits"));
            assert_eq!(seen, i32::try_from(size).expect("fits"));
        }
        assert_eq!(alloc(0), alloc(1 << 20), "the buffer is kept");
    }

    #[test]
    fn payload_elsewhere_is_refused() {
        assert!(alloc(u32::MAX).is_null());
        let ptr = alloc(8);
        assert_eq!(with_payload(ptr.wrapping_add(8), 8, |_| 0), -crate::EFAULT);
        assert_eq!(with_payload(ptr, 1 << 30, |_| 0), -crate::EFAULT);
    }
}
