import { Delete, Insert, Reject, Update } from "wasmill";
import type { Case } from "./step.js";

const hoard: Uint8Array[] = [];

export const cases: { [name: string]: Case } = {
  echo({ key, value, headers, flags }, cx) {
    cx.emit({ key, value, headers, flags });
  },

  outputs({ key, value, text }, cx) {
    if (text === null || !cx.outputs.includes(text)) throw new Reject(`no output ${text}`);
    cx.emitTo(text, { key, value });
  },

  fail({ value, text }, cx) {
    const [what, ...rest] = (text ?? "").split(" ");
    if (what === "fail") throw new Reject(rest.slice(1).join(" "), Number(rest[0]));
    if (what === "panic") throw new Error(rest.join(" "));
    cx.emit({ value });
  },

  flags({ value }, cx) {
    cx.emit({ key: "i", value, flags: Insert });
    cx.emit({ key: "u", value, flags: Update });
    cx.emit({ key: "d", value: null, flags: Delete });
  },

  time({ value, text }, cx) {
    cx.emit({ value, time: text === "none" ? null : Number(text) });
  },

  json(record, cx) {
    let click;
    try {
      click = record.json as { user?: unknown; n?: unknown } | null;
    } catch {
      click = null;
    }
    if (typeof click?.user !== "string" || !Number.isInteger(click.n)) throw new Reject("not a click");
    cx.emit({ value: { user: click.user, twice: 2 * (click.n as number) } });
  },

  loop({ value, text }, cx) {
    if (text === "loop") for (;;);
    if (text === "oom") for (;;) hoard.push(new Uint8Array(1 << 20));
    if (text === "exit") throw new Error("exit 3");
    cx.emit({ value });
  },
};
