// What the step registers.

import { Bytes } from "./bytes";
import { Context } from "./context";
import { Record } from "./record";

export let stepFunction: ((record: Record, cx: Context) => void) | null = null;
export let batchFunction: ((cx: Context) => void) | null = null;
export let initFunction: ((cx: Context) => void) | null = null;
export let endFunction: ((cx: Context, token: Bytes | null) => Bytes | null) | null = null;
export let resumedFunction: ((cx: Context, seed: Bytes) => void) | null = null;

/**
 * Registers the function that is called once for each record, in order. The
 * record and what it has are good until the function returns. `cx.fail` rejects
 * it. `step` and `batch` exclude each other; the last call counts.
 */
export function step(fn: (record: Record, cx: Context) => void): void {
  stepFunction = fn;
  batchFunction = null;
}

/**
 * Registers the function that is called once for each batch and walks over it
 * with `cx.next()`. Single records are rejected with `cx.fail` in the walk and
 * with `cx.failRecord`; `cx.fail` outside of it refuses the whole batch, which
 * the host then tries in halves.
 */
export function batch(fn: (cx: Context) => void): void {
  batchFunction = fn;
  stepFunction = null;
}

/**
 * Registers the function that is called once, before the first batch. It may
 * read the config and write logs, no more. `cx.fail` is a fault of the module:
 * the job does not start with it.
 */
export function onInit(fn: (cx: Context) => void): void {
  initFunction = fn;
}

/**
 * Registers the function that is called when a bounded input is over. A call
 * has to be short; if there is more to do, the function returns a token of up
 * to 64 KiB that says where to go on, and is called again with it after the
 * host has taken what was done so far, perhaps in another instance. The first
 * token is null; to return null ends it.
 */
export function onEnd(fn: (cx: Context, token: Bytes | null) => Bytes | null): void {
  endFunction = fn;
}

/**
 * Registers the function that is called behind an image of the instance, with
 * 32 bytes of seed for generators of the step's own. That of Math.random has
 * been seeded.
 */
export function onResumed(fn: (cx: Context, seed: Bytes) => void): void {
  resumedFunction = fn;
}
