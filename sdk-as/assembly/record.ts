// Records, their headers, and the frames that they come and go in: section 5 of
// abi/SPEC.md.

import { Buffer, Bytes } from "./bytes";

/** The event time of a record that has none. */
export const NoTime: i64 = i64.MIN_VALUE;

/** What a record does to the row that its key names. */
export const Insert: u16 = 1;
export const Update: u16 = 2;
export const Delete: u16 = 4;

/** The cause of a record that the batch as a whole caused. */
export const CAUSE_BATCH: u32 = 0xffffffff;

const NULL: u32 = 0xffffffff;
const FRAME_HEADER: u32 = 32;
const RECORD_HEADER: u32 = 40;
const MAGIC: u32 = 0x314c4d57; // the bytes "WML1"

function padded(n: u32): u32 {
  return (n + 7) & ~7;
}

/**
 * The headers of a record, in order. Names may repeat. Those of an input are
 * views; to hand them on costs nothing.
 */
export class Headers {
  count: u32 = 0;
  private raw: Buffer | null = null; // of headers that the step made
  private ptr: usize = 0;
  private length: i32 = 0;

  /** Appends a header; those of an input are copied first. */
  add(name: Bytes, value: Bytes | null): Headers {
    let raw = this.raw;
    if (raw === null) {
      raw = new Buffer().appendRaw(this.ptr, this.length);
      this.raw = raw;
    }
    const at = raw.reserve(8);
    store<u32>(at, name.length);
    store<u32>(at, value === null ? NULL : <u32>value.length, 4);
    raw.length += 8;
    raw.append(name);
    if (value !== null) raw.append(value);
    this.count++;
    return this;
  }

  /** The name of the header at an index; beyond the end it is a fault. */
  name(index: i32): Bytes {
    const at = this.place(index);
    return new Bytes(at + 8, load<u32>(at));
  }

  /** The value of the header at an index. */
  value(index: i32): Bytes | null {
    const at = this.place(index);
    const size = load<u32>(at, 4);
    return size == NULL ? null : new Bytes(at + 8 + load<u32>(at), size);
  }

  /** The index of the first header of a name, -1 if there is none. */
  indexOf(name: string): i32 {
    for (let i: i32 = 0; i < <i32>this.count; i++) {
      if (this.name(i).is(name)) return i;
    }
    return -1;
  }

  private place(index: i32): usize {
    if (<u32>index >= this.count) throw new RangeError("no such header");
    let at = this.start;
    for (; index > 0; index--) {
      const size = load<u32>(at, 4);
      at += 8 + load<u32>(at) + (size == NULL ? 0 : size);
    }
    return at;
  }

  get start(): usize {
    const raw = this.raw;
    return raw === null ? this.ptr : raw.ptr;
  }

  get size(): i32 {
    const raw = this.raw;
    return raw === null ? this.length : raw.length;
  }

  /** Makes this a view of headers in a frame. */
  set(count: u32, ptr: usize, length: i32): void {
    this.count = count;
    this.ptr = ptr;
    this.length = length;
    this.raw = null;
  }
}

/**
 * One record. A new one is a record to emit with null key, null value, no
 * headers, and the event time of the record that caused it.
 */
export class Record {
  key: Bytes | null = null;
  value: Bytes | null = null;
  headers: Headers | null = null;
  /** Event time in milliseconds since 1970, or NoTime; on the way out 0 inherits. */
  time: i64 = 0;
  /** In its partition; not for records to emit, as the two below. */
  position: i64 = 0;
  /** In the batch. */
  index: u32 = 0;
  /** Number of the input: cx.inputs has its name. */
  stream: u16 = 0;
  flags: u16 = 0;

  /** The bytes of key, value and headers as encoded. */
  get size(): i64 {
    const key = this.key, value = this.value, headers = this.headers;
    return <i64>(key === null ? 0 : key.length) + (value === null ? 0 : value.length) + (headers === null ? 0 : headers.size);
  }
}

/** A frame that is read, in one Record that is filled again and again. */
export class Frame {
  count: u32 = 0;
  partitionNumber: u32 = 0;
  partitionName: Bytes = new Bytes();
  record: Record = new Record();

  private first: usize = 0;
  private at: usize = 0;
  private end: usize = 0;
  private index: u32 = 0;
  private key: Bytes = new Bytes();
  private value: Bytes = new Bytes();
  private headers: Headers = new Headers();

