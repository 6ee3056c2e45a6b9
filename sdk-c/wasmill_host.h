// The border: what a module imports from the host, and what it exports. On a
// module these are the imports of wasmill_v1; in a native build
// wasmill_native.c defines them. abi/SPEC.md of wasmill gives their meaning.
#ifndef WASMILL_HOST_H
#define WASMILL_HOST_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __wasm__
#define WASMILL_IMPORT(name) __attribute__((import_module("wasmill_v1"), import_name(#name)))
#define WASMILL_EXPORT(name) __attribute__((export_name(#name), used))
#else
#define WASMILL_IMPORT(name)
#define WASMILL_EXPORT(name)
#endif

WASMILL_IMPORT(emit)
int32_t wasmill_host_emit(const void *frame, uint32_t size);
WASMILL_IMPORT(fail)
int32_t wasmill_host_fail(uint32_t index, int32_t code, const void *text, uint32_t size);
WASMILL_IMPORT(state_get)
int32_t wasmill_host_state_get(uint32_t store, const void *key, uint32_t key_size, void *reply, uint32_t room);
WASMILL_IMPORT(state_put)
int32_t wasmill_host_state_put(uint32_t store, const void *key, uint32_t key_size, const void *value, uint32_t size);
WASMILL_IMPORT(state_delete)
int32_t wasmill_host_state_delete(uint32_t store, const void *key, uint32_t key_size);
WASMILL_IMPORT(state_scan)
int32_t wasmill_host_state_scan(uint32_t store, const void *start, uint32_t start_size, const void *end, uint32_t end_size,
                                void *reply, uint32_t room);
WASMILL_IMPORT(state_get_many)
int32_t wasmill_host_state_get_many(uint32_t store, const void *keys, uint32_t size, void *reply, uint32_t room);
WASMILL_IMPORT(resume)
int32_t wasmill_host_resume(const void *token, uint32_t size);
WASMILL_IMPORT(log)
int32_t wasmill_host_log(int32_t level, const void *text, uint32_t size);
WASMILL_IMPORT(log_enabled)
int32_t wasmill_host_log_enabled(int32_t level);
WASMILL_IMPORT(metric_define)
int32_t wasmill_host_metric_define(int32_t kind, const void *name, uint32_t size);
WASMILL_IMPORT(metric_add)
int32_t wasmill_host_metric_add(int32_t metric, int64_t delta);
WASMILL_IMPORT(now)
int64_t wasmill_host_now(void);

// The exports, which wasmill.c defines.
WASMILL_EXPORT(wasmill_abi_1)
void wasmill_abi_1(void);
WASMILL_EXPORT(wasmill_alloc)
void *wasmill_alloc(uint32_t size);
WASMILL_EXPORT(wasmill_init)
int32_t wasmill_init(const void *payload, uint32_t size);
WASMILL_EXPORT(wasmill_process)
int32_t wasmill_process(int32_t op, const void *payload, uint32_t size);

// The operations of wasmill_process.
enum { WASMILL_OP_BATCH = 1, WASMILL_OP_END = 3, WASMILL_OP_RESUMED = 4 };

#ifndef __wasm__
// A native build makes the instance anew, where the host of modules takes a
// fresh one.
void wasmill_host_fresh(void);

// How a native build ends an instance: it does not come back.
#if defined(__GNUC__)
__attribute__((noreturn))
#endif
void wasmill_host_trap(void);
#endif

#ifdef __cplusplus
}
#endif

#endif
