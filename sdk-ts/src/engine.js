// Where the step's functions are registered. The engine of wasmill has made
// globalThis.__wasmill before the step is loaded; elsewhere, as under node
// --test, it is made here, and wasmill/testing calls what it holds.

import { CallError, Reject } from "./errors.js";

/**
 * @typedef {object} Engine
 * @property {((record: any, cx: any) => any) | undefined} [step]
 * @property {((records: any[], cx: any) => any) | undefined} [batch]
 * @property {(cx: any) => any} [init]
 * @property {(cx: any, token: Uint8Array | null) => any} [end]
 * @property {(kind: 0 | 1, name: string) => { add(n?: number | bigint): void }} metric
 * @property {typeof CallError} [CallError]
 * @property {typeof Reject} [Reject]
 * @property {{ name: string, kind: 0 | 1, value: number }[]} [metrics] outside of the engine alone
 */

/** @returns {Engine} an engine that keeps metrics for wasmill/testing */
function outside() {
  /** @type {NonNullable<Engine["metrics"]>} */
  const metrics = [];
  return {
    metrics,
    metric(kind, name) {
      let metric = metrics.find((m) => m.name === name);
      if (!/^[a-z][a-z0-9_]{0,63}$/.test(name) || (metric !== undefined && metric.kind !== kind)) {
        throw new CallError("metric_define", name, 22);
      }
      if (metric === undefined) metrics.push((metric = { name, kind, value: 0 }));
      const found = metric;
      return {
        add(n = 1) {
          if (kind === 0 && n < 0) throw new CallError("metric_add", name, 22);
          found.value += Number(n);
        },
      };
    },
  };
}

const scope = /** @type {{ __wasmill?: Engine }} */ (globalThis);

export const engine = (scope.__wasmill ??= outside());
engine.CallError = CallError;
engine.Reject = Reject;
