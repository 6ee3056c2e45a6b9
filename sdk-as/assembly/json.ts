// A reader of JSON that pulls values out of a text, and a writer that appends
// to a buffer. Neither makes a tree.

import { Buffer, Bytes } from "./bytes";

/** The types of JSON's values. */
export enum JsonType {
  None, // the end, or no JSON
  Null,
  Bool,
  Number,
  String,
  Array,
  Object,
}

const ONES: u64 = 0x0101010101010101;
const HIGH: u64 = 0x8080808080808080;
const DEPTH = 1024;

/**
 * A reader. It accepts exactly RFC 8259 in UTF-8, to a depth of 1,024.
 *
 * ```ts
 * json.open(value);
 * if (!json.object()) return cx.fail("not JSON");
 * while (json.member()) {
 *   if (json.key.is("user")) json.string(user);
 *   else if (json.key.is("n")) n = json.int();
 *   else json.skip();
 * }
 * if (!json.end()) return cx.fail("not JSON");
 * ```
 *
 * Strings are views of the text, those with escapes of memory of the reader;
 * both are good until it opens another text.
 */
export class Json {
  /** The key of the member that json.member() came to. */
  key: Bytes = new Bytes();
  /** Whether the last value read was of the type asked for, and in its range. */
  ok: bool = false;
  /** The text is no JSON; nothing is read any more. */
  failed: bool = false;

  private at: usize = 0;
  private stop: usize = 0;
  private first: bool = false; // nothing has been read of the innermost object or array
  private scratch: Buffer = new Buffer();
  private escaped: bool = false; // of the string last checked
  private integer: bool = false; // of the number last checked
  private objects: StaticArray<bool> = new StaticArray<bool>(DEPTH);

  open(text: Bytes): Json {
    this.at = text.ptr;
    this.stop = text.ptr + text.length;
    this.failed = this.first = this.ok = false;
    this.scratch.clear();
    return this;
  }

  /** Tells the type of the next value and leaves it there. */
  next(): JsonType {
    const c = this.look();
    switch (c) {
      case 0x22: return JsonType.String;
      case 0x7b: return JsonType.Object;
      case 0x5b: return JsonType.Array;
      case 0x74:
      case 0x66: return JsonType.Bool;
      case 0x6e: return JsonType.Null;
      default: return c == 0x2d || (c >= 0x30 && c <= 0x39) ? JsonType.Number : JsonType.None;
    }
  }

  // Each of the functions below reads one value and sets ok. One of another
  // type is passed over, and gives false, 0, or leaves its argument alone.

  /** Reads a string. A surrogate that is alone becomes U+FFFD. */
  string(to: Bytes): bool {
    if (this.look() != 0x22) return this.pass();
    return (this.ok = this.text(to));
  }

  /** Reads a number that is written without fraction and exponent. */
  int(): i64 {
    this.ok = false;
    if (this.next() != JsonType.Number) {
      this.skip();
      return 0;
    }
    let p = this.at;
    if (!this.number() || !this.integer) return 0;
    const negative = load<u8>(p) == 0x2d;
    const most: u64 = <u64>i64.MAX_VALUE + u64(negative);
    let n: u64 = 0;
    for (p += usize(negative); p < this.at; p++) {
      const digit: u64 = load<u8>(p) - 0x30;
      if (n > (most - digit) / 10) return 0;
      n = n * 10 + digit;
    }
    this.ok = true;
    return negative ? <i64>(0 - n) : <i64>n;
  }

  float(): f64 {
    const is = this.next() == JsonType.Number, raw = new Bytes();
    if (!this.raw(raw) || !is) {
      this.ok = false;
      return 0;
    }
    const n = parseFloat(raw.text());
    this.ok = isFinite(n);
    return n;
  }

  bool(): bool {
    const is = this.next() == JsonType.Bool, yes = is && load<u8>(this.at) == 0x74;
    this.ok = this.skip() && is;
    return this.ok && yes;
  }

  null(): bool {
    const is = this.next() == JsonType.Null;
    return (this.ok = this.skip() && is);
  }

