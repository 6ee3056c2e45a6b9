/**
 * The SDK for steps of a wasmill job.
 *
 * A step is a module that registers its functions while it is loaded:
 *
 * ```ts
 * import { step } from "wasmill";
 *
 * step((record, cx) => {
 *   cx.emit({ key: record.key, value: record.text?.toUpperCase() ?? null });
 * });
 * ```
 *
 * A batch is a transaction. If a record fails, by an exception that the
 * function throws for it or by {@link Context.fail}, all that the batch did is
 * dropped, the failed records go to the job's error policy, and the others run
 * again as one batch. So what a step keeps in variables must not outlive the
 * batch: the host may run a batch again, and may replace the instance between
 * any two batches. What has to last is kept in a store.
 *
 * @packageDocumentation
 */

/** What a function may return: its result, or a promise of it that is awaited. */
export type Awaitable<T> = T | Promise<T>;

/**
 * Registers the function that is called once for each record, in order. An
 * exception rejects the record: a {@link Reject} with its code and text, any
 * other as a fault of the step, with the code -1, its message and its stack.
 * `step` and {@link batch} exclude each other; the last call counts.
 *
 * @typeParam Value - what the record's value is as JSON
 * @typeParam Config - what the job file says under `config`
 */
export function step<Value = unknown, Config = unknown>(fn: (record: Record<Value>, cx: Context<Config>) => Awaitable<void>): void;

/**
 * Registers the function that is called once for each batch, with its records
 * in order. Single records are rejected with {@link Context.fail}; an exception
 * refuses the whole batch, which the host then tries in halves until the record
 * at fault is alone, which it rejects. What is emitted belongs to the batch as a whole unless it
 * names its `cause`.
 */
export function batch<Value = unknown, Config = unknown>(fn: (records: Record<Value>[], cx: Context<Config>) => Awaitable<void>): void;

/**
 * Registers the function that is called once, before the first batch. It may
 * read the configuration and write logs, no more. An exception is a fault of
 * the module: the job does not start with it.
 */
export function onInit<Config = unknown>(fn: (cx: Context<Config>) => Awaitable<void>): void;

/**
 * Registers the function that is called when a bounded input is over. A call
 * has to be short, as a batch is; if there is more to do, the function returns
 * a token of up to 64 KiB that says where to go on, and is called again with it
 * after the host has taken what was done so far, perhaps in another instance.
 * The first token is null; to return nothing or null ends it.
 */
export function onEnd<Config = unknown>(fn: (cx: Context<Config>, token: Uint8Array | null) => Awaitable<Uint8Array | string | null | void>): void;

/** What names a row: text, as UTF-8, or bytes. */
export type Key = string | Uint8Array;

/** Where a record comes from: a topic and its partition, a file, an exchange. */
export interface Partition {
  readonly number: number;
  /** The name as text; what is not UTF-8 in it is U+FFFD. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** A header of a record. Names may repeat. */
export interface Header {
  /** What is not UTF-8 in it is U+FFFD. */
  name: string;
  /** The name as it came if it is not UTF-8; it counts where the header is emitted. */
  nameBytes?: Uint8Array | undefined;
  value: Uint8Array | null;
}

/**
 * A record as it came in. Its fields are read when they are asked for, from the
 * batch; `key`, `value`, `json` and `headers` stay once they were, the others
 * are not to be had when the batch is over. The fields are not properties of
 * its own: `{ ...record }` is empty.
 *
 * Null and empty differ, for keys and values.
 */
export interface Record<Value = unknown> {
  readonly key: Uint8Array | null;
  /** The key as text; what is not UTF-8 in it is U+FFFD. */
  readonly keyText: string | null;
  readonly value: Uint8Array | null;
  /** The value as text; what is not UTF-8 in it is U+FFFD. */
  readonly text: string | null;
  /** The value as JSON, decoded once; null if the value is. Throws a SyntaxError. */
  readonly json: Value;
  readonly headers: Header[];
  /** Event time in milliseconds since 1970, or null. */
  readonly time: number | null;
  /** In the partition; exact up to 2^53. */
  readonly position: number;
  /** Index of {@link Context.inputs}. */
  readonly stream: number;
  /** {@link Insert}, {@link Update}, {@link Delete}, or 0. */
  readonly flags: number;
  /** In the batch. */
  readonly index: number;
  readonly partition: Partition;
}

/** What {@link Context.emit} takes. A {@link Record} is one, and goes on as it is. */
export interface Emit {
  key?: Key | null | undefined;
  /**
   * Text, as UTF-8; bytes; null; or anything else that JSON can say, as
   * JSON.stringify writes it.
   */
  value: string | Uint8Array | null | object | number | boolean;
  headers?: readonly { name: string; nameBytes?: Uint8Array | undefined; value: Key | null }[] | undefined;
  /** Milliseconds since 1970; null for none. Default: that of the cause. */
  time?: number | null | undefined;
  flags?: number | undefined;
  /** The record that it comes from. Default: the one that the function is called for. */
  cause?: Record | undefined;
}

/** What a record does to the row that its key names. */
export const Insert = 1;
export const Update = 2;
export const Delete = 4;

/** The step's way to the host. It is the same object in all calls. */
export interface Context<Config = unknown> {
  readonly job: string;
  readonly step: string;
  readonly tenant: string;
  /** The number of the task that the instance serves. */
  readonly task: number;
  /** How many partitions the step's input has. */
  readonly partitions: number;
  /** What the step reads; a record's `stream` is an index of it. */
  readonly inputs: readonly string[];
  /** The step's outputs, the default one first. */
  readonly outputs: readonly string[];
  /** What the job file says under `config`; null if it says nothing. */
  readonly config: Config;

