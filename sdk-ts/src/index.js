// What steps import. index.d.ts says what it is for.

import { engine } from "./engine.js";

export { CallError, Reject } from "./errors.js";

export const Insert = 1;
export const Update = 2;
export const Delete = 4;

/** @type {typeof import("./index.js").step} */
export function step(fn) {
  engine.step = fn;
  engine.batch = undefined;
}

/** @type {typeof import("./index.js").batch} */
export function batch(fn) {
  engine.batch = fn;
  engine.step = undefined;
}

/** @type {typeof import("./index.js").onInit} */
export function onInit(fn) {
  engine.init = fn;
}

/** @type {typeof import("./index.js").onEnd} */
export function onEnd(fn) {
  engine.end = fn;
}

/** @type {typeof import("./index.js").counter} */
export const counter = (name) => engine.metric(0, name);

/** @type {typeof import("./index.js").gauge} */
export const gauge = (name) => engine.metric(1, name);
