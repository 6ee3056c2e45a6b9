import assert from "node:assert/strict";
import { test } from "node:test";
import { start } from "wasmill/testing";
import "./step.js";

const config = { regions: { de: "europe" }, otherwise: "elsewhere" };

test("clicks get the region of their country", async () => {
  const host = await start({ config });
  const got = await host.batch([
    { value: '{"user":"u1","page":"/é","ms":12,"country":"de"}' },
    { value: '{"ms":0,"page":"/p","user":"u2","country":"constructor","more":[1]}' },
  ]);
  assert.deepEqual(
    got.emitted.map((e) => e.text),
    ['{"user":"u1","page":"/é","ms":12,"region":"europe"}', '{"user":"u2","page":"/p","ms":0,"region":"elsewhere"}'],
  );
});

test("what is no click is rejected with the reason", async () => {
  const host = await start({ config });
  const wants: [line: string | null, text: string][] = [
    ["GET /p", "not JSON"],
    ["[1]", "not JSON"],
    [null, "not JSON"],
    ["{}", "user is missing"],
    ['{"user":""}', "user is missing"],
    ['{"user":"u","page":7}', "page is missing"],
    ['{"user":"u","page":"/p"}', "ms is not a number"],
    ['{"user":"u","page":"/p","ms":-1}', "ms is not a number"],
    ['{"user":"u","page":"/p","ms":12.0}', "ms is not a number"],
    ['{"user":"u","page":"/p","ms":2147483648}', "ms is not a number"],
  ];
  const got = await host.batch(wants.map(([value]) => ({ value })));
  assert.deepEqual(
    got.failed.map((f) => [f.code, f.text]),
    wants.map(([, text]) => [0, text]),
  );
});
