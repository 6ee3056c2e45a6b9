//! The corpus' guest in Rust: three workloads over the wasmill ABI, and as
//! plain exports. testdata/README.md says what they compute.

mod abi;
mod work;

use std::sync::atomic::{AtomicU32, Ordering};

/// 0 json, 1 hash, 2 sort: set by init, one thread.
static WORKLOAD: AtomicU32 = AtomicU32::new(0);

#[no_mangle]
pub extern "C" fn wasmill_abi_1() {}

#[no_mangle]
pub extern "C" fn wasmill_alloc(size: usize) -> *mut u8 {
    abi::input(size)
}

#[no_mangle]
pub unsafe extern "C" fn wasmill_init(ptr: *const u8, len: usize) -> i32 {
    let init: Option<serde_json::Value> = serde_json::from_slice(std::slice::from_raw_parts(ptr, len)).ok();
    let name = init.as_ref().and_then(|i| i["config"]["workload"].as_str());
    let Some(at) = name.and_then(|n| ["json", "hash", "sort"].iter().position(|w| *w == n)) else {
        return -abi::EINVAL;
    };
    WORKLOAD.store(at as u32, Ordering::Relaxed);
    0
}

#[no_mangle]
pub unsafe extern "C" fn wasmill_process(op: i32, ptr: *const u8, len: usize) -> i32 {
    if op != abi::OP_BATCH {
        return -abi::ENOSYS;
    }
    let frame = std::slice::from_raw_parts(ptr, len);
    let mut out = abi::Frame::new();
    for (index, value) in abi::values(frame).enumerate() {
        match WORKLOAD.load(Ordering::Relaxed) {
            0 => match work::transform(value) {
                Some(text) => out.add(index as u32, text.as_bytes()),
                None => abi::fail(index as u32, "not a record"),
            },
            1 => out.add(index as u32, work::hex(work::hash8(value)).as_bytes()),
            _ => out.add(index as u32, work::hex(work::sort(work::fnv(work::OFFSET, value))).as_bytes()),
        }
    }
    out.emit();
    0
}

#[no_mangle]
pub extern "C" fn bench_json(n: i32) -> i64 {
    let mut sum = work::OFFSET;
    let mut record = *work::TEMPLATE;
    for i in 0..n as u32 {
        work::number(&mut record, i);
        if let Some(text) = work::transform(&record) {
            sum = work::fnv(sum, text.as_bytes());
        }
    }
    sum as i64
}

#[no_mangle]
pub extern "C" fn bench_hash(n: i32) -> i64 {
    let mut buffer = [0u8; 100];
    for (i, b) in buffer.iter_mut().enumerate() {
        *b = (i * 7 + 3) as u8;
    }
    let mut sum = work::OFFSET;
    for _ in 0..n {
        sum = work::fnv(sum, &buffer);
    }
    sum as i64
}

#[no_mangle]
pub extern "C" fn bench_sort(n: i32) -> i64 {
    let mut sum = work::OFFSET;
    for i in 0..n as u32 {
        sum = work::fnv_word(sum, work::sort(i));
    }
    sum as i64
}
