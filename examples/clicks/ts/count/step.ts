// Keeps the views and milliseconds of each page.
import { step } from "wasmill";

interface Click {
  user: string;
  page: string;
  ms: number;
  region: string;
}

step<Click>((record, cx) => {
  const { page, ms, region } = record.json;
  const totals = cx.store("totals");
  const [views = 0, before = 0] = totals.getText(page)?.split(" ").map(Number) ?? [];
  const now = { page, views: views + 1, ms: before + ms, region };
  totals.put(page, `${now.views} ${now.ms}`);
  cx.emit({ key: page, value: now });
});
