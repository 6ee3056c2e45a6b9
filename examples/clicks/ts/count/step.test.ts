import assert from "node:assert/strict";
import { test } from "node:test";
import { start } from "wasmill/testing";
import "./step.js";

test("views and milliseconds add up by page", async () => {
  const host = await start({ stores: ["totals"] });
  const click = (page: string, ms: number) => ({ value: { user: "u", page, ms, region: "asia" } });
  const { emitted } = await host.batch([click("/p", 5), click("/q", 1), click("/p", 7)]);
  assert.deepEqual(
    emitted.map((e) => `${e.keyText} ${e.text}`),
    [
      '/p {"page":"/p","views":1,"ms":5,"region":"asia"}',
      '/q {"page":"/q","views":1,"ms":1,"region":"asia"}',
      '/p {"page":"/p","views":2,"ms":12,"region":"asia"}',
    ],
  );
  assert.deepEqual(host.store("totals"), { "/p": "2 12", "/q": "1 1" });
});
