import { Buffer, Bytes, Context, Record } from "../../../../sdk-as/assembly";
import { after, emitValue, first } from "./words";

/** Adds 1 to the decimal number of a key, and returns the new one; null if that failed. */
function increment(key: Bytes, cx: Context): Bytes | null {
  const store = cx.store("state"), old = store.get(key);
  const n = old === null ? 0 : I64.parseInt(old.text());
  const value = Bytes.of((n + 1).toString());
  return store.put(key, value) ? value : null;
}

/** A bound of a scan; "-" is open. */
function bound(word: string): Bytes | null {
  return word == "-" ? null : Bytes.of(word);
}

export function state(text: string, cx: Context): void {
  const store = cx.store("state");
  const command = first(text), rest = after(text), key = Bytes.of(first(rest));
  if (command == "put") {
    store.put(key, Bytes.of(after(rest)));
  } else if (command == "get") {
    emitValue(cx, "get", store.get(key));
  } else if (command == "delete") {
    store.delete(key);
  } else if (command == "count") {
    const n = increment(key, cx);
    if (n !== null) emitValue(cx, "count", n);
  } else if (command == "scan") {
    const entry = new Buffer();
    for (const scan = store.scan(bound(first(rest)), bound(after(rest))); scan.next(); ) {
      entry.clear().append(scan.key).appendText("=").append(scan.value);
      emitValue(cx, "scan", entry.view());
    }
  } else if (command == "many") {
    const values = store.getMany(rest.split(" ").map<Bytes>((word) => Bytes.of(word)));
    for (let i = 0; i < values.length; i++) emitValue(cx, "many", values[i]);
  } else if (command == "big") {
    store.put(key, Bytes.of("x".repeat(I32.parseInt(after(rest)))));
  } else {
    cx.fail("no command " + command);
  }
}

export function count(key: Bytes, cx: Context): void {
  increment(key, cx);
}

/** Gives out two entries a call. The token is the first key of the next one. */
export function countEnd(cx: Context, token: Bytes | null): Bytes | null {
  const scan = cx.store("state").scan(token), out = new Record();
  for (let n = 0; scan.next(); n++) {
    if (n == 2) return scan.key;
    out.key = scan.key;
    out.value = scan.value;
    cx.emit(out);
  }
  return null;
}
