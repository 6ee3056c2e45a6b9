// Stores in memory.

import { CallError } from "../errors.js";
import { binary, decode, fromBinary, keyBytes, valueBytes } from "./bytes.js";

class Entry {
  /**
   * @param {Uint8Array} key
   * @param {Uint8Array} value
   */
  constructor(key, value) {
    this.key = key;
    this.value = value;
  }
  get keyText() {
    return decode(this.key);
  }
  get text() {
    return decode(this.value);
  }
  get json() {
    return JSON.parse(decode(this.value));
  }
}

export class Store {
  #name;
  #host;

  /**
   * @param {string} name
   * @param {{ serving: boolean, stores: Map<string, Map<string, Uint8Array>>, limits: { key: number, stateValue: number } }} host
   */
  constructor(name, host) {
    this.#name = name;
    this.#host = host;
  }

  /**
   * @param {string} call
   * @returns {Map<string, Uint8Array>}
   */
  #entries(call) {
    const entries = this.#host.stores.get(this.#name);
    if (!this.#host.serving) throw new CallError(call, this.#name, 1);
    if (entries === undefined) throw new CallError(call, this.#name, 9);
    return entries;
  }

  /**
   * @param {string} call
   * @param {any} key
   */
  #key(call, key) {
    const b = keyBytes(key, "the key of a store") ?? new Uint8Array();
    if (b.length > this.#host.limits.key) throw new CallError(call, this.#name, 7);
    return binary(b);
  }

  /** @param {any} key */
  get(key) {
    const value = this.#entries("state_get").get(this.#key("state_get", key));
    return value && Uint8Array.from(value);
  }

  /** @param {any} key */
  getText(key) {
    const value = this.get(key);
    return value && decode(value);
  }

  /** @param {any} key */
  getJSON(key) {
    const value = this.get(key);
    return value && JSON.parse(decode(value));
  }

  /** @param {any[]} keys */
  getMany(keys) {
    const entries = this.#entries("state_get_many");
    return [...keys].map((key) => {
      const value = entries.get(this.#key("state_get_many", key));
      return value && Uint8Array.from(value);
    });
  }

  /**
   * @param {any} key
   * @param {any} value
   */
  put(key, value) {
    const b = valueBytes(value, "the value for a store");
    if (b === null) throw new TypeError("a store has no null values: delete the key instead");
    const entries = this.#entries("state_put");
    const k = this.#key("state_put", key);
    if (b.length > this.#host.limits.stateValue) throw new CallError("state_put", this.#name, 7);
    entries.set(k, b);
  }

  /** @param {any} key */
  delete(key) {
    this.#entries("state_delete").delete(this.#key("state_delete", key));
  }

  /**
   * @param {any} [start]
   * @param {any} [end]
   */
  *scan(start, end) {
    const from = this.#key("state_scan", start);
    const to = this.#key("state_scan", end);
    const entries = this.#entries("state_scan");
    for (const k of [...entries.keys()].sort()) {
      if (k < from || (to !== "" && k >= to)) continue;
      const value = entries.get(k);
      if (value !== undefined) yield new Entry(fromBinary(k), Uint8Array.from(value));
    }
  }
}
