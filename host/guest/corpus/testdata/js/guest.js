// The corpus' guest on QuickJS. It reads a line `workload rounds` from standard
// input and answers with a line, the checksum, until there is no more.
// README.md beside this directory says what the workloads compute.

const OFFSET = 0x811c9dc5;
const PRIME = 0x01000193;

const fnvWord = (sum, word) => Math.imul(sum ^ word, PRIME) >>> 0;

function fnv(sum, data) {
  for (let i = 0; i < data.length; i++) sum = fnvWord(sum, data[i]);
  return sum;
}

function fnvText(sum, text) {
  for (let i = 0; i < text.length; i++) sum = fnvWord(sum, text.charCodeAt(i));
  return sum;
}

const record = (i) =>
  `{"id":${1000000 + (i % 9000000)},"user":"user-0042","ts":1700000000123,"amount":12.34,` +
  `"currency":"EUR","tags":["a","b","c"],"note":"plain"}`;

function transform(text) {
  const r = JSON.parse(text);
  return JSON.stringify({
    id: r.id,
    by: r.user,
    ct: Math.floor(r.amount * 100 + 0.5),
    tags: r.tags.length,
    at: Math.floor(r.ts / 1000),
  });
}

function gapped(a, gap) {
  for (let i = gap; i < a.length; i++) {
    const v = a[i];
    let j = i;
    for (; j >= gap && a[j - gap] > v; j -= gap) a[j] = a[j - gap];
    a[j] = v;
  }
}

const few = new Uint32Array(64);
const many = new Uint32Array(256);

function sort(seed) {
  let x = seed;
  const next = () => (x = (Math.imul(x, 1664525) + 1013904223) >>> 0);
  for (let i = 0; i < few.length; i++) few[i] = next();
  for (let i = 0; i < many.length; i++) many[i] = next();
  gapped(few, 1);
  for (const gap of [121, 40, 13, 4, 1]) gapped(many, gap);
  return fnv(fnv(OFFSET, few), many);
}

const workloads = {
  json(n) {
    let sum = OFFSET;
    for (let i = 0; i < n; i++) sum = fnvText(sum, transform(record(i)));
    return sum;
  },
  hash(n) {
    const buffer = Uint8Array.from({ length: 100 }, (_, i) => i * 7 + 3);
    let sum = OFFSET;
    for (let i = 0; i < n; i++) sum = fnv(sum, buffer);
    return sum;
  },
  sort(n) {
    let sum = OFFSET;
    for (let i = 0; i < n; i++) sum = fnvWord(sum, sort(i));
    return sum;
  },
};

for (let line; (line = std.in.getline()) !== null; ) {
  const [name, rounds] = line.split(" ");
  std.out.puts(workloads[name](Number(rounds)) + "\n");
  std.out.flush();
}
