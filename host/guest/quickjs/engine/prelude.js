// What steps find in the engine and that is easier said in JavaScript than in
// C. native is what C offers, engine becomes globalThis.__wasmill, to which
// the SDK adds the step's functions. The result tells C what an exception says.
(function (native, engine) {
  const encode = native.encode;
  const decode = native.decode;
  const bytes = (x) =>
    x instanceof Uint8Array ? x
    : ArrayBuffer.isView(x) ? new Uint8Array(x.buffer, x.byteOffset, x.byteLength)
    : new Uint8Array(x);

  globalThis.TextEncoder = class TextEncoder {
    get encoding() {
      return "utf-8";
    }
    encode(text = "") {
      return encode(text);
    }
    encodeInto(text, into) {
      let read = 0;
      let written = 0;
      for (const char of text) {
        const b = encode(char);
        if (written + b.length > into.length) break;
        into.set(b, written);
        written += b.length;
        read += char.length;
      }
      return { read, written };
    }
  };

  globalThis.TextDecoder = class TextDecoder {
    constructor(label = "utf-8", options = {}) {
      if (!/^\s*utf-?8\s*$/i.test(label)) throw new RangeError(`TextDecoder: the encoding ${label} is not there, utf-8 is`);
      this.fatal = !!options.fatal;
      this.ignoreBOM = !!options.ignoreBOM;
    }
    get encoding() {
      return "utf-8";
    }
    decode(input = new Uint8Array(), options = {}) {
      if (options.stream) throw new RangeError("TextDecoder: decoding in parts is not there");
      const b = bytes(input);
      const text = decode(b);
      if (this.fatal && text.includes("\ufffd") && encode(text).some((x, i) => x !== b[i])) throw new TypeError("TextDecoder: not UTF-8");
      return this.ignoreBOM || text[0] !== "\ufeff" ? text : text.slice(1);
    }
  };

  class Entry {
    constructor(key, value) {
      this.key = key;
      this.value = value;
    }
    get keyText() {
      return decode(this.key);
    }
    get text() {
      return decode(this.value);
    }
    get json() {
      return JSON.parse(decode(this.value));
    }
  }

  const page = native.Store._page;
  delete native.Store._page;
  native.Store.scan = function* (start, end) {
    for (let next = start; ; ) {
      const list = page.call(this, next, end);
      if (list.length === 0) return;
      const last = list[list.length - 2];
      next = new Uint8Array(last.length + 1); // the key that follows the last one
      next.set(last);
      for (let i = 0; i < list.length; i += 2) yield new Entry(list[i], list[i + 1]);
    }
  };

  engine.metric = (kind, name) => {
    const handle = native.define(kind, name);
    return { add: (n = 1) => native.add(handle, n) };
  };

  const stated = (e) =>
    engine.Reject !== undefined && e instanceof engine.Reject ? [e.code, e.message, e.errno ?? 22] : null;

  Object.getPrototypeOf(native.cx).fail = (record, error) => {
    const [code, text] = stated(error) ?? [0, error instanceof Error ? error.message : String(error)];
    native.fail(record, code, text);
  };

  function show(x) {
    if (typeof x === "string") return x;
    if (x instanceof Error) return describe(x);
    if (typeof x !== "object" || x === null) return String(x);
    try {
      return JSON.stringify(x) ?? String(x);
    } catch {
      return String(x);
    }
  }
  const writer = (level) => (...args) => native[level](args.map(show).join(" "));
  globalThis.console = { debug: writer("debug"), log: writer("info"), info: writer("info"), warn: writer("warn"), error: writer("error") };

  // The bundle's source map, as lists of [column, source, line, column of the
  // source] for each of its lines; read when the first exception is told.
  let map;
  function readMap() {
    map = { lines: [], sources: [] };
    const text = native.read("/app/step.js.map");
    if (text === undefined) return;
    const { sources, mappings } = JSON.parse(text);
    const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const at = [0, 0, 0, 0]; // column, source, line, column; all but the first go on from line to line
    for (const line of mappings.split(";")) {
      at[0] = 0;
      const list = [];
      for (const segment of line === "" ? [] : line.split(",")) {
        let [field, value, shift] = [0, 0, 0];
        for (const char of segment) {
          const digit = digits.indexOf(char);
          value += (digit & 31) * 2 ** shift;
          shift += 5;
          if (digit & 32) continue;
          if (field < 4) at[field++] += value % 2 ? -(value - 1) / 2 : value / 2;
          [value, shift] = [0, 0];
        }
        if (field === 4) list.push([...at]);
      }
      map.lines.push(list);
    }
    map.sources = sources;
  }

  // source turns a place in the bundle into one in the user's source.
  function source(line, column) {
    let best;
    for (const s of map.lines[line - 1] ?? []) {
      if (best !== undefined && s[0] > column - 1) break;
      best = s;
    }
    return best && `${map.sources[best[1]]}:${best[2] + 1}:${best[3] + 1}`;
  }

  function describe(e) {
    if (!(e instanceof Error)) return `thrown: ${show(e)}`;
    if (map === undefined) readMap();
    let text = `${e.name}: ${e.message}`;
    for (const line of String(e.stack ?? "").split("\n")) {
      if (/\((native|wasmill:.*)\)$/.test(line) || line === "") continue; // what is not of the step
      const mapped = line.replace(/step\.js:(\d+):(\d+)/, (place, l, c) => source(+l, +c) ?? place);
      if (!/[( ]wasmill:|node_modules\/wasmill\/src\//.test(mapped)) text += `\n${mapped.trimEnd()}`;
    }
    if (e.cause !== undefined) text += `\n  cause: ${show(e.cause)}`;
    return text;
  }

  return (e) => stated(e) ?? [-1, describe(e), 22];
});
