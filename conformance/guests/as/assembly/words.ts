// What the cases share: words of a text, and records of one value.

import { Bytes, Context, Record } from "../../../../sdk-as/assembly";

/** The text up to its first space. */
export function first(text: string): string {
  const space = text.indexOf(" ");
  return space < 0 ? text : text.substring(0, space);
}

/** The text behind its first space. */
export function after(text: string): string {
  const space = text.indexOf(" ");
  return space < 0 ? "" : text.substring(space + 1);
}

/** The bytes, none for null. */
export function bytesOf(bytes: Bytes | null): Bytes {
  return bytes === null ? new Bytes() : bytes;
}

export function emitValue(cx: Context, key: string | null, value: Bytes | null): void {
  const out = new Record();
  if (key !== null) out.key = Bytes.of(key);
  out.value = value;
  cx.emit(out);
}

export function emitText(cx: Context, text: string): void {
  emitValue(cx, null, Bytes.of(text));
}
