// The fake host. testing.d.ts says what it is for.

import { engine } from "./engine.js";
import { CallError } from "./errors.js";
import { decode, fromBinary, keyBytes } from "./testing/bytes.js";
import { Context, reason } from "./testing/context.js";
import { fieldsOf, Record } from "./testing/record.js";

class Host {
  /** @type {import("./testing/context.js").State} */
  #state;
  #cx;

  /** @param {import("./testing.js").Options} options */
  constructor({ config = null, inputs = ["in"], outputs = ["out"], stores = [], limits = {} }) {
    this.#state = {
      serving: false,
      outputs,
      stores: new Map(stores.map((name) => [name, new Map()])),
      limits: { record: 1 << 20, key: 4 << 10, stateValue: 1 << 20, ...limits },
      logs: [],
      now: 0,
      cause: { index: -1, time: null },
      emitted: [],
      failed: [],
    };
    const info = { job: "test", step: "test", tenant: "default", task: 0, partitions: 1 };
    this.#cx = new Context(this.#state, { ...info, inputs, outputs, config: JSON.parse(JSON.stringify(config)) });
    for (const m of engine.metrics ?? []) m.value = 0;
  }

  async init() {
    await engine.init?.(this.#cx);
    if (engine.step === undefined && engine.batch === undefined) {
      throw new TypeError("the step registers no function: call step or batch of the package wasmill");
    }
  }

  get logs() {
    return this.#state.logs;
  }

  get metrics() {
    return Object.fromEntries((engine.metrics ?? []).map((m) => [m.name, m.value]));
  }

  /** @param {string} name */
  store(name) {
    const entries = this.#state.stores.get(name);
    if (entries === undefined) throw new Error(`the options declare no store ${name}`);
    return Object.fromEntries([...entries].sort().map(([k, v]) => [decode(fromBinary(k)), decode(v)]));
  }

  /**
   * Runs fn as a call of the host; what it did to stores is undone if it throws
   * or rejects records.
   *
   * @template T
   * @param {() => Promise<T>} fn
   */
  async #call(fn) {
    const s = this.#state;
    const before = new Map([...s.stores].map(([name, entries]) => [name, new Map(entries)]));
    s.cause = { index: -1, time: null };
    s.emitted = [];
    s.failed = [];
    s.serving = true;
    let undo = true;
    try {
      const result = await fn();
      undo = s.failed.length > 0;
      return result;
    } finally {
      s.serving = false;
      if (undo) s.stores = before;
    }
  }

  /**
   * @param {import("./testing/record.js").Fields[]} fields
   * @param {import("./index.js").Partition} partition
   */
  async #once(fields, partition) {
    const call = { over: false };
    const records = fields.map((f, i) => new Record(f, i, partition, call));
    try {
      if (engine.batch !== undefined) return await engine.batch(records, this.#cx);
      for (const [index, r] of records.entries()) {
        this.#state.cause = { index, time: r.time };
        try {
          await engine.step?.(r, this.#cx);
        } catch (e) {
          const [code, text] = reason(e);
          this.#state.failed.push({ index, code, text });
        }
      }
    } finally {
      call.over = true;
    }
  }

  /**
   * @param {any[]} records
   * @param {{ name?: string, number?: number }} [partition]
   * @returns {Promise<import("./testing.js").Result>}
   */
  async batch(records, { name = "test", number = 0 } = {}) {
    const at = { number, name, bytes: /** @type {Uint8Array} */ (keyBytes(name, "the partition")) };
    const all = records.map((r, index) => ({ index, fields: fieldsOf(r, null) }));
    this.#state.now = Math.max(0, ...all.map((r) => r.fields.time ?? 0)) * 1e6;
    return this.#run(all, at);
  }

  /**
   * Runs records until none of them fails.
   *
   * @param {{ index: number, fields: import("./testing/record.js").Fields }[]} left
   * @param {import("./index.js").Partition} at
   * @returns {Promise<import("./testing.js").Result>}
   */
  async #run(left, at) {
    /** @type {import("./testing.js").Failed[]} */
    const failed = [];
    for (;;) {
      const now = left;
      try {
        await this.#call(() =>
          this.#once(
            now.map((r) => r.fields),
            at,
          ),
        );
      } catch (e) {
        const [first] = now;
        if (first === undefined) throw e;
        if (now.length === 1) {
          const [code, text] = reason(e);
          return { emitted: [], failed: [...failed, { index: first.index, code, text }] };
        }
        const half = now.length >> 1;
        const [a, b] = [await this.#run(now.slice(0, half), at), await this.#run(now.slice(half), at)];
        return { emitted: [...a.emitted, ...b.emitted], failed: [...failed, ...a.failed, ...b.failed] };
      }
      const bad = new Map([...this.#state.failed].reverse().map((f) => [f.index, f]));
      if (bad.size === 0) return { emitted: this.#emitted((i) => now[i]?.index ?? -1), failed };
      for (const [i, f] of [...bad].sort(([a], [b]) => a - b)) failed.push({ ...f, index: now[i]?.index ?? -1 });
      left = now.filter((_, i) => !bad.has(i));
      if (left.length === 0) return { emitted: [], failed };
    }
  }

  /** @returns {Promise<import("./testing.js").Result>} */
  async end() {
    /** @type {import("./testing.js").Emitted[]} */
    const emitted = [];
    for (let token = null; engine.end !== undefined; ) {
      const at = token;
      const next = await this.#call(() => Promise.resolve(engine.end?.(this.#cx, at)));
      emitted.push(...this.#emitted(() => -1));
      token = keyBytes(next, "the token that the function of onEnd returned");
      if (token === null) break;
      if (token.length > 64 << 10) throw new CallError("resume", "", 7);
    }
    return { emitted, failed: [] };
  }

  /**
   * @param {(index: number) => number} origin of a cause
   * @returns {import("./testing.js").Emitted[]}
   */
  #emitted(origin) {
    return this.#state.emitted.map(({ output, cause, fields: { key, value, headers, time, flags } }) => ({
      output,
      cause: cause < 0 ? -1 : origin(cause),
      key,
      keyText: key && decode(key),
      value,
      text: value && decode(value),
      get json() {
        return value && JSON.parse(decode(value));
      },
      headers,
      time,
      flags,
    }));
  }
}

/** @type {typeof import("./testing.js").start} */
export async function start(options = {}) {
  const host = new Host(options);
  await host.init();
  return host;
}
