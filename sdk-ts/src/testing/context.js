// The step's context, and what a call through it did.

import { CallError, Reject } from "../errors.js";
import { fieldsOf, Record, size } from "./record.js";
import { Store } from "./store.js";

/**
 * @typedef {object} State what is the host's
 * @property {boolean} serving records may be emitted and stores used
 * @property {string[]} outputs
 * @property {Map<string, Map<string, Uint8Array>>} stores
 * @property {{ record: number, key: number, stateValue: number }} limits
 * @property {string[]} logs
 * @property {number} now nanoseconds
 * @property {{ index: number, time: number | null }} cause
 * @property {{ output: string, cause: number, fields: import("./record.js").Fields }[]} emitted
 * @property {import("../testing.js").Failed[]} failed
 */

/**
 * What an exception says, as the engine tells the host.
 *
 * @param {any} e
 * @returns {[code: number, text: string]}
 */
export function reason(e) {
  if (e instanceof Reject) return [e.code, e.message];
  if (e instanceof Error) return [-1, `${e.name}: ${e.message}\n${(e.stack ?? "").split("\n").slice(1).join("\n")}`];
  return [-1, `thrown: ${String(e)}`];
}

export class Context {
  #host;

  /**
   * @param {State} host
   * @param {object} info fields of the context
   */
  constructor(host, info) {
    this.#host = host;
    Object.assign(this, info);
  }

  /**
   * @param {any} r
   * @param {string} output
   */
  #emit(r, output) {
    const h = this.#host;
    if (!h.serving) throw new CallError("emit", "", 1);
    const cause = r?.cause === undefined ? h.cause : { index: r.cause.index, time: r.cause.time };
    const fields = fieldsOf(r, cause.time);
    if (size(fields) > h.limits.record) throw new CallError("emit", "", 7);
    h.emitted.push({ output, cause: cause.index, fields });
  }

  /** @param {any} r */
  emit(r) {
    this.#emit(r, this.#host.outputs[0] ?? "");
  }

  /**
   * @param {string} output
   * @param {any} r
   */
  emitTo(output, r) {
    if (!this.#host.outputs.includes(output)) throw new CallError("emit", output, 9);
    this.#emit(r, output);
  }

  /**
   * @param {Record} record
   * @param {any} error
   */
  fail(record, error) {
    const index = /** @type {any} */ (record).index;
    if (!(record instanceof Record)) throw new TypeError("fail takes a record of the batch");
    const [code, text] = error instanceof Reject ? reason(error) : [0, error instanceof Error ? error.message : String(error)];
    this.#host.failed.push({ index, code, text });
  }

  /** @param {string} name */
  store(name) {
    return new Store(name, this.#host);
  }

  /** @param {string} text */
  debug(text) {
    this.#host.logs.push(`debug: ${text}`);
  }
  /** @param {string} text */
  info(text) {
    this.#host.logs.push(`info: ${text}`);
  }
  /** @param {string} text */
  warn(text) {
    this.#host.logs.push(`warn: ${text}`);
  }
  /** @param {string} text */
  error(text) {
    this.#host.logs.push(`error: ${text}`);
  }

  get debugEnabled() {
    return true;
  }

  now() {
    this.#host.now += 1000;
    return BigInt(this.#host.now);
  }
}
