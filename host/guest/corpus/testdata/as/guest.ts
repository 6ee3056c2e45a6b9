// The corpus' guest in AssemblyScript: three workloads over the wasmill ABI
// (abi/SPEC.md), and as plain exports. README.md beside this directory says
// what they compute.

import { Frame, NO_KEY, fail, padded, RECORD, HEADER } from "./abi";
import { OFFSET, TEMPLATE, fnv, fnvText, fnvWord, hex, numbered, sort } from "./work";
import { transform } from "./json";

const OP_BATCH: i32 = 1;
const EINVAL: i32 = 22;
const ENOSYS: i32 = 38;

let workload: i32 = 0;
let input: StaticArray<u64> = new StaticArray<u64>(512);

export function wasmill_abi_1(): void {}

export function wasmill_alloc(size: u32): usize {
  if (<u32>input.length * 8 < size) input = new StaticArray<u64>(<i32>(size / 4 + 2));
  return changetype<usize>(input);
}

export function wasmill_init(ptr: usize, len: u32): i32 {
  const init = String.UTF8.decodeUnsafe(ptr, len);
  const names: StaticArray<string> = ["json", "hash", "sort"];
  for (workload = 0; workload < names.length; workload++) {
    if (init.includes('"workload":"' + names[workload] + '"')) return 0;
  }
  return -EINVAL;
}

export function wasmill_process(op: i32, frame: usize, len: u32): i32 {
  if (op != OP_BATCH) return -ENOSYS;
  const count = load<u32>(frame, 8);
  const out = new Frame();
  let record = frame + HEADER + padded(load<u32>(frame, 20));
  for (let i: u32 = 0; i < count; i++) {
    const key = load<u32>(record, 24);
    const value = load<u32>(record, 28);
    const at = record + RECORD + (key == NO_KEY ? 0 : key);
    const size = value == NO_KEY ? 0 : value;
    const text = result(at, size);
    if (text === null) fail(i, "not a record");
    else out.add(i, text);
    record += load<u32>(record, 36);
  }
  out.emit();
  return 0;
}

function result(at: usize, size: u32): string | null {
  let sum = OFFSET;
  switch (workload) {
    case 0:
      return transform(String.UTF8.decodeUnsafe(at, size));
    case 1:
      for (let i = 0; i < 8; i++) sum = fnv(sum, at, size);
      return hex(sum);
    default:
      return hex(sort(fnv(sum, at, size)));
  }
}

export function bench_json(n: i32): i64 {
  let sum = OFFSET;
  const record = String.UTF8.encode(TEMPLATE);
  for (let i = 0; i < n; i++) {
    numbered(changetype<usize>(record), i);
    const text = transform(String.UTF8.decode(record));
    if (text !== null) sum = fnvText(sum, text);
  }
  return sum;
}

export function bench_hash(n: i32): i64 {
  const buffer = new StaticArray<u8>(100);
  for (let i = 0; i < 100; i++) buffer[i] = <u8>(i * 7 + 3);
  let sum = OFFSET;
  for (let i = 0; i < n; i++) sum = fnv(sum, changetype<usize>(buffer), 100);
  return sum;
}

export function bench_sort(n: i32): i64 {
  let sum = OFFSET;
  for (let i = 0; i < n; i++) sum = fnvWord(sum, sort(i));
  return sum;
}
