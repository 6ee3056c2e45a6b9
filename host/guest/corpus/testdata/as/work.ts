// What the workloads hash and sort.

export const OFFSET: u32 = 0x811c9dc5;
const PRIME: u32 = 0x01000193;

// A record of 120 bytes; numbered writes the digits of its id.
export const TEMPLATE =
  '{"id":1000000,"user":"user-0042","ts":1700000000123,"amount":12.34,' +
  '"currency":"EUR","tags":["a","b","c"],"note":"plain"}';

export function numbered(record: usize, i: u32): void {
  let id = 1000000 + (i % 9000000);
  for (let at: usize = 12; at >= 6; at--, id /= 10) store<u8>(record + at, <u8>(48 + (id % 10)));
}

// FNV-1a of 32 bits, by Fowler, Noll and Vo.
export function fnv(sum: u32, data: usize, len: u32): u32 {
  for (let i: u32 = 0; i < len; i++) sum = (sum ^ load<u8>(data + i)) * PRIME;
  return sum;
}

export function fnvWord(sum: u32, word: u32): u32 {
  return (sum ^ word) * PRIME;
}

// fnvText hashes a text of ASCII.
export function fnvText(sum: u32, text: string): u32 {
  for (let i = 0; i < text.length; i++) sum = fnvWord(sum, text.charCodeAt(i));
  return sum;
}

export function hex(n: u32): string {
  return n.toString(16).padStart(8, "0");
}

const few = new StaticArray<u32>(64);
const many = new StaticArray<u32>(256);
const gaps: StaticArray<i32> = [121, 40, 13, 4, 1];

function gapped(a: StaticArray<u32>, gap: i32): void {
  for (let i = gap; i < a.length; i++) {
    const v = a[i];
    let j = i;
    for (; j >= gap && a[j - gap] > v; j -= gap) a[j] = a[j - gap];
    a[j] = v;
  }
}

// sort sorts 64 numbers by insertion and 256 by Shell's method, and returns a
// checksum of the order.
export function sort(seed: u32): u32 {
  let x = seed;
  let sum = OFFSET;
  for (let i = 0; i < few.length; i++) few[i] = x = x * 1664525 + 1013904223;
  for (let i = 0; i < many.length; i++) many[i] = x = x * 1664525 + 1013904223;
  gapped(few, 1);
  for (let g = 0; g < gaps.length; g++) gapped(many, gaps[g]);
  for (let i = 0; i < few.length; i++) sum = fnvWord(sum, few[i]);
  for (let i = 0; i < many.length; i++) sum = fnvWord(sum, many[i]);
  return sum;
}
