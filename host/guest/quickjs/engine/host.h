// The imports of wasmill_v1, as abi/SPEC.md has them.
#ifndef HOST_H
#define HOST_H
#include <stdint.h>

#define HOST(name) __attribute__((import_module("wasmill_v1"), import_name(#name))) int32_t host_##name

HOST(emit)(const void *frame, uint32_t len);
HOST(fail)(uint32_t index, int32_t code, const void *text, uint32_t len);
HOST(state_get)(uint32_t store, const void *key, uint32_t klen, void *buf, uint32_t buflen);
HOST(state_put)(uint32_t store, const void *key, uint32_t klen, const void *value, uint32_t vlen);
HOST(state_delete)(uint32_t store, const void *key, uint32_t klen);
HOST(state_scan)(uint32_t store, const void *start, uint32_t slen, const void *end, uint32_t elen, void *buf, uint32_t buflen);
HOST(state_get_many)(uint32_t store, const void *keys, uint32_t klen, void *buf, uint32_t buflen);
HOST(resume)(const void *token, uint32_t len);
HOST(log)(int32_t level, const void *text, uint32_t len);
HOST(log_enabled)(int32_t level);
HOST(metric_define)(int32_t kind, const void *name, uint32_t len);
HOST(metric_add)(int32_t handle, int64_t delta);

__attribute__((import_module("wasmill_v1"), import_name("now"))) int64_t host_now(void);

enum { LOG_DEBUG, LOG_INFO, LOG_WARN, LOG_ERROR };

// Error numbers: the values of the interface, which are Linux's, not those of
// this libc.
enum { ABI_ENOENT = 2, ABI_E2BIG = 7, ABI_EBADF = 9, ABI_ENOMEM = 12, ABI_EINVAL = 22, ABI_ENOSYS = 38 };

#endif