  /** Sends a record to the step's first output. */
  emit(record: Emit | Record): void;
  /** Sends a record to the output of that name. */
  emitTo(output: string, record: Emit | Record): void;
  /**
   * Rejects a record of the batch: with the code and text of a {@link Reject},
   * the message of another error, or a text.
   */
  fail(record: Record, error: Error | string): void;
  /** The store of that name; if the job declares none, each call on it throws. */
  store(name: string): Store;

  /** Lines for the job's log, as console writes them too. */
  debug(text: string): void;
  info(text: string): void;
  warn(text: string): void;
  error(text: string): void;
  /** Whether lines of debug go anywhere. */
  readonly debugEnabled: boolean;

  /**
   * The batch's time in nanoseconds since 1970: the largest event time in it,
   * and a microsecond more with each call, so that a batch that runs again gets
   * the same times. `Date` goes by it too.
   */
  now(): bigint;
}

/** Keyed state of the task that lasts. What a batch writes goes if it fails. */
export interface Store {
  get(key: Key): Uint8Array | undefined;
  getText(key: Key): string | undefined;
  getJSON<T = unknown>(key: Key): T | undefined;
  /** The values of many keys by one call to the host, in their order. */
  getMany(keys: readonly Key[]): (Uint8Array | undefined)[];
  put(key: Key, value: string | Uint8Array | object | number | boolean): void;
  delete(key: Key): void;
  /**
   * The entries with start <= key < end in the order of the keys' bytes;
   * without an end to the last. A write to a key that the scan has not come to
   * may or may not be seen.
   */
  scan(start?: Key, end?: Key): Generator<Entry, void, undefined>;
}

/** An entry of a store. */
export interface Entry {
  readonly key: Uint8Array;
  readonly keyText: string;
  readonly value: Uint8Array;
  readonly text: string;
  readonly json: any;
}

/**
 * Rejects the record that the function is called for: thrown, or given to
 * {@link Context.fail}. Its text comes out in the dead letter as it is.
 */
export class Reject extends Error {
  /** @param code - a number of the step's own, from 1 to 2147483647; 0 if it has none */
  constructor(text: string, code?: number);
  readonly code: number;
}

/** A call to the host that failed. If it is not caught, the record is rejected. */
export class CallError extends Reject {
  constructor(call: string, on: string, errno: number);
  /** The host function. */
  readonly call: string;
  /** The store, output or metric; "" for none. */
  readonly on: string;
  /** The error number, as Linux has it. */
  readonly errno: number;
}

/** A metric of the step. */
export interface Metric {
  /** Adds n, by default 1. */
  add(n?: number | bigint): void;
}

/**
 * Makes a counter, which only grows. It belongs to the top of the module. The
 * name matches `[a-z][a-z0-9_]*`.
 */
export function counter(name: string): Metric;

/** Makes a gauge, which goes up and down. */
export function gauge(name: string): Metric;
