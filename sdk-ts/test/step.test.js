// The SDK against its own fake host: what a step's tests can rely on.
import assert from "node:assert/strict";
import { test } from "node:test";
import { batch, CallError, counter, Delete, gauge, onEnd, onInit, Reject, step } from "wasmill";
import { start } from "wasmill/testing";

/** @param {{ text: string | null }[]} records */
const texts = (records) => records.map((r) => r.text);

test("fields of records are there, and null differs from empty", async () => {
  step((r, cx) => {
    const { key, keyText, value, text, headers, time, position, stream, flags, index, partition } = r;
    cx.emit({ value: { key, keyText, value, text, headers, time, position, stream, flags, index, partition: partition.name } });
  });
  const host = await start();
  const got = await host.batch(
    [
      { key: "k", value: "é", headers: [{ name: "h", value: null }], time: 5, position: 9, stream: 1, flags: Delete },
      { key: "", value: null },
    ],
    { name: "f.txt" },
  );
  assert.deepEqual(got.failed, []);
  assert.deepEqual(
    got.emitted.map((e) => e.json),
    [
      {
        key: { 0: 107 },
        keyText: "k",
        value: { 0: 195, 1: 169 },
        text: "é",
        headers: [{ name: "h", value: null }],
        time: 5,
        position: 9,
        stream: 1,
        flags: 4,
        index: 0,
        partition: "f.txt",
      },
      { key: {}, keyText: "", value: null, text: null, headers: [], time: null, position: 0, stream: 0, flags: 0, index: 1, partition: "f.txt" },
    ],
  );
});

test("values are text, bytes, null or JSON", async () => {
  step((r, cx) => {
    for (const value of ["a", Uint8Array.of(98), null, { c: [1, undefined] }, 4, true]) cx.emit({ value });
  });
  const host = await start();
  const { emitted } = await host.batch([{ key: "k", value: "v", time: 7 }]);
  assert.deepEqual(texts(emitted), ["a", "b", null, '{"c":[1,null]}', "4", "true"]);
  assert.ok(emitted.every((e) => e.time === 7 && e.cause === 0 && e.key === null));
});

test("headers go on as they came, names that are no text too", async () => {
  step(({ value, headers }, cx) => cx.emit({ value, headers }));
  const host = await start();
  const headers = [
    { name: "a", value: null },
    { name: "", nameBytes: Uint8Array.of(0xc3), value: "x" },
  ];
  const { emitted } = await host.batch([{ value: "", headers }]);
  assert.deepEqual(emitted[0]?.headers, [
    { name: "a", value: null },
    { name: "\ufffd", nameBytes: Uint8Array.of(0xc3), value: Uint8Array.of(120) },
  ]);
});

test("what cannot be a value rejects the record", async () => {
  step((r, cx) => cx.emit({ value: /** @type {any} */ (r.text === "u" ? undefined : r.text === "f" ? () => 1 : 1n) }));
  const host = await start();
  const { failed } = await host.batch([{ value: "u" }, { value: "f" }, { value: "b" }]);
  assert.deepEqual(
    failed.map((f) => [f.code, f.text.split("\n")[0]]),
    [
      [-1, "TypeError: the value of a record is undefined, which JSON cannot say"],
      [-1, "TypeError: the value of a record is a function or a symbol, which JSON cannot say"],
      [-1, "TypeError: Do not know how to serialize a BigInt"],
    ],
  );
});

test("rejected records are undone with their batch and the others run again", async () => {
  let calls = 0;
  step((r, cx) => {
    calls++;
    cx.store("s").put(r.text ?? "", "x");
    if (r.text === "bad") throw new Reject("not good", 3);
    if (r.text === "bug") /** @type {any} */ (null).x;
    cx.emit(r);
  });
  const host = await start({ stores: ["s"] });
  const got = await host.batch([{ value: "bad" }, { value: "a" }, { value: "bug" }, { value: "b", headers: [{ name: "h", value: "x" }] }]);
  assert.deepEqual(texts(got.emitted), ["a", "b"]);
  assert.deepEqual(
    got.emitted.map((e) => e.cause),
    [1, 3],
  );
  assert.deepEqual(got.failed[0], { index: 0, code: 3, text: "not good" });
  assert.match(got.failed[1]?.text ?? "", /^TypeError: .*\n.*step\.test\.js:\d+/);
  assert.equal(got.failed[1]?.code, -1);
  assert.deepEqual(host.store("s"), { a: "x", b: "x" });
  assert.equal(calls, 6);
});

test("stores get, put, delete and scan by bytes", async () => {
  step((r, cx) => {
    const s = cx.store("s");
    for (const k of ["b", "ä", "a", "ab"]) s.put(k, { k });
    s.delete("b");
    cx.emit({ value: [s.getJSON("a"), s.getText("none") ?? null, s.getMany(["ab", "none"]).map((v) => v?.length ?? null)] });
    cx.emit({ value: [...s.scan("a", "b")].map((e) => e.keyText).join() });
    cx.emit({ value: [...s.scan("ab")].map((e) => e.json.k).join() });
  });
  const host = await start({ stores: ["s"] });
  const { emitted, failed } = await host.batch([{ value: "" }]);
  assert.deepEqual(failed, []);
  assert.deepEqual(texts(emitted), ['[{"k":"a"},null,[10,null]]', "a,ab", "ab,ä"]);
});

