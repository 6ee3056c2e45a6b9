// The imports of module wasmill_v1. abi/SPEC.md of wasmill gives their meaning.

@external("wasmill_v1", "emit")
export declare function emit(frame: usize, size: u32): i32;
@external("wasmill_v1", "fail")
export declare function fail(index: u32, code: i32, text: usize, size: u32): i32;
@external("wasmill_v1", "state_get")
export declare function stateGet(store: i32, key: usize, keySize: u32, reply: usize, room: u32): i32;
@external("wasmill_v1", "state_put")
export declare function statePut(store: i32, key: usize, keySize: u32, value: usize, size: u32): i32;
@external("wasmill_v1", "state_delete")
export declare function stateDelete(store: i32, key: usize, keySize: u32): i32;
@external("wasmill_v1", "state_scan")
export declare function stateScan(store: i32, start: usize, startSize: u32, end: usize, endSize: u32, reply: usize, room: u32): i32;
@external("wasmill_v1", "state_get_many")
export declare function stateGetMany(store: i32, keys: usize, size: u32, reply: usize, room: u32): i32;
@external("wasmill_v1", "resume")
export declare function resume(token: usize, size: u32): i32;
@external("wasmill_v1", "log")
export declare function log(level: i32, text: usize, size: u32): i32;
@external("wasmill_v1", "log_enabled")
export declare function logEnabled(level: i32): i32;
@external("wasmill_v1", "metric_define")
export declare function metricDefine(kind: i32, name: usize, size: u32): i32;
@external("wasmill_v1", "metric_add")
export declare function metricAdd(metric: i32, delta: i64): i32;
@external("wasmill_v1", "now")
export declare function now(): i64;