  /** Begins with a frame; false if its head is malformed. */
  open(ptr: usize, size: u32): bool {
    this.count = this.index = 0;
    if (size < FRAME_HEADER || load<u32>(ptr) != MAGIC || load<u32>(ptr, 4) != 0x00010001) return false;
    if (load<u32>(ptr, 12) != size || load<u64>(ptr, 24) != 0) return false;
    const name = load<u32>(ptr, 20);
    if (name > size - FRAME_HEADER) return false;
    const body = FRAME_HEADER + padded(name);
    if (body > size || !zeros(ptr + FRAME_HEADER + name, ptr + body)) return false;
    this.count = load<u32>(ptr, 8);
    if (<u64>this.count * RECORD_HEADER > <u64>(size - body)) return false;
    this.partitionNumber = load<u32>(ptr, 16);
    this.partitionName.set(ptr + FRAME_HEADER, name);
    this.first = this.at = ptr + body;
    this.end = ptr + size;
    return true;
  }

  rewind(): void {
    this.at = this.first;
    this.index = 0;
  }

  /** Reads the next record: 1, or 0 at the end, or -1 if it is malformed. */
  next(): i32 {
    const p = this.at, left = <u32>(this.end - p);
    if (this.index == this.count) return left == 0 ? 0 : -1;
    if (left < RECORD_HEADER) return -1;
    const size = load<u32>(p, 36);
    if (size < RECORD_HEADER || (size & 7) != 0 || size > left) return -1;
    const end = p + size;
    let at = p + RECORD_HEADER;
    const r = this.record;
    const keySize = load<u32>(p, 24), valueSize = load<u32>(p, 28);
    if (keySize == NULL) {
      r.key = null;
    } else {
      if (keySize > <u32>(end - at)) return -1;
      r.key = this.key.set(at, keySize);
      at += keySize;
    }
    if (valueSize == NULL) {
      r.value = null;
    } else {
      if (valueSize > <u32>(end - at)) return -1;
      r.value = this.value.set(at, valueSize);
      at += valueSize;
    }
    const headers = load<u32>(p, 32), start = at;
    for (let n = headers; n > 0; n--) {
      if (<u32>(end - at) < 8) return -1;
      const name = load<u32>(at), value = load<u32>(at, 4);
      const need = <u64>name + (value == NULL ? 0 : <u64>value);
      at += 8;
      if (need > <u64>(end - at)) return -1;
      at += <u32>need;
    }
    this.headers.set(headers, start, <i32>(at - start));
    r.headers = headers == 0 ? null : this.headers;
    if (!zeros(at, end)) return -1;
    r.time = load<i64>(p);
    r.position = load<i64>(p, 8);
    r.stream = load<u16>(p, 20);
    r.flags = load<u16>(p, 22);
    r.index = this.index++;
    this.at = end;
    return 1;
  }
}

/** Whether the bytes up to end are zero, fewer than 8 of them. */
function zeros(ptr: usize, end: usize): bool {
  if (end - ptr >= 8) return false;
  for (; ptr < end; ptr++) {
    if (load<u8>(ptr) != 0) return false;
  }
  return true;
}

/** A frame that is written. */
export class Writer {
  count: u32 = 0;
  private out: Buffer = new Buffer();

  constructor() {
    this.clear();
  }

  get ptr(): usize {
    return this.out.ptr;
  }

  get length(): u32 {
    return this.out.length;
  }

  clear(): void {
    this.count = 0;
    const at = this.out.clear().reserve(FRAME_HEADER);
    memory.fill(at, 0, FRAME_HEADER);
    store<u32>(at, MAGIC);
    store<u32>(at, 0x00010001, 4);
    this.out.length = FRAME_HEADER;
  }

  add(r: Record, time: i64, cause: u32, stream: u16): void {
    const size = padded(RECORD_HEADER + <u32>r.size);
    const p = this.out.reserve(size);
    const key = r.key, value = r.value, headers = r.headers;
    store<u64>(p + size - 8, 0); // the padding; what follows overwrites its part
    store<i64>(p, time);
    store<i64>(p, 0, 8);
    store<u32>(p, cause, 16);
    store<u16>(p, stream, 20);
    store<u16>(p, r.flags, 22);
    store<u32>(p, key === null ? NULL : <u32>key.length, 24);
    store<u32>(p, value === null ? NULL : <u32>value.length, 28);
    store<u32>(p, headers === null ? 0 : headers.count, 32);
    store<u32>(p, size, 36);
    let at = p + RECORD_HEADER;
    if (key !== null) {
      memory.copy(at, key.ptr, key.length);
      at += key.length;
    }
    if (value !== null) {
      memory.copy(at, value.ptr, value.length);
      at += value.length;
    }
    if (headers !== null) memory.copy(at, headers.start, headers.size);
    this.out.length += size;
    this.count++;
  }

  /** Completes the head. */
  end(): void {
    store<u32>(this.out.ptr, this.count, 8);
    store<u32>(this.out.ptr, this.out.length, 12);
  }
}
