// Stores: the step's state.

import { Buffer, Bytes } from "./bytes";
import { Context } from "./context";
import { EBADF, EIO, ENOENT } from "./errno";
import * as host from "./host";

/** The room in bytes for the entries of one call of a scan. */
const SCAN_PAGE: i32 = 64 << 10;

const reply = new Buffer();
const many = new Buffer();
const request = new Buffer();

/**
 * Keyed state of the task that lasts. What a batch writes is dropped again if
 * the batch fails. A call that fails rejects the record that the step is at,
 * with a text that names the call and the store.
 */
export class Store {
  constructor(
    private cx: Context,
    private name: string,
    private id: i32,
  ) {}

  /** The value of a key: a view that is good until the next get; null if there is none. */
  get(key: Bytes): Bytes | null {
    let n: i32 = -EBADF;
    while (this.id >= 0) {
      const at = reply.clear().reserve(256);
      n = host.stateGet(this.id, key.ptr, key.length, at, reply.room);
      if (n <= reply.room) break;
      reply.reserve(n);
    }
    if (n == -ENOENT || this.cx.check("state_get", this.name, n) < 0) return null;
    return new Bytes(reply.ptr, n);
  }

  /** Sets the value of a key; false if that failed. */
  put(key: Bytes, value: Bytes): bool {
    const n = this.id < 0 ? -EBADF : host.statePut(this.id, key.ptr, key.length, value.ptr, value.length);
    return this.cx.check("state_put", this.name, n) >= 0;
  }

  /** Removes a key; it is no failure if there is none. */
  delete(key: Bytes): bool {
    const n = this.id < 0 ? -EBADF : host.stateDelete(this.id, key.ptr, key.length);
    return this.cx.check("state_delete", this.name, n) >= 0;
  }

  /**
   * The values of many keys by one call to the host, in their order, null where
   * there is none: views that are good until the next getMany.
   */
  getMany(keys: Bytes[]): Array<Bytes | null> {
    const values = new Array<Bytes | null>(keys.length);
    request.clear();
    for (let i = 0; i < keys.length; i++) {
      store<u32>(request.reserve(4), keys[i].length);
      request.length += 4;
      request.append(keys[i]);
    }
    let n: i32 = -EBADF;
    while (this.id >= 0) {
      const at = many.clear().reserve(256);
      n = host.stateGetMany(this.id, request.ptr, request.length, at, many.room);
      if (n <= many.room) break;
      many.reserve(n);
    }
    if (this.cx.check("state_get_many", this.name, n) < 0) return values;
    let p = many.ptr;
    for (let i = 0, end = p + n; i < keys.length; i++) {
      if (end - p < 4) {
        this.cx.check("state_get_many", this.name, -EIO);
        break;
      }
      const size = load<u32>(p);
      p += 4;
      if (size == 0xffffffff) continue;
      values[i] = new Bytes(p, size);
      p += size;
    }
    return values;
  }

  /**
   * The entries with start <= key < end in the order of the keys' bytes; null
   * or an empty end is open. The loop may write to the store; a write to a key
   * that the scan has not come to may or may not be seen.
   */
  scan(start: Bytes | null = null, end: Bytes | null = null): Scan {
    return new Scan(this.cx, this.name, this.id, start, end);
  }
}

/**
 * A scan over a store:
 *
 * ```ts
 * for (const scan = store.scan(); scan.next(); ) use(scan.key, scan.value);
 * ```
 */
export class Scan {
  /** The entry that next() came to: views that are good until it is called again. */
  key: Bytes = new Bytes();
  value: Bytes = new Bytes();

  private page: Buffer = new Buffer();
  private from: Buffer = new Buffer();
  private end: Bytes;
  private at: i32 = 0;
  private over: bool = false;

  constructor(
    private cx: Context,
    private name: string,
    private id: i32,
    start: Bytes | null,
    end: Bytes | null,
  ) {
    this.end = end === null ? new Bytes() : end.copy();
    if (start !== null) this.from.append(start);
  }

  /** Goes on to the next entry; false behind the last, or if the call failed. */
  next(): bool {
    if (this.over) return false;
    if (this.at == this.page.length && !this.fetch()) {
      this.over = true;
      return false;
    }
    const p = this.page.ptr + this.at;
    const keySize = load<u32>(p), valueSize = load<u32>(p, 4);
    this.key.set(p + 8, keySize);
    this.value.set(p + 8 + keySize, valueSize);
    this.at += 8 + keySize + valueSize;
    // The next page begins at the key that follows.
    if (this.at == this.page.length) this.from.clear().append(this.key).appendByte(0);
    return true;
  }

  private fetch(): bool {
    let n: i32 = -EBADF;
    const page = this.page;
    while (this.id >= 0) {
      const at = page.clear().reserve(SCAN_PAGE);
      n = host.stateScan(this.id, this.from.ptr, this.from.length, this.end.ptr, this.end.length, at, page.room);
      if (n <= page.room) break;
      page.reserve(n);
    }
    this.at = 0;
    if (this.cx.check("state_scan", this.name, n) <= 0) return false;
    page.length = n;
    return true;
  }
}
