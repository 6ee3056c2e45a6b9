// Which record the step is at. It stands by itself because what the compiler
// calls for throw reads it, and may touch nothing that could throw.

import { CAUSE_BATCH } from "./record";

let index: u32 = CAUSE_BATCH;

/** The index of the record that emits belong to, or CAUSE_BATCH. */
export function cause(): u32 {
  return index;
}

export function setCause(to: u32): void {
  index = to;
}
