// Turns lines of JSON into clicks with a region.
import { onInit, Reject, step } from "wasmill";

interface Config {
  regions: { [country: string]: string };
  otherwise: string;
}

interface Line {
  user?: unknown;
  page?: unknown;
  ms?: unknown;
  country?: unknown;
}

let regions: Map<unknown, string>;
let otherwise: string;

onInit<Config>(({ config }) => {
  regions = new Map(Object.entries(config.regions));
  otherwise = config.otherwise;
});

step<unknown>((record, cx) => {
  let line: unknown;
  try {
    line = record.json;
  } catch {
    throw new Reject("not JSON");
  }
  if (typeof line !== "object" || line === null || Array.isArray(line)) throw new Reject("not JSON");
  const { user, page, ms, country } = line as Line;
  if (typeof user !== "string" || user === "") throw new Reject("user is missing");
  if (typeof page !== "string" || page === "") throw new Reject("page is missing");
  if (!isWhole(ms, record.text!)) throw new Reject("ms is not a number");
  cx.emit({ value: { user, page, ms, region: regions.get(country) ?? otherwise } });
});

// JSON.parse makes the same number of 12, 12.0 and 1.2e1; the text tells the
// first from the others.
function isWhole(ms: unknown, text: string): boolean {
  return Number.isInteger(ms) && (ms as number) >= 0 && (ms as number) < 2 ** 31 && /"ms"\s*:\s*\d+\s*[,}]/.test(text);
}
