/**
 * Runs a step without WebAssembly, against a host that keeps its state in
 * memory:
 *
 * ```ts
 * import { start } from "wasmill/testing";
 * import "./step.js";
 *
 * const host = await start({ stores: ["totals"] });
 * const got = await host.batch([{ key: "a", value: { n: 1 } }]);
 * // got.emitted, got.failed, host.store("totals")
 * ```
 *
 * It is as strict as the host: limits hold, a batch with failed records is
 * undone and the others run again, and records cannot be read when their batch
 * is over.
 *
 * @packageDocumentation
 */

import type { Emit, Header } from "./index.js";

/** What the job file would say of the step. */
export interface Options {
  config?: unknown;
  /** Default: in. */
  inputs?: string[];
  /** Default: out. */
  outputs?: string[];
  /** Default: none. */
  stores?: string[];
  /** Limits in bytes; default 1 MiB, 4 KiB and 1 MiB. */
  limits?: { record?: number; key?: number; stateValue?: number };
}

/** A record for the step, as {@link Emit} would make it. */
export type Input = Omit<Emit, "cause"> & { stream?: number; position?: number };

/** A record that the step emitted. */
export interface Emitted {
  output: string;
  /** Index of the record of the batch that caused it, -1 for the batch. */
  cause: number;
  key: Uint8Array | null;
  keyText: string | null;
  value: Uint8Array | null;
  text: string | null;
  readonly json: any;
  headers: Header[];
  time: number | null;
  flags: number;
}

/** A record that the step rejected. */
export interface Failed {
  /** In the batch. */
  index: number;
  /** -1 for an exception that is no Reject. */
  code: number;
  text: string;
}

export interface Result {
  emitted: Emitted[];
  failed: Failed[];
}

/** Calls the step's onInit. Rejects with what it throws. */
export function start(options?: Options): Promise<Host>;

export interface Host {
  /** Lines of the log, like "info: text". */
  readonly logs: string[];
  /** Values of the metrics by name. They are not undone when a batch fails. */
  readonly metrics: { [name: string]: number };

  /**
   * Runs one batch. If records fail, all that it did is undone and the others
   * run again, until none fails. If a function of `batch` throws, its records
   * run in halves until the one at fault is alone, which is rejected.
   */
  batch(records: Input[], partition?: { name?: string; number?: number }): Promise<Result>;

  /**
   * Tells the step that its input is over, and calls it again as long as it
   * returns a token.
   */
  end(): Promise<Result>;

  /** A copy of what is in a store, as text. */
  store(name: string): { [key: string]: string };
}
