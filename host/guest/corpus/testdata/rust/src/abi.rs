//! As much of the wasmill ABI as the workloads need: abi/SPEC.md.

use std::cell::UnsafeCell;

pub const OP_BATCH: i32 = 1;
pub const EINVAL: i32 = 22;
pub const ENOSYS: i32 = 38;

const HEADER: usize = 32;
const RECORD: usize = 40;
const NULL: u32 = u32::MAX;

#[link(wasm_import_module = "wasmill_v1")]
extern "C" {
    #[link_name = "emit"]
    fn host_emit(ptr: *const u8, len: usize) -> i32;
    #[link_name = "fail"]
    fn host_fail(index: u32, code: i32, ptr: *const u8, len: usize) -> i32;
}

/// The buffer that the host writes into, in words so that it is aligned.
struct Input(UnsafeCell<Vec<u64>>);

// An instance has one thread.
unsafe impl Sync for Input {}

static INPUT: Input = Input(UnsafeCell::new(Vec::new()));

pub fn input(size: usize) -> *mut u8 {
    let buffer = unsafe { &mut *INPUT.0.get() };
    if buffer.len() * 8 <= size {
        buffer.resize(size / 8 + 1, 0);
    }
    buffer.as_mut_ptr().cast()
}

fn word(data: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(data[at..at + 4].try_into().unwrap())
}

fn padded(n: usize) -> usize {
    (n + 7) & !7
}

/// The value of each record of a frame, empty where it is null.
pub fn values(frame: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut at = HEADER + padded(word(frame, 20) as usize);
    (0..word(frame, 8)).map(move |_| {
        let record = &frame[at..];
        at += word(record, 36) as usize;
        let key = match word(record, 24) {
            NULL => 0,
            n => n as usize,
        };
        match word(record, 28) {
            NULL => &record[..0],
            n => &record[RECORD + key..RECORD + key + n as usize],
        }
    })
}

pub fn fail(index: u32, why: &str) {
    unsafe { host_fail(index, 0, why.as_ptr(), why.len()) };
}

/// A frame that is being written.
pub struct Frame(Vec<u8>);

impl Frame {
    pub fn new() -> Self {
        Frame(vec![0; HEADER])
    }

    /// Adds a record without key and time.
    pub fn add(&mut self, cause: u32, value: &[u8]) {
        let size = padded(RECORD + value.len());
        let f = &mut self.0;
        let at = f.len();
        f.extend(i64::MIN.to_le_bytes());
        f.extend(0u64.to_le_bytes());
        for n in [cause, 1 << 16, NULL, value.len() as u32, 0, size as u32] {
            f.extend(n.to_le_bytes());
        }
        f.extend(value);
        f.resize(at + size, 0);
        let count = word(f, 8) + 1;
        f[8..12].copy_from_slice(&count.to_le_bytes());
    }

    pub fn emit(mut self) {
        let size = self.0.len() as u32;
        self.0[..8].copy_from_slice(b"WML1\x01\0\x01\0");
        self.0[12..16].copy_from_slice(&size.to_le_bytes());
        unsafe { host_emit(self.0.as_ptr(), self.0.len()) };
    }
}
