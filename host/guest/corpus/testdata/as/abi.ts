// As much of the wasmill ABI as the workloads need: abi/SPEC.md.

export const HEADER: u32 = 32;
export const RECORD: u32 = 40;
export const NO_KEY: u32 = 0xffffffff;

@external("wasmill_v1", "emit")
declare function host_emit(ptr: usize, len: u32): i32;
@external("wasmill_v1", "fail")
declare function host_fail(index: u32, code: i32, ptr: usize, len: u32): i32;

export function padded(n: u32): u32 {
  return (n + 7) & ~7;
}

export function fail(index: u32, why: string): void {
  const text = String.UTF8.encode(why);
  host_fail(index, 0, changetype<usize>(text), text.byteLength);
}

// Frame is a frame that is being written.
export class Frame {
  private bytes: ArrayBuffer = new ArrayBuffer(4096);
  private size: u32 = HEADER;
  private count: u32 = 0;

  // add puts a record without key and time behind the others.
  add(cause: u32, text: string): void {
    const value = String.UTF8.encode(text);
    const len: u32 = value.byteLength;
    const size = padded(RECORD + len);
    if (this.size + size > <u32>this.bytes.byteLength) {
      const grown = new ArrayBuffer((this.size + size) * 2);
      memory.copy(changetype<usize>(grown), changetype<usize>(this.bytes), this.size);
      this.bytes = grown;
    }
    const at = changetype<usize>(this.bytes) + this.size;
    memory.fill(at, 0, size);
    store<i64>(at, i64.MIN_VALUE);
    store<u32>(at, cause, 16);
    store<u16>(at, 1, 22);
    store<u32>(at, NO_KEY, 24);
    store<u32>(at, len, 28);
    store<u32>(at, size, 36);
    memory.copy(at + RECORD, changetype<usize>(value), len);
    this.size += size;
    this.count++;
  }

  emit(): void {
    const at = changetype<usize>(this.bytes);
    store<u32>(at, 0x314c4d57);
    store<u16>(at, 1, 4);
    store<u16>(at, 1, 6);
    store<u32>(at, this.count, 8);
    store<u32>(at, this.size, 12);
    host_emit(at, this.size);
  }
}
