// The conformance program of the AssemblyScript SDK: one step that does what
// the case in its config says.

import { Bytes, Context, Counter, Delete, Gauge, Insert, NoTime, Record, Update, batch, onEnd, onInit, step } from "../../../../sdk-as/assembly";
import { configured, info } from "./config";
import { json } from "./json";
import { count, countEnd, state } from "./state";
import { after, bytesOf, emitText, emitValue, first } from "./words";

export * from "../../../../sdk-as/assembly/exports";

const seen = new Counter("seen");
const bytes = new Gauge("bytes");

let at = "";
let hoard: StaticArray<u8>[] = []; // what case loop allocates

onInit((cx: Context): void => {
  at = cx.configText("/case", "");
  const names = ["config", "echo", "end", "fail", "flags", "info", "json", "log", "loop", "metrics", "now", "outputs", "state", "time"];
  if (at == "batch") batch(whole);
  else if (at == "init-fails") cx.fail("configured to fail");
  else if (!names.includes(at)) cx.fail('no case "' + at + '"');
});

step((record: Record, cx: Context): void => {
  const value = bytesOf(record.value);
  if (at == "echo") echo(record, cx);
  else if (at == "json") json(value, cx);
  else if (at == "state") state(value.text(), cx);
  else if (at == "config") configured(cx);
  else if (at == "end") count(bytesOf(record.key), cx);
  else if (at == "fail") fail(value, cx);
  else if (at == "flags") flags(value, cx);
  else if (at == "info") info(record, cx);
  else if (at == "log") log(value.text(), cx);
  else if (at == "loop") loop(value, cx);
  else if (at == "metrics") {
    seen.add();
    bytes.add(value.length);
  } else if (at == "now") {
    emitText(cx, cx.now().toString());
    emitText(cx, cx.now().toString());
  } else if (at == "outputs") outputs(record, value.text(), cx);
  else time(value, cx);
});

onEnd((cx: Context, token: Bytes | null): Bytes | null => (at == "end" ? countEnd(cx, token) : null));

function whole(cx: Context): void {
  let sum: i64 = 0;
  for (let r = cx.next(); r !== null; r = cx.next()) sum += bytesOf(r.key).length + bytesOf(r.value).length;
  emitText(cx, cx.count.toString() + " " + sum.toString());
}

function echo(record: Record, cx: Context): void {
  const out = new Record();
  out.key = record.key;
  out.value = record.value;
  out.headers = record.headers;
  out.flags = record.flags;
  cx.emit(out);
}

function outputs(record: Record, name: string, cx: Context): void {
  if (!cx.outputs.includes(name)) return cx.fail("no output " + name);
  const out = new Record();
  out.key = record.key;
  out.value = record.value;
  cx.emitTo(name, out);
}

function fail(value: Bytes, cx: Context): void {
  const text = value.text(), word = first(text);
  if (word == "fail") {
    const rest = after(text);
    return cx.fail(after(rest), I32.parseInt(first(rest)));
  }
  if (word == "panic") throw new Error(after(text));
  emitValue(cx, null, value);
}

function flags(value: Bytes, cx: Context): void {
  const keys = ["i", "u", "d"], marks = [Insert, Update, Delete];
  for (let i = 0; i < 3; i++) {
    const out = new Record();
    out.key = Bytes.of(keys[i]);
    if (marks[i] != Delete) out.value = value;
    out.flags = marks[i];
    cx.emit(out);
  }
}

function log(text: string, cx: Context): void {
  const level = first(text), line = after(text);
  if (level == "debug") cx.debug(line);
  else if (level == "info") cx.info(line);
  else if (level == "warn") cx.warn(line);
  else if (level == "error") cx.error(line);
  else return cx.fail("no level " + level);
  emitText(cx, cx.debugEnabled ? "1" : "0");
}

function loop(value: Bytes, cx: Context): void {
  if (value.is("loop")) while (true) {}
  if (value.is("oom")) while (true) hoard.push(new StaticArray<u8>(1 << 20));
  if (value.is("exit")) throw new Error("exit");
  emitValue(cx, null, value);
}

function time(value: Bytes, cx: Context): void {
  const out = new Record();
  out.value = value;
  out.time = value.is("none") ? NoTime : I64.parseInt(value.text());
  cx.emit(out);
}
