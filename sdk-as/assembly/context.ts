// The step's way to the host.

import { Bytes } from "./bytes";
import { cause, setCause } from "./cause";
import { EBADF, E2BIG, EINVAL, errorText } from "./errno";
import * as host from "./host";
import { Json, JsonType, find } from "./json";
import { CAUSE_BATCH, Frame, NoTime, Record, Writer } from "./record";
import { Store } from "./store";

/** The size in bytes at which emitted records are handed over before the batch ends. */
const MAX_FRAME: u32 = 1 << 20;

/** The step's way to the host. It is the same object in all calls. */
export class Context {
  tenant: string = "";
  job: string = "";
  step: string = "";
  /** The number of the task that the instance serves. */
  task: i64 = 0;
  /** How many partitions the step's input has. */
  partitions: i64 = 0;
  /** What the step reads: a record's stream is an index of it. */
  inputs: string[] = [];
  /** The step's outputs, the default one first. */
  outputs: string[] = [];
  /** The step's config as JSON; null if it has none. */
  config: Bytes | null = null;

  private stores: string[] = [];
  private maxRecord: i64 = 0;
  private out: Writer = new Writer();
  private frame: Frame = new Frame();
  private causeTime: i64 = NoTime;
  private errno: i32 = 0; // the call ends with it
  private why: string = ""; // its text

  /** Where the records of the batch come from. The name is any bytes, and a view. */
  get partitionName(): Bytes {
    return this.frame.partitionName;
  }

  get partitionNumber(): u32 {
    return this.frame.partitionNumber;
  }

  /** How many records the batch has. */
  get count(): u32 {
    return this.frame.count;
  }

  /**
   * The batch's next record, null behind the last: for the function of batch().
   * What is emitted from then on is noted as caused by it. The Record is the
   * same one each time, filled anew.
   */
  next(): Record | null {
    const frame = this.frame;
    const more = frame.next();
    if (more > 0) {
      setCause(frame.record.index);
      this.causeTime = frame.record.time;
      return frame.record;
    }
    if (more < 0) this.stick(EINVAL, "wasmill: batch: " + errorText(EINVAL));
    setCause(CAUSE_BATCH);
    this.causeTime = NoTime;
    return null;
  }

  /** Begins with the first record again. */
  rewind(): void {
    this.frame.rewind();
    setCause(CAUSE_BATCH);
    this.causeTime = NoTime;
  }

  /**
   * Sends a copy of a record to the step's first output. One that is longer
   * than the job allows rejects the record that it comes from; the result is
   * false then.
   */
  emit(record: Record): bool {
    return this.send(record, 0);
  }

  /** Sends a copy of a record to the output of that name. */
  emitTo(output: string, record: Record): bool {
    const i = this.outputs.indexOf(output);
    if (i < 0) return this.check("emit", output, -EBADF) >= 0;
    return this.send(record, <u16>i);
  }

  private send(record: Record, output: u16): bool {
    const size = record.size;
    if (this.maxRecord > 0 && size > this.maxRecord) return this.check("emit", "", -E2BIG) >= 0;
    if (this.out.count > 0 && <i64>this.out.length + size > <i64>MAX_FRAME) this.flush();
    this.out.add(record, record.time == 0 ? this.causeTime : record.time, cause(), output);
    return true;
  }

  /**
   * Rejects the record that the step is at. The code is the step's own, from 1
   * on, or 0. In onInit, onEnd, or a batch outside of its records it says why
   * the call as a whole fails.
   */
  fail(text: string, code: i32 = 0): void {
    this.failBytes(Bytes.of(text), code);
  }

  failBytes(text: Bytes, code: i32 = 0): void {
    if (cause() != CAUSE_BATCH) this.failIndex(cause(), text, code);
    else this.stick(EINVAL, text.text());
  }

  /** Rejects any record of the batch. */
  failRecord(record: Record, text: string, code: i32 = 0): void {
    this.failIndex(record.index, Bytes.of(text), code);
  }

  private failIndex(index: u32, text: Bytes, code: i32): void {
    const result = host.fail(index, code, text.ptr, text.length);
    if (result < 0) this.stick(-result, "wasmill: fail: " + errorText(-result));
  }

  /** The store of that name. If the job declares none, each call on it fails. */
  store(name: string): Store {
    return new Store(this, name, this.stores.indexOf(name));
  }

  /** Lines for the job's log. The host drops those above a rate. */
  debug(text: string): void {
    this.log(0, text);
  }

  info(text: string): void {
    this.log(1, text);
  }

  warn(text: string): void {
    this.log(2, text);
  }

  error(text: string): void {
    this.log(3, text);
  }

