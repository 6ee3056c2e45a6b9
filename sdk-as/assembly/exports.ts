// What the host calls. A step's entry file hands them on, because the compiler
// exports only what an entry file does:
//
//     export * from "wasmill-as/exports";

import { Bytes } from "./bytes";
import { Context } from "./context";
import { EINVAL, ENOSYS } from "./errno";
import * as host from "./host";
import { defineMetrics } from "./metric";
import "./runtime";
import { batchFunction, endFunction, initFunction, resumedFunction, stepFunction } from "./step";

const OP_BATCH: i32 = 1;
const OP_END: i32 = 3;
const OP_RESUMED: i32 = 4;

const MIN_IN: i32 = 64 << 10; // bytes that the input buffer begins with
const MAX_IN: u32 = 256 << 20; // and the most that it grows to

const cx = new Context();
let input: StaticArray<u64> = new StaticArray<u64>(MIN_IN / 8);

export function wasmill_abi_1(): void {}

/**
 * Gives the same buffer each time: what was there before is gone. It grows in
 * powers of two, so that it stops growing after a few batches.
 */
export function wasmill_alloc(size: u32): usize {
  if (size > MAX_IN) return 0;
  let room: u32 = input.length * 8;
  if (size > room) {
    while (room < size) room *= 2;
    input = new StaticArray<u64>(<i32>(room / 8));
  }
  return changetype<usize>(input);
}

export function wasmill_init(ptr: usize, size: u32): i32 {
  cx.begin();
  if (!cx.read(new Bytes(ptr, size))) return cx.status();
  const refused = defineMetrics();
  const init = initFunction;
  if (refused !== null) cx.fail("wasmill: metric_define " + refused + ": the host refuses it");
  else if (stepFunction === null && batchFunction === null) cx.fail("wasmill: the module registers no step: call step or batch at the top of the module");
  else if (init !== null) init(cx);
  return cx.status();
}

export function wasmill_process(op: i32, ptr: usize, size: u32): i32 {
  __collect(); // nothing is on the stack: the runtime may be the minimal one
  cx.begin();
  switch (op) {
    case OP_BATCH: return runBatch(ptr, size);
    case OP_END: return runEnd(ptr, size);
    case OP_RESUMED: return runResumed(ptr, size);
    default: return -ENOSYS;
  }
}

function runBatch(ptr: usize, size: u32): i32 {
  if (!cx.beginBatch(ptr, size)) return cx.status();
  const batch = batchFunction, step = stepFunction;
  if (batch !== null) {
    batch(cx);
  } else if (step !== null) {
    for (let record = cx.next(); record !== null; record = cx.next()) step(record, cx);
  }
  return cx.status();
}

function runEnd(ptr: usize, size: u32): i32 {
  const end = endFunction;
  if (end === null) return 0;
  const next = end(cx, size == 0 ? null : new Bytes(ptr, size));
  if (next !== null) cx.check("resume", "", host.resume(next.ptr, next.length));
  const status = cx.status();
  return status == 0 && next !== null ? 1 : status;
}

function runResumed(ptr: usize, size: u32): i32 {
  if (size != 32) return -EINVAL;
  NativeMath.seedRandom(load<u64>(ptr));
  const resumed = resumedFunction;
  if (resumed !== null) resumed(cx, new Bytes(ptr, size));
  return cx.status();
}
