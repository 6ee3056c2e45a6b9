// Tests of the codec and of JSON. MODULE is probe.ts as WebAssembly, TESTDATA the
// directory of the golden vectors, SEED that of the made inputs.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const { MODULE: module, TESTDATA: testdata } = process.env;
const unused = new Proxy({}, { get: () => () => assert.fail("a host function was called") });
const imports = { wasmill_v1: unused, env: { abort: (...at) => assert.fail(`abort at ${at.slice(2)}`) } };
const { exports: guest } = new WebAssembly.Instance(new WebAssembly.Module(readFileSync(module)), imports);

function give(bytes) {
  const at = guest.room(bytes.length);
  new Uint8Array(guest.memory.buffer).set(bytes, at);
}

const result = () => Buffer.from(guest.memory.buffer, guest.resultPtr(), guest.resultSize());

function vectors(file) {
  const all = [];
  for (const part of readFileSync(join(testdata, file), "utf8").trim().split("\n\n")) {
    if (part.startsWith("#")) continue;
    const [head, digits = ""] = part.split(/\nbytes\n?/);
    all.push({ name: head.split("\n")[0], bytes: Buffer.from(digits.replace(/\s+/g, ""), "hex") });
  }
  assert(all.length >= 10, `${file} has ${all.length} vectors`);
  return all;
}

test("golden frames are decoded and encoded the same", () => {
  for (const { name, bytes } of vectors("frames.txt")) {
    give(bytes);
    assert(guest.reencode(), name);
    const got = result();
    assert.equal(got.readUInt32LE(8), bytes.readUInt32LE(8), `${name}: records`);
    // The guest's frames have no partition, position 0, and the index as cause.
    let at = 32 + ((bytes.readUInt32LE(20) + 7) & ~7);
    for (let i = 0, to = 32; i < bytes.readUInt32LE(8); i++) {
      const size = bytes.readUInt32LE(at + 36);
      const want = Buffer.from(bytes.subarray(at, at + size));
      want.writeBigInt64LE(0n, 8);
      want.writeUInt32LE(i, 16);
      assert.deepEqual(got.subarray(to, to + size), want, `${name}: record ${i}`);
      at += size;
      to += size;
    }
  }
});

test("faults are refused", () => {
  for (const { name, bytes } of vectors("faults.txt")) {
    give(bytes);
    assert(!guest.reencode(), name);
  }
});

const good = [
  "null", " true ", "false", "0", "-0", "10.5e+3", "1E9", '""', String.raw`"a\u00e9\"\\\/\b\f\n\r\t\u001f"`, "[]", "{ }", "[1,2]", "[[],{}]",
  '{"a":[{"b":{}}],"c":null}', '"café and more than eight bytes"', '"😀"', String.raw`"\ud83d\ude00"`, '"\x7f"', '{"key é":1,"\\n":2}',
];
const bad = [
  "", " ", "nul", "nulll", "True", "01", "-", "1.", ".5", "1e", "+1", '"', '"a', '"\\', '"\\q"', '"\\u12"', '"\\u123g"', '"\n"', '"12345678\x01"',
  "[", "]", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "{", '{"a"', '{"a":', '{"a":1', '{"a":1,}', "{,}", "{1:2}", '{"a" 1}', '{"a":1]', "[1}", "1 2", "NaN",
  [0x22, 0xff, 0x22], [0x22, 0xc0, 0xaf, 0x22], [0x22, 0xed, 0xa0, 0x80, 0x22], [0x22, 0xf5, 0x80, 0x80, 0x80, 0x22], [0x22, 0xc3, 0x22],
];

test("JSON is read and written as JSON.parse and JSON.stringify do", () => {
  for (const text of good) {
    give(Buffer.from(text));
    assert(guest.rewrite(), text);
    assert.deepEqual(JSON.parse(result().toString()), JSON.parse(text));
    if (!/[.eE]|-0/.test(text.replace(/"[^"]*"/g, ""))) assert.equal(result().toString(), JSON.stringify(JSON.parse(text)));
  }
});

test("what is no JSON is refused", () => {
  for (const text of bad) {
    give(Buffer.from(text));
    assert(!guest.rewrite(), JSON.stringify(text));
  }
});

test("a surrogate that is alone becomes U+FFFD", () => {
  give(Buffer.from(String.raw`["\ud83d","\ud83dx","\ude00\ud83d"]`));
  assert(guest.rewrite());
  assert.deepEqual(JSON.parse(result().toString()), ["\ufffd", "\ufffdx", "\ufffd\ufffd"]);
});

test("made inputs are read as JSON.parse reads them", () => {
  const seed = Number(process.env.SEED ?? Date.now() % 1e9);
  console.log("seed", seed);
  let state = seed;
  const below = (n) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
  const likely = '{}[]",:\\u0123456789-.eEtrufalsn \n';
  for (let i = 0; i < 20000; i++) {
    let text = good[below(good.length)];
    for (let n = below(3) + 1; n > 0; n--) {
      const at = below(text.length + 1), cut = below(3);
      text = text.slice(0, at) + (below(2) ? likely[below(likely.length)] : "") + text.slice(at + cut);
    }
    if (/[\ud800-\udfff]/.test(text.replace(/[\ud800-\udbff][\udc00-\udfff]/g, ""))) continue; // half of a pair is no UTF-8
    let want = true;
    try {
      JSON.parse(text);
    } catch {
      want = false;
    }
    give(Buffer.from(text));
    assert.equal(Boolean(guest.rewrite()), want, JSON.stringify(text));
  }
});

test("pointers find values", () => {
  const text = '{"a":[1,{"b/c":"x"}],"~":2,"a":[0,{"b/c":"y"}],"":3}';
  for (const [pointer, want] of [["/a/1/b~1c", '"y"'], ["/~0", "2"], ["/", "3"], ["", text], ["/a/2", null], ["/a/01", null], ["a", null]]) {
    give(Buffer.from(`${text}\0${pointer}`));
    assert.equal(guest.pointed() ? result().toString() : null, want, pointer);
  }
});
