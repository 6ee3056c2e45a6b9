// The conformance program of this SDK: one step that does what the case in its
// config says.
import { type Context, onInit, type Record, step } from "wasmill";
import { cases as batches } from "./batch.js";
import { cases as host } from "./host.js";
import { cases as records } from "./records.js";
import { cases as state } from "./state.js";

export type Case = (record: Record, cx: Context) => void;

const cases: { [name: string]: Case | (() => void) } = { ...records, ...host, ...state };

onInit<{ case?: string }>((cx) => {
  const name = cx.config?.case ?? "";
  if (name === "init-fails") throw new Error("configured to fail");
  const fn = Object.hasOwn(cases, name) ? cases[name] : undefined;
  if (fn !== undefined) step(fn as Case);
  else if (Object.hasOwn(batches, name)) batches[name]!();
  else throw new Error(`no case ${JSON.stringify(name)}`);
});
