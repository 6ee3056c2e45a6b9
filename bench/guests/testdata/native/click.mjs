// Node's own JSON. README.md says what the process does.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const decoder = new TextDecoder();

function project(value) {
  const { user, n } = JSON.parse(decoder.decode(value));
  if (typeof user !== "string" || !Number.isInteger(n)) throw new Error("not a click");
  return JSON.stringify({ user, twice: 2 * n });
}

const encoder = new TextEncoder();
const values = readFileSync(process.argv[4], "utf8").trimEnd().split("\n").map((line) => encoder.encode(line));

for await (const line of createInterface({ input: process.stdin })) {
  if (line === "show") {
    console.log(project(values.at(-1)));
    continue;
  }
  const began = process.hrtime.bigint();
  for (let i = 0; i < Number(line); i++) {
    for (const value of values) encoder.encode(project(value));
  }
  console.log(String(process.hrtime.bigint() - began));
}
