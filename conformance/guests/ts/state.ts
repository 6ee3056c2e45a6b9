import { type Context, onEnd, Reject, type Store } from "wasmill";
import type { Case } from "./step.js";

const open = (word = "-") => (word === "-" ? undefined : word);

type Command = (words: string[], store: Store, emit: (value: string | Uint8Array | null) => void) => void;

const commands: { [word: string]: Command } = {
  put: ([k, v], store) => store.put(k!, v ?? ""),
  get: ([k], store, emit) => emit(store.get(k!) ?? null),
  delete: ([k], store) => store.delete(k!),
  count: ([k], store, emit) => emit(add(store, k!)),
  scan([start, end], store, emit) {
    for (const e of store.scan(open(start), open(end))) emit(`${e.keyText}=${e.text}`);
  },
  many(keys, store, emit) {
    for (const value of store.getMany(keys)) emit(value ?? null);
  },
  big: ([k, n], store) => store.put(k!, "x".repeat(Number(n))),
};

// add counts a key up by one and returns the new count.
function add(store: Store, key: string | Uint8Array): string {
  const n = String(Number(store.getText(key) ?? 0) + 1);
  store.put(key, n);
  return n;
}

// The entries of case end, two a call.
onEnd((cx: Context<{ case?: string }>, token) => {
  if (cx.config?.case !== "end") return null;
  let n = 0;
  for (const { key, value } of cx.store("state").scan(token ?? undefined)) {
    if (n++ === 2) return key;
    cx.emit({ key, value });
  }
  return null;
});

export const cases: { [name: string]: Case } = {
  state({ text }, cx) {
    const [word, ...rest] = (text ?? "").split(" ");
    const command = Object.hasOwn(commands, word!) ? commands[word!]! : undefined;
    if (command === undefined) throw new Reject(`no command ${word}`);
    command(rest, cx.store("state"), (value) => cx.emit({ key: word!, value }));
  },

  end({ key }, cx) {
    add(cx.store("state"), key ?? "");
  },
};
