// Metrics of the step.

import { Bytes } from "./bytes";
import * as host from "./host";

/** A number of the host's that the step moves. */
class Metric {
  handle: i32 = -1; // given by the host when the instance begins

  constructor(
    public kind: i32,
    public name: string,
  ) {
    metrics.push(this);
  }
}

const metrics: Metric[] = [];

/** Asks the host for the handles; returns the name of one that it refuses. */
export function defineMetrics(): string | null {
  for (let i = 0; i < metrics.length; i++) {
    const m = metrics[i], name = Bytes.of(m.name);
    m.handle = host.metricDefine(m.kind, name.ptr, name.length);
    if (m.handle < 0) return m.name;
  }
  return null;
}

/**
 * A metric that only grows. It belongs to the top of the module. The name
 * matches [a-z][a-z0-9_]*.
 */
export class Counter {
  private metric: Metric;

  constructor(name: string) {
    this.metric = new Metric(0, name);
  }

  /** Adds n, which is not negative. */
  add(n: i64 = 1): void {
    if (this.metric.handle >= 0) host.metricAdd(this.metric.handle, n);
  }
}

/** A metric that goes up and down. */
export class Gauge {
  private metric: Metric;

  constructor(name: string) {
    this.metric = new Metric(1, name);
  }

  /** Adds n, which may be negative. */
  add(n: i64): void {
    if (this.metric.handle >= 0) host.metricAdd(this.metric.handle, n);
  }
}
