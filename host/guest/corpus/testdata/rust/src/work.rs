//! What the workloads compute of one record.

use std::hint::black_box;

use serde_json::Value;

pub const OFFSET: u32 = 0x811c_9dc5;
const PRIME: u32 = 0x0100_0193;

/// A record of 120 bytes; `number` writes the digits of its id.
pub const TEMPLATE: &[u8; 120] =
    br#"{"id":1000000,"user":"user-0042","ts":1700000000123,"amount":12.34,"currency":"EUR","tags":["a","b","c"],"note":"plain"}"#;

/// Writes 1,000,000 + i modulo 9,000,000 as the id of a record.
pub fn number(record: &mut [u8; 120], i: u32) {
    let mut id = 1_000_000 + i % 9_000_000;
    for digit in record[6..13].iter_mut().rev() {
        *digit = b'0' + (id % 10) as u8;
        id /= 10;
    }
}

/// Returns what is kept of a record, None if it is not one.
pub fn transform(record: &[u8]) -> Option<String> {
    let v: Value = serde_json::from_slice(record).ok()?;
    let cents = (v["amount"].as_f64()? * 100.0 + 0.5).floor() as i64;
    Some(format!(
        r#"{{"id":{},"by":"{}","ct":{},"tags":{},"at":{}}}"#,
        v["id"].as_u64()?,
        v["user"].as_str()?,
        cents,
        v["tags"].as_array()?.len(),
        v["ts"].as_u64()? / 1000,
    ))
}

/// FNV-1a of 32 bits, by Fowler, Noll and Vo, over the bytes of data.
pub fn fnv(mut sum: u32, data: &[u8]) -> u32 {
    for &b in data {
        sum = (sum ^ b as u32).wrapping_mul(PRIME);
    }
    sum
}

/// The same step for a whole word.
pub fn fnv_word(sum: u32, word: u32) -> u32 {
    (sum ^ word).wrapping_mul(PRIME)
}

/// Hashes data eight times over.
pub fn hash8(data: &[u8]) -> u32 {
    (0..8).fold(OFFSET, |sum, _| fnv(sum, data))
}

pub fn hex(n: u32) -> String {
    format!("{n:08x}")
}

/// Sorts 64 numbers by insertion and 256 by Shell's method, with the gaps
/// 121, 40, 13, 4, 1, and returns a checksum of the order.
pub fn sort(seed: u32) -> u32 {
    let mut x = seed;
    let mut next = || {
        x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        x
    };
    let mut few = [0u32; 64];
    few.fill_with(&mut next);
    let mut many = [0u32; 256];
    many.fill_with(&mut next);
    gapped(black_box(&mut few), 1);
    for gap in [121, 40, 13, 4, 1] {
        gapped(black_box(&mut many), gap);
    }
    few.iter().chain(many.iter()).fold(OFFSET, |sum, &v| fnv_word(sum, v))
}

fn gapped(a: &mut [u32], gap: usize) {
    for i in gap..a.len() {
        let v = a[i];
        let mut j = i;
        while j >= gap && a[j - gap] > v {
            a[j] = a[j - gap];
            j -= gap;
        }
        a[j] = v;
    }
}