  /** Reads any value as it is written. */
  raw(to: Bytes): bool {
    this.look();
    const start = this.at;
    if (!this.skip()) return (this.ok = false);
    to.set(start, <i32>(this.at - start));
    return (this.ok = true);
  }

  /** Passes over any value; false if it is no JSON. */
  skip(): bool {
    const objects = this.objects;
    let depth = 0;
    while (!this.failed) {
      const c = this.look();
      let opened = c == 0x7b || c == 0x5b;
      if (opened) {
        if (depth == DEPTH) return this.fail();
        objects[depth++] = c == 0x7b;
        this.at++;
      } else if (!this.scalar(c)) {
        return false;
      }
      for (; ; opened = false) {
        // What ends here, and the comma before the next value.
        if (depth == 0) return true;
        const object = objects[depth - 1], c = this.look();
        if (c == (object ? 0x7d : 0x5d)) {
          this.at++;
          depth--;
          continue;
        }
        if (!opened) {
          if (c != 0x2c) return this.fail();
          this.at++;
        }
        if (object) {
          if (this.look() != 0x22 || !this.check() || this.look() != 0x3a) return this.fail();
          this.at++;
        }
        break;
      }
    }
    return false;
  }

  /**
   * Enters an object. Then member() comes to each of its members, whose value
   * is to be read or skipped, until it is false behind the last: the loop may
   * not be left early. Of another value object() is false, and that one is
   * passed over.
   */
  object(): bool {
    return this.enter(0x7b);
  }

  member(): bool {
    if (!this.more(0x7d)) return false;
    if (this.look() != 0x22 || !this.text(this.key) || this.look() != 0x3a) return this.fail();
    this.at++;
    return true;
  }

  /** Enters an array, as object() and member() do. */
  array(): bool {
    return this.enter(0x5b);
  }

  element(): bool {
    return this.more(0x5d);
  }

  /** Whether the whole text was read and was JSON. */
  end(): bool {
    return this.look() == 0 && this.at == this.stop && !this.failed;
  }

  private fail(): bool {
    this.failed = true;
    this.at = this.stop;
    return false;
  }

  private pass(): bool {
    this.skip();
    return (this.ok = false);
  }

  /** Passes over white space and returns the byte there, 0 at the end. */
  private look(): u32 {
    let p = this.at;
    for (; p < this.stop; p++) {
      const c = load<u8>(p);
      if (c > 0x20 || (c != 0x20 && c != 0x0a && c != 0x0d && c != 0x09)) {
        this.at = p;
        return c;
      }
    }
    this.at = p;
    return 0;
  }

  private enter(bracket: u32): bool {
    if (this.look() != bracket) return this.pass();
    this.at++;
    return (this.first = this.ok = true);
  }

  private more(bracket: u32): bool {
    const c = this.look(), first = this.first;
    this.first = false;
    if (this.failed) return false;
    if (c == bracket) {
      this.at++;
      return false;
    }
    if (first) return true;
    if (c != 0x2c) return this.fail();
    this.at++;
    return true;
  }

  private scalar(c: u32): bool {
    switch (c) {
      case 0x22: return this.check();
      case 0x74: return this.word(0x65757274, 0);
      case 0x66: return this.word(0x736c6166, 0x65);
      case 0x6e: return this.word(0x6c6c756e, 0);
      default: return this.number();
    }
  }

  /** Passes over a word of four letters and perhaps one more. */
  private word(letters: u32, last: u8): bool {
    const size: usize = last == 0 ? 4 : 5;
    if (this.stop - this.at < size || load<u32>(this.at) != letters) return this.fail();
    if (last != 0 && load<u8>(this.at, 4) != last) return this.fail();
    this.at += size;
    return true;
  }

