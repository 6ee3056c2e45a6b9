// What a step throws and what it gets thrown.

/** @type {{ [errno: number]: string }} */
const texts = {
  1: "not allowed here",
  2: "absent",
  5: "the host failed",
  7: "longer than limits in the job file allow (max_record, max_emit, max_key, max_value)",
  9: "the job file declares nothing of this name",
  11: "try again later",
  12: "out of memory",
  14: "an address outside of the memory",
  22: "a malformed argument",
  28: "over a quota",
  38: "this host does not have the call",
  95: "not for this step",
};

export class Reject extends Error {
  /**
   * @param {string} text
   * @param {number} [code]
   */
  constructor(text, code = 0) {
    super(text);
    if (!Number.isInteger(code) || code < 0 || code >= 2 ** 31)
      throw new RangeError(`Reject: the code ${code} is no whole number from 0 to 2147483647`);
    this.name = "Reject";
    this.code = code;
  }
}

export class CallError extends Reject {
  /**
   * @param {string} call
   * @param {string} on
   * @param {number} errno
   */
  constructor(call, on, errno) {
    super(`wasmill: ${call}${on && ` ${on}`}: ${texts[errno] ?? `error number ${errno}`}`);
    this.name = "CallError";
    this.call = call;
    this.on = on;
    this.errno = errno;
  }
}
