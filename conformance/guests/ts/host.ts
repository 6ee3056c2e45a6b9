import { counter, gauge, Reject } from "wasmill";
import type { Case } from "./step.js";

interface Config {
  text: string;
  number: number;
  list: number[];
  flag: boolean;
  nothing?: unknown;
  nested: { a: { b: string } };
}

const seen = counter("seen");
const bytes = gauge("bytes");

export const cases: { [name: string]: Case } = {
  config(_, cx) {
    const { text, number, list, flag, nothing, nested } = cx.config as Config;
    const lines = { text, number, list: list.join(","), flag, nothing: nothing ?? null, nested: nested.a.b };
    for (const [name, value] of Object.entries(lines)) cx.emit({ value: `${name}=${value}` });
  },

  log({ text }, cx) {
    const [level, ...rest] = (text ?? "").split(" ");
    if (level !== "debug" && level !== "info" && level !== "warn" && level !== "error") throw new Reject(`no level ${level}`);
    cx[level](rest.join(" "));
    cx.emit({ value: cx.debugEnabled ? "1" : "0" });
  },

  metrics({ value }) {
    seen.add();
    bytes.add(value?.length ?? 0);
  },

  info({ partition, position, stream, time }, cx) {
    const { job, step, tenant, task, partitions, inputs, outputs } = cx;
    cx.emit({ value: `${job} ${step} ${tenant} ${task} ${partitions} ${inputs} ${outputs}` });
    cx.emit({ value: `${partition.number} ${partition.name} ${position} ${stream} ${time ?? "none"}` });
  },

  now(_, cx) {
    cx.emit({ value: String(cx.now()) });
    cx.emit({ value: String(cx.now()) });
  },
};