  private number(): bool {
    let p = this.at;
    const stop = this.stop;
    if (p < stop && load<u8>(p) == 0x2d) p++;
    let from = p;
    p = digits(p, stop);
    if (p == from || (p - from > 1 && load<u8>(from) == 0x30)) return this.fail();
    this.integer = true;
    if (p < stop && load<u8>(p) == 0x2e) {
      from = ++p;
      p = digits(p, stop);
      if (p == from) return this.fail();
      this.integer = false;
    }
    if (p < stop && (load<u8>(p) | 0x20) == 0x65) {
      p++;
      if (p < stop && (load<u8>(p) == 0x2b || load<u8>(p) == 0x2d)) p++;
      from = p;
      p = digits(p, stop);
      if (p == from) return this.fail();
      this.integer = false;
    }
    this.at = p;
    return true;
  }

  /**
   * Passes over a string, whose quote is there, and checks it. Eight bytes are
   * looked at in one: marks has a bit for each that is a control character, a
   * quote, a backslash or above 0x7f. Subtracting borrows from higher bytes
   * only, so the lowest mark is right.
   */
  private check(): bool {
    const stop = this.stop;
    let p = this.at + 1;
    this.escaped = false;
    while (p < stop) {
      if (stop - p >= 8) {
        const x = load<u64>(p);
        const marks = (x | (x - ONES * 0x20) | ((x ^ (ONES * 0x22)) - ONES) | ((x ^ (ONES * 0x5c)) - ONES)) & HIGH;
        if (marks == 0) {
          p += 8;
          continue;
        }
        p += <usize>ctz(marks) >> 3;
      }
      const c = load<u8>(p);
      if (c == 0x22) {
        this.at = p + 1;
        return true;
      }
      if (c == 0x5c) {
        this.escaped = true;
        if (stop - p < 2 || !this.escape(p + 1)) return this.fail();
        p += 2; // digits that follow a u are characters like others
      } else if (c >= 0x80) {
        const n = utf8(p, stop);
        if (n == 0) return this.fail();
        p += n;
      } else if (c < 0x20) {
        return this.fail();
      } else {
        p++;
      }
    }
    return this.fail();
  }

  private escape(p: usize): bool {
    switch (load<u8>(p)) {
      case 0x22:
      case 0x5c:
      case 0x2f:
      case 0x62:
      case 0x66:
      case 0x6e:
      case 0x72:
      case 0x74: return true;
      case 0x75: return hex4(p + 1, this.stop) >= 0;
      default: return false;
    }
  }

  private text(to: Bytes): bool {
    const start = this.at + 1;
    if (!this.check()) return false;
    const stop = this.at - 1;
    if (!this.escaped) {
      to.set(start, <i32>(stop - start));
      return true;
    }
    // Room for all that is left of the text, so that what was decoded before
    // does not move: decoded is no longer than written.
    const scratch = this.scratch;
    const out = scratch.reserve(<i32>(this.stop - start));
    const size = <i32>(unescape(start, stop, out) - out);
    scratch.length += size;
    to.set(out, size);
    return true;
  }
}

function digits(p: usize, stop: usize): usize {
  while (p < stop && <u32>load<u8>(p) - 0x30 < 10) p++;
  return p;
}

/** The number of four hexadecimal digits, -1 if they are none. */
function hex4(p: usize, stop: usize): i32 {
  if (stop - p < 4) return -1;
  let n = 0;
  for (let end = p + 4; p < end; p++) {
    const c = <i32>load<u8>(p), letter = (c | 0x20) - 0x61, digit = c - 0x30;
    if (<u32>digit < 10) n = (n << 4) | digit;
    else if (<u32>letter < 6) n = (n << 4) | (letter + 10);
    else return -1;
  }
  return n;
}

/** The length of the character there, which is longer than a byte; 0 if it is none. */
function utf8(p: usize, stop: usize): usize {
  const a = load<u8>(p);
  const size: usize = a < 0xc2 ? 0 : a < 0xe0 ? 2 : a < 0xf0 ? 3 : a < 0xf5 ? 4 : 0;
  if (size == 0 || stop - p < size) return 0;
  for (let i: usize = 1; i < size; i++) {
    if ((load<u8>(p + i) & 0xc0) != 0x80) return 0;
  }
  const b = load<u8>(p, 1);
  const bad = (a == 0xe0 && b < 0xa0) || (a == 0xed && b > 0x9f) || (a == 0xf0 && b < 0x90) || (a == 0xf4 && b > 0x8f);
  return bad ? 0 : size;
}

