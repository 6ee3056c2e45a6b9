import { batch } from "wasmill";

// Cases that register more than a function for records.
export const cases: { [name: string]: () => void } = {
  batch: () =>
    batch((records, cx) => {
      const bytes = records.reduce((n, r) => n + (r.key?.length ?? 0) + (r.value?.length ?? 0), 0);
      cx.emit({ value: `${records.length} ${bytes}` });
    }),
};
