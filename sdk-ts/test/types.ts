// What has to type-check, and what must not.
import { batch, type Context, counter, onEnd, onInit, type Record, Reject, step } from "wasmill";
import { type Result, start } from "wasmill/testing";

interface Click {
  user: string;
  ms: number;
}

step<Click, { factor: number }>((record, cx) => {
  const ms: number = record.json.ms * cx.config.factor;
  cx.emit({ key: record.json.user, value: { ms } });
  cx.emit(record);
  cx.emitTo("late", { key: record.key, value: null, time: null, headers: record.headers });
  const text: string | undefined = cx.store("totals").getText(record.json.user);
  cx.store("totals").put("k", [text ?? null]);
  // @ts-expect-error: a record has a value
  cx.emit({ key: "k" });
  // @ts-expect-error: a record is not to be written to
  record.time = 1;
  // @ts-expect-error: the value may be null
  record.text.length;
  // @ts-expect-error: no such field
  record.json.nothing;
  // @ts-expect-error: stores hold no null
  cx.store("totals").put("k", null);
});

step(async (record) => {
  // @ts-expect-error: JSON is unknown unless it is said what it is
  record.json.user;
  if (record.value === null) throw new Reject("empty", 2);
});

batch((records: Record<Click>[], cx: Context) => records.forEach((r) => cx.fail(r, "no")));
onInit<{ match: string }>((cx) => cx.info(cx.config.match));
onEnd((_, token) => token?.subarray(1) ?? "from here");
// @ts-expect-error: a token is text or bytes
onEnd(() => 5);
counter("seen").add(5n);

export async function testing(): Promise<Result> {
  const host = await start({ config: { a: 1 }, stores: ["totals"] });
  return host.batch([{ key: "k", value: { user: "u", ms: 1 }, time: 5 }]);
}