function putUtf8(out: usize, c: u32): usize {
  if (c < 0x80) {
    store<u8>(out, <u8>c);
    return out + 1;
  }
  if (c < 0x800) {
    store<u8>(out, <u8>(0xc0 | (c >> 6)));
    store<u8>(out, <u8>(0x80 | (c & 0x3f)), 1);
    return out + 2;
  }
  if (c < 0x10000) {
    store<u8>(out, <u8>(0xe0 | (c >> 12)));
    store<u8>(out, <u8>(0x80 | ((c >> 6) & 0x3f)), 1);
    store<u8>(out, <u8>(0x80 | (c & 0x3f)), 2);
    return out + 3;
  }
  store<u8>(out, <u8>(0xf0 | (c >> 18)));
  store<u8>(out, <u8>(0x80 | ((c >> 12) & 0x3f)), 1);
  store<u8>(out, <u8>(0x80 | ((c >> 6) & 0x3f)), 2);
  store<u8>(out, <u8>(0x80 | (c & 0x3f)), 3);
  return out + 4;
}

/** Decodes a string that was checked, and returns the end of what it wrote. */
function unescape(p: usize, stop: usize, out: usize): usize {
  while (p < stop) {
    let c: u32 = load<u8>(p++);
    if (c == 0x5c) {
      c = load<u8>(p++);
      switch (c) {
        case 0x62: c = 8; break;
        case 0x66: c = 12; break;
        case 0x6e: c = 10; break;
        case 0x72: c = 13; break;
        case 0x74: c = 9; break;
        case 0x75: {
          c = <u32>hex4(p, stop);
          p += 4;
          if (c >= 0xd800 && c < 0xe000) {
            let low: u32 = 0;
            if (c < 0xdc00 && stop - p >= 6 && load<u16>(p) == 0x755c) low = <u32>hex4(p + 2, stop);
            if (low >= 0xdc00 && low < 0xe000) {
              p += 6;
              c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
            } else {
              c = 0xfffd;
            }
          }
          out = putUtf8(out, c);
          continue;
        }
        default: break;
      }
    }
    store<u8>(out++, <u8>c);
  }
  return out;
}

/**
 * Finds a value by a JSON Pointer such as "/a/0/b" and returns its text, null
 * if it is not there. Of a key that repeats the last member counts.
 */
export function find(text: Bytes, pointer: string): Bytes | null {
  const json = new Json(), raw = new Bytes();
  if (!json.open(text).raw(raw)) return null;
  let at = new Bytes(raw.ptr, raw.length);
  if (pointer.length == 0) return at;
  const tokens = pointer.split("/");
  if (tokens[0].length > 0) return null;
  for (let i = 1; i < tokens.length; i++) {
    const token = tokens[i].replaceAll("~1", "/").replaceAll("~0", "~");
    let found = false;
    json.open(at);
    if (json.next() == JsonType.Object) {
      json.object();
      while (json.member()) {
        const same = json.key.is(token);
        if (json.raw(raw) && same) {
          at = new Bytes(raw.ptr, raw.length);
          found = true;
        }
      }
    } else if (json.array()) {
      for (let n = 0; json.element(); n++) {
        if (json.raw(raw) && n.toString() == token) {
          at = new Bytes(raw.ptr, raw.length);
          found = true;
        }
      }
    }
    if (!found) return null;
  }
  return at;
}

/** A writer, which puts commas and quotes. It does not check that what is opened gets closed. */
export class JsonWriter {
  private comma: bool = false; // one is due before the next value

  constructor(
    /** Where the text goes. */
    public out: Buffer = new Buffer(),
  ) {}

  /** Begins a new text. */
  clear(): JsonWriter {
    this.out.clear();
    this.comma = false;
    return this;
  }

  object(): JsonWriter {
    return this.opening(0x7b);
  }

  objectEnd(): JsonWriter {
    return this.closing(0x7d);
  }