test("calls that fail say what, where and why", async () => {
  step((r, cx) => {
    if (r.text === "store") cx.store("none").get("k");
    if (r.text === "output") cx.emitTo("none", { value: "" });
    if (r.text === "long") cx.store("s").put("k", "x".repeat(11));
    if (r.text === "key") cx.store("s").get("x".repeat(6));
    if (r.text === "record") cx.emit({ value: "x".repeat(21) });
  });
  const host = await start({ stores: ["s"], limits: { stateValue: 10, key: 5, record: 20 } });
  const { failed } = await host.batch(["store", "output", "long", "key", "record"].map((value) => ({ value })));
  const long = "longer than limits in the job file allow (max_record, max_emit, max_key, max_value)";
  assert.deepEqual(failed, [
    { index: 0, code: 0, text: "wasmill: state_get none: the job file declares nothing of this name" },
    { index: 1, code: 0, text: "wasmill: emit none: the job file declares nothing of this name" },
    { index: 2, code: 0, text: `wasmill: state_put s: ${long}` },
    { index: 3, code: 0, text: `wasmill: state_get s: ${long}` },
    { index: 4, code: 0, text: `wasmill: emit: ${long}` },
  ]);
});

test("a batch function gets all records and may name causes", async () => {
  batch(async (records, cx) => {
    await null;
    for (const r of records) if (r.text === "bad") cx.fail(r, new Error("no"));
    cx.emit({ value: String(records.length) });
    cx.emit({ value: "second", cause: records.at(-1) });
  });
  const host = await start();
  const got = await host.batch([{ value: "bad" }, { value: "a", time: 4 }]);
  assert.deepEqual(got.failed, [{ index: 0, code: 0, text: "no" }]);
  assert.deepEqual(
    got.emitted.map((e) => [e.text, e.cause, e.time]),
    [
      ["1", -1, null],
      ["second", 1, 4],
    ],
  );
});

test("a batch function that throws costs the record at fault", async () => {
  batch((records, cx) => {
    for (const r of records) cx.store("s").put(r.text ?? "", "");
    if (records.some((r) => r.text === "bad")) throw new TypeError("oh");
    cx.emit({ value: records.map((r) => r.text).join() });
  });
  const host = await start({ stores: ["s"] });
  const got = await host.batch(["a", "b", "c", "bad", "d"].map((value) => ({ value })));
  assert.deepEqual(texts(got.emitted), ["a,b", "c", "d"]);
  assert.deepEqual(
    got.failed.map((f) => [f.index, f.code, f.text.split("\n")[0]]),
    [[3, -1, "TypeError: oh"]],
  );
  assert.deepEqual(Object.keys(host.store("s")), ["a", "b", "c", "d"]);
});

test("init may fail, and end goes on from its token", async () => {
  step((r, cx) => cx.store("s").put(r.text ?? "", ""));
  onInit((/** @type {any} */ cx) => {
    if (cx.config.bad) throw new Error("configured to fail");
    cx.info("ready");
  });
  onEnd((cx, token) => {
    for (const e of cx.store("s").scan(token ?? undefined)) {
      if (token !== null && e.keyText === new TextDecoder().decode(token)) continue;
      cx.emit({ value: e.key });
      return e.key;
    }
    return null;
  });
  await assert.rejects(start({ config: { bad: true } }), { message: "configured to fail" });
  const host = await start({ config: {}, stores: ["s"] });
  await host.batch([{ value: "b" }, { value: "a" }]);
  assert.deepEqual(texts((await host.end()).emitted), ["a", "b"]);
  assert.deepEqual(host.logs, ["info: ready"]);
});

test("metrics count, and only what is right", async () => {
  const seen = counter("seen");
  const level = gauge("level");
  onInit(() => {});
  step(() => {
    seen.add();
    level.add(-2n);
    seen.add(-1);
  });
  const host = await start();
  const { failed } = await host.batch([{ value: "" }]);
  assert.equal(failed[0]?.text, "wasmill: metric_add seen: a malformed argument");
  assert.deepEqual(host.metrics, { seen: 1, level: -2 });
  assert.throws(() => counter("Bad"), CallError);
  assert.throws(() => gauge("seen"), CallError);
});

test("codes of rejections are the step's own", () => {
  assert.equal(new Reject("x", 2147483647).code, 2147483647);
  for (const code of [-1, 1.5, 2 ** 31, NaN]) assert.throws(() => new Reject("x", code), RangeError);
});

test("records cannot be read when their batch is over", async () => {
  /** @type {any} */
  let kept;
  step((r) => {
    void r.key;
    kept = r;
  });
  const host = await start();
  await host.batch([{ key: "k", value: "v" }]);
  assert.equal(kept.key[0], 107);
  assert.throws(() => kept.text, /batch is over/);
});
