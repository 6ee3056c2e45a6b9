// Bytes and what makes them: views, buffers that grow.

/**
 * Bytes that belong to someone else: a view. Those of a record are good until
 * the step's function returns. Null stands for null, which differs from empty.
 */
export class Bytes {
  /** What the view is of, if that is memory of the step's own, so that it stays. */
  private owner: ArrayBuffer | null = null;

  constructor(
    /** The address of the first byte. */
    public ptr: usize = 0,
    /** How many bytes there are. */
    public length: i32 = 0,
  ) {}

  /** The UTF-8 of a text, in memory of its own. */
  static of(text: string): Bytes {
    return Bytes.from(String.UTF8.encode(text));
  }

  /** A view of a buffer of the language. */
  static from(buffer: ArrayBuffer): Bytes {
    const bytes = new Bytes(changetype<usize>(buffer), buffer.byteLength);
    bytes.owner = buffer;
    return bytes;
  }

  /** The bytes as text; what is not UTF-8 in it is U+FFFD. */
  text(): string {
    return String.UTF8.decodeUnsafe(this.ptr, this.length);
  }

  /** Whether the bytes are the UTF-8 of a text. */
  is(text: string): bool {
    const length = text.length;
    if (length > this.length) return false;
    for (let i = 0; i < length; i++) {
      const c = load<u16>(changetype<usize>(text) + (<usize>i << 1));
      if (c >= 0x80) return this.equals(Bytes.of(text));
      if (c != load<u8>(this.ptr + i)) return false;
    }
    return length == this.length;
  }

  equals(other: Bytes): bool {
    return this.length == other.length && memory.compare(this.ptr, other.ptr, this.length) == 0;
  }

  /** The byte at an index; beyond the end it is a fault. */
  @operator("[]")
  get(index: i32): u8 {
    if (<u32>index >= <u32>this.length) throw new RangeError("index out of range");
    return load<u8>(this.ptr + index);
  }

  /** The index of the first byte with a value from an index on, -1 if there is none. */
  indexOf(byte: u8, from: i32 = 0): i32 {
    for (let i = max(from, 0); i < this.length; i++) {
      if (load<u8>(this.ptr + i) == byte) return i;
    }
    return -1;
  }

  /** A view of the bytes from start up to end. */
  slice(start: i32, end: i32 = i32.MAX_VALUE): Bytes {
    start = min(max(start, 0), this.length);
    end = max(min(end, this.length), start);
    const bytes = new Bytes(this.ptr + start, end - start);
    bytes.owner = this.owner;
    return bytes;
  }

  /** The same bytes in memory of their own, for what is kept longer. */
  copy(): Bytes {
    const buffer = new ArrayBuffer(this.length);
    memory.copy(changetype<usize>(buffer), this.ptr, this.length);
    return Bytes.from(buffer);
  }

  toArray(): Uint8Array {
    return Uint8Array.wrap(this.copy().owner!);
  }

  /** Makes this a view of other bytes. */
  set(ptr: usize, length: i32): Bytes {
    this.ptr = ptr;
    this.length = length;
    this.owner = null;
    return this;
  }
}

/** Bytes that grow. What it holds moves when it grows. */
export class Buffer {
  private data: ArrayBuffer = new ArrayBuffer(256);

  /** How many bytes there are. */
  length: i32 = 0;

  get ptr(): usize {
    return changetype<usize>(this.data);
  }

  /** How many bytes it can hold before it grows. */
  get room(): i32 {
    return this.data.byteLength;
  }

  clear(): Buffer {
    this.length = 0;
    return this;
  }

  /** Makes room for more bytes, and returns the address behind the last one. */
  reserve(more: i32): usize {
    const need = <u64>this.length + <u64>(<u32>more);
    if (need > <u64>this.data.byteLength) {
      if (need > 0x3fffffff) throw new RangeError("out of memory");
      const grown = new ArrayBuffer(max(<i32>need, this.data.byteLength * 2));
      memory.copy(changetype<usize>(grown), this.ptr, this.length);
      this.data = grown;
    }
    return this.ptr + this.length;
  }

  append(bytes: Bytes): Buffer {
    return this.appendRaw(bytes.ptr, bytes.length);
  }

  appendRaw(ptr: usize, length: i32): Buffer {
    memory.copy(this.reserve(length), ptr, length);
    this.length += length;
    return this;
  }

  appendByte(byte: u8): Buffer {
    store<u8>(this.reserve(1), byte);
    this.length++;
    return this;
  }

  appendText(text: string): Buffer {
    const units = text.length;
    // A unit of UTF-16 is at most three bytes of UTF-8.
    this.length += <i32>String.UTF8.encodeUnsafe(changetype<usize>(text), units, this.reserve(units * 3));
    return this;
  }

  /** Appends a number in decimal. */
  appendInt(n: i64): Buffer {
    let rest: u64 = n < 0 ? 0 - <u64>n : <u64>n;
    let digits = 1;
    for (let r = rest; r >= 10; r /= 10) digits++;
    let at = this.reserve(20);
    if (n < 0) store<u8>(at++, 0x2d);
    for (let p = at + digits; p > at; rest /= 10) store<u8>(--p, <u8>(0x30 + (rest % 10)));
    this.length += digits + i32(n < 0);
    return this;
  }

  /** A view that is good until the buffer grows. */
  view(): Bytes {
    return Bytes.from(this.data).slice(0, this.length);
  }

  text(): string {
    return String.UTF8.decodeUnsafe(this.ptr, this.length);
  }
}
