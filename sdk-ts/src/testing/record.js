// Records as the step sees them.

import { binary, decode, keyBytes, valueBytes } from "./bytes.js";

/**
 * @typedef {object} Fields what a record is made of
 * @property {Uint8Array | null} key
 * @property {Uint8Array | null} value
 * @property {import("../index.js").Header[]} headers
 * @property {number | null} time
 * @property {number} flags
 * @property {number} stream
 * @property {number} position
 */

/**
 * @param {any} h
 * @returns {import("../index.js").Header}
 */
function header(h) {
  const bytes = keyBytes(h.nameBytes ?? h.name, "the name of a header") ?? new Uint8Array();
  const name = decode(bytes);
  const value = keyBytes(h.value, "the value of a header");
  return binary(bytes) === Buffer.from(name).toString("latin1") ? { name, value } : { name, nameBytes: bytes, value };
}

/**
 * Reads what is emitted or comes in.
 *
 * @param {any} r
 * @param {number | null} time
 * @returns {Fields}
 */
export function fieldsOf(r, time) {
  if (typeof r !== "object" || r === null || ArrayBuffer.isView(r)) throw new TypeError("emit takes a record: an object with a value");
  const at = r.time === undefined ? time : r.time;
  if (at !== null && !(Number(at) >= -(2 ** 53) && Number(at) <= 2 ** 53)) throw new RangeError("time is not a number of milliseconds");
  return {
    time: at === null ? null : Math.trunc(Number(at)),
    flags: (r.flags ?? 0) & 7,
    headers: [...(r.headers ?? [])].map(header),
    value: valueBytes(r.value, "the value of a record"),
    key: keyBytes(r.key, "the key of a record"),
    stream: r.stream ?? 0,
    position: r.position ?? 0,
  };
}

/**
 * The bytes that a job's limit on records counts.
 *
 * @param {Fields} f
 */
export function size(f) {
  let n = (f.key?.length ?? 0) + (f.value?.length ?? 0);
  for (const h of f.headers) n += 8 + (h.nameBytes?.length ?? Buffer.byteLength(h.name)) + (h.value?.length ?? 0);
  return n;
}

export class Record {
  #fields;
  #call;
  /** @type {any} */
  #kept = {};

  /**
   * @param {Fields} fields
   * @param {number} index
   * @param {import("../index.js").Partition} partition
   * @param {{ over: boolean }} call
   */
  constructor(fields, index, partition, call) {
    this.#fields = fields;
    this.#call = call;
    for (const [name, value] of Object.entries({ index, partition })) Object.defineProperty(this, name, { value, enumerable: false });
  }

  /** @returns {Fields} */
  get #live() {
    if (this.#call.over) throw new TypeError("the record's batch is over: read what is to be kept while its function runs");
    return this.#fields;
  }

  /**
   * @template T
   * @param {string} name
   * @param {() => T} make
   * @returns {T}
   */
  #keep(name, make) {
    if (!(name in this.#kept)) this.#kept[name] = make();
    return this.#kept[name];
  }

  get key() {
    return this.#keep("key", () => this.#live.key && Uint8Array.from(this.#live.key));
  }
  get keyText() {
    return this.#live.key && decode(this.#live.key);
  }
  get value() {
    return this.#keep("value", () => this.#live.value && Uint8Array.from(this.#live.value));
  }
  get text() {
    return this.#live.value && decode(this.#live.value);
  }
  get json() {
    return this.#keep("json", () => this.#live.value && JSON.parse(decode(this.#live.value)));
  }
  get headers() {
    return this.#keep("headers", () => this.#live.headers.map((h) => ({ ...h })));
  }
  get time() {
    return this.#fields.time;
  }
  get position() {
    return this.#fields.position;
  }
  get stream() {
    return this.#fields.stream;
  }
  get flags() {
    return this.#fields.flags;
  }
}