  private log(level: i32, text: string): void {
    const bytes = Bytes.of(text);
    host.log(level, bytes.ptr, bytes.length);
  }

  /** Whether lines of debug go anywhere. */
  get debugEnabled(): bool {
    return host.logEnabled(0) > 0;
  }

  /**
   * The batch's time in nanoseconds since 1970: the largest event time in it.
   * It advances by a microsecond a call.
   */
  now(): i64 {
    return host.now();
  }

  /** A value of the config by a JSON Pointer such as "/limits/0", as JSON; null if there is none. */
  configAt(pointer: string): Bytes | null {
    const config = this.config;
    return config === null ? null : find(config, pointer);
  }

  configText(pointer: string, fallback: string): string {
    const raw = this.configAt(pointer), text = new Bytes();
    if (raw === null) return fallback;
    const json = new Json().open(raw);
    return json.string(text) ? text.text() : fallback;
  }

  configInt(pointer: string, fallback: i64): i64 {
    const raw = this.configAt(pointer);
    if (raw === null) return fallback;
    const json = new Json().open(raw), n = json.int();
    return json.ok ? n : fallback;
  }

  configBool(pointer: string, fallback: bool): bool {
    const raw = this.configAt(pointer);
    if (raw === null) return fallback;
    const json = new Json().open(raw), yes = json.bool();
    return json.ok ? yes : fallback;
  }

  // Below is what the SDK itself calls.

  /** The result of a call; a failure rejects the record that the step is at. */
  check(call: string, on: string, result: i32): i32 {
    if (result < 0) {
      const text = "wasmill: " + call + (on.length > 0 ? " " + on : "") + ": " + errorText(-result);
      if (cause() != CAUSE_BATCH) this.failIndex(cause(), Bytes.of(text), 0);
      else this.stick(-result, text);
    }
    return result;
  }

  private stick(errno: i32, why: string): void {
    if (this.errno != 0) return;
    this.errno = errno;
    this.why = why;
  }

  private flush(): void {
    if (this.out.count == 0) return;
    this.out.end();
    const result = host.emit(this.out.ptr, this.out.length);
    this.out.clear();
    if (result < 0) this.stick(-result, "wasmill: emit: " + errorText(-result));
  }

  /** Clears what belongs to one call. */
  begin(): void {
    setCause(CAUSE_BATCH);
    this.causeTime = NoTime;
    this.errno = 0;
    this.why = "";
    this.out.clear();
    this.frame.count = 0;
  }

  beginBatch(ptr: usize, size: u32): bool {
    if (this.frame.open(ptr, size)) return true;
    this.stick(EINVAL, "wasmill: batch: " + errorText(EINVAL));
    return false;
  }

  /** The status of the call. The text of a failure is logged: only its number crosses the border. */
  status(): i32 {
    if (this.errno == 0) this.flush();
    if (this.errno != 0) this.error(this.why);
    return -this.errno;
  }

  /**
   * Reads the payload of init. Fields that it does not know are left out, as a
   * later host may send more.
   */
  read(payload: Bytes): bool {
    const json = new Json().open(payload), text = new Bytes();
    let ok = json.object();
    while (ok && json.member()) {
      const key = json.key;
      if (key.is("tenant")) {
        if ((ok = json.string(text))) this.tenant = text.text();
      } else if (key.is("job")) {
        if ((ok = json.string(text))) this.job = text.text();
      } else if (key.is("step")) {
        if ((ok = json.string(text))) this.step = text.text();
      } else if (key.is("task")) {
        this.task = json.int();
        ok = json.ok;
      } else if (key.is("partitions")) {
        this.partitions = json.int();
        ok = json.ok;
      } else if (key.is("inputs")) {
        ok = names(json, this.inputs);
      } else if (key.is("outputs")) {
        ok = names(json, this.outputs);
      } else if (key.is("stores")) {
        ok = names(json, this.stores);
      } else if (key.is("config")) {
        ok = json.raw(text);
        this.config = text.is("null") ? null : text.copy();
      } else if (key.is("limits")) {
        ok = json.object();
        while (ok && json.member()) {
          if (json.key.is("record")) {
            this.maxRecord = json.int();
            ok = json.ok;
          } else {
            json.skip();
          }
        }
      } else {
        json.skip();
      }
    }
    if (ok && json.end()) return true;
    this.stick(EINVAL, "wasmill: the payload of init is not the JSON that the interface describes");
    return false;
  }
}

/** Reads an array of strings, or null. */
function names(json: Json, to: string[]): bool {
  const text = new Bytes();
  if (json.next() == JsonType.Null) return json.skip();
  if (!json.array()) return false;
  while (json.element()) {
    if (!json.string(text)) return false;
    to.push(text.text());
  }
  return true;
}
