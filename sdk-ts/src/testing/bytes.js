// Values as bytes and back, as the engine does it.

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** @type {(b: Uint8Array) => string} */
export const decode = (b) => decoder.decode(b);

/**
 * @param {any} x
 * @param {string} what
 * @returns {Uint8Array | null}
 */
export function keyBytes(x, what) {
  if (x === null || x === undefined) return null;
  if (typeof x === "string") return encoder.encode(x);
  if (x instanceof Uint8Array) return Uint8Array.from(x);
  throw new TypeError(`${what} is neither a string nor a Uint8Array`);
}

/**
 * @param {any} x
 * @param {string} what
 * @returns {Uint8Array | null}
 */
export function valueBytes(x, what) {
  if (x === null || typeof x === "string" || x instanceof Uint8Array) return keyBytes(x, what);
  const json = JSON.stringify(x);
  if (json === undefined) throw new TypeError(`${what} is ${x === undefined ? "undefined" : "a function or a symbol"}, which JSON cannot say`);
  return encoder.encode(json);
}

/**
 * The bytes of a key as a string that sorts as they do.
 *
 * @param {Uint8Array} b
 */
export const binary = (b) => Buffer.from(b).toString("latin1");

/** @param {string} s */
export const fromBinary = (s) => Uint8Array.from(Buffer.from(s, "latin1"));