  array(): JsonWriter {
    return this.opening(0x5b);
  }

  arrayEnd(): JsonWriter {
    return this.closing(0x5d);
  }

  key(name: string): JsonWriter {
    this.value().appendByte(0x22);
    this.escaped(name).appendByte(0x22).appendByte(0x3a);
    this.comma = false;
    return this;
  }

  /** Writes UTF-8 as a string. Only what JSON says must be escaped is. */
  bytes(text: Bytes): JsonWriter {
    this.value().appendByte(0x22);
    quote(this.out, text.ptr, text.ptr + text.length);
    this.out.appendByte(0x22);
    return this;
  }

  string(text: string): JsonWriter {
    this.value().appendByte(0x22);
    this.escaped(text).appendByte(0x22);
    return this;
  }

  int(n: i64): JsonWriter {
    this.value().appendInt(n);
    return this;
  }

  /** Writes a number; null if it is not finite. */
  float(n: f64): JsonWriter {
    this.value().appendText(isFinite(n) ? n.toString() : "null");
    return this;
  }

  bool(b: bool): JsonWriter {
    this.value().appendText(b ? "true" : "false");
    return this;
  }

  null(): JsonWriter {
    this.value().appendText("null");
    return this;
  }

  /** Writes what is JSON already. */
  raw(text: Bytes): JsonWriter {
    this.value().append(text);
    return this;
  }

  private value(): Buffer {
    if (this.comma) this.out.appendByte(0x2c);
    this.comma = true;
    return this.out;
  }

  private opening(bracket: u8): JsonWriter {
    this.value().appendByte(bracket);
    this.comma = false;
    return this;
  }

  private closing(bracket: u8): JsonWriter {
    this.out.appendByte(bracket);
    this.comma = true;
    return this;
  }

  /** Appends a text of the language: as it is if it is plain ASCII, as most keys are. */
  private escaped(text: string): Buffer {
    const out = this.out, length = text.length;
    const to = out.reserve(length);
    for (let i = 0; i < length; i++) {
      const c = load<u16>(changetype<usize>(text) + (<usize>i << 1));
      if (c < 0x20 || c >= 0x80 || c == 0x22 || c == 0x5c) {
        const bytes = Bytes.of(text);
        quote(out, bytes.ptr, bytes.ptr + bytes.length);
        return out;
      }
      store<u8>(to + i, <u8>c);
    }
    out.length += length;
    return out;
  }
}

/** How many bytes from p on need no escape. Those above 0x7f do not. */
function plain(p: usize, stop: usize): usize {
  const start = p;
  while (stop - p >= 8) {
    const x = load<u64>(p), low = x & ~HIGH;
    const ok = (low + ONES * 0x60) & ((low ^ (ONES * 0x22)) + ONES * 0x7f) & ((low ^ (ONES * 0x5c)) + ONES * 0x7f);
    const marks = ~(ok | x) & HIGH;
    if (marks != 0) return p - start + (<usize>ctz(marks) >> 3);
    p += 8;
  }
  for (; p < stop; p++) {
    const c = load<u8>(p);
    if (c < 0x20 || c == 0x22 || c == 0x5c) break;
  }
  return p - start;
}

/** Appends the inside of a string. */
function quote(out: Buffer, p: usize, stop: usize): void {
  while (true) {
    const n = plain(p, stop);
    out.appendRaw(p, <i32>n);
    p += n;
    if (p == stop) return;
    const c = load<u8>(p++);
    out.appendByte(0x5c);
    switch (c) {
      case 0x22:
      case 0x5c: out.appendByte(c); break;
      case 8: out.appendByte(0x62); break;
      case 9: out.appendByte(0x74); break;
      case 10: out.appendByte(0x6e); break;
      case 12: out.appendByte(0x66); break;
      case 13: out.appendByte(0x72); break;
      default: {
        out.appendByte(0x75).appendByte(0x30).appendByte(0x30).appendByte(0x30 + (c >> 4));
        const low: u8 = c & 15;
        out.appendByte(low < 10 ? 0x30 + low : 0x57 + low);
      }
    }
  }
}
