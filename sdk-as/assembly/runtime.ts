// What the compiler is told to call in the place of its own imports, which the
// host does not have: asconfig.json of a step names these under "use".

import { Bytes } from "./bytes";
import { cause } from "./cause";
import * as host from "./host";
import { CAUSE_BATCH } from "./record";

/**
 * Stands for throw, and for the checks of the language: the record that the
 * step is at is rejected with the text and its place, and the instance ends.
 */
export function abort(message: string | null, file: string | null, line: u32, column: u32): void {
  const what = message === null ? "abort" : message, place = file === null ? "?" : file;
  const text = Bytes.of(what + " at " + place + ":" + line.toString() + ":" + column.toString());
  host.log(3, text.ptr, text.length);
  if (cause() != CAUSE_BATCH) host.fail(cause(), -1, text.ptr, text.length);
  unreachable();
}

/** Begins Math.random; behind an image it is seeded anew. */
export function seed(): f64 {
  return reinterpret<f64>(0x77617368);
}
