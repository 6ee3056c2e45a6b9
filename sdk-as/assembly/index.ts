/**
 * The SDK for steps of a wasmill job that are written in AssemblyScript.
 *
 * A step is a module that registers its functions while it is loaded, and hands
 * on what the host calls:
 *
 * ```ts
 * import { step } from "wasmill-as";
 * export * from "wasmill-as/exports";
 *
 * step((record, cx) => {
 *   cx.emit(record);
 * });
 * ```
 *
 * A batch is a transaction. If a record fails, all that the batch did is
 * dropped, the failed records go to the job's error policy, and the others run
 * again as one batch. So what a step keeps in variables must not outlive the
 * batch: the host may run a batch again, and may replace the instance between
 * any two batches. What has to last is kept in a store.
 *
 * There are no exceptions to catch in AssemblyScript: `throw`, and every fault
 * of the language, rejects the record with its message and line and ends the
 * instance; the host goes on with a fresh one.
 */

export { Buffer, Bytes } from "./bytes";
export { Context } from "./context";
export { Json, JsonType, JsonWriter, find } from "./json";
export { Counter, Gauge } from "./metric";
export { Delete, Headers, Insert, NoTime, Record, Update } from "./record";
export { batch, onEnd, onInit, onResumed, step } from "./step";
export { Scan, Store } from "./store";
