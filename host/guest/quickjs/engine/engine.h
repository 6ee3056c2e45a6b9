// What the parts of the engine share. There is one runtime and one context an
// instance; everything runs in the calls of main.c.
#ifndef ENGINE_H
#define ENGINE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "quickjs.h"
#include "host.h"

#define CAUSE_BATCH UINT32_MAX
#define NO_TIME INT64_MIN
#define NO_LENGTH UINT32_MAX // of a null key or value

// Engine is the instance.
typedef struct {
	JSContext *ctx;
	JSValue sdk;     // globalThis.__wasmill: where the SDK registers the step's functions
	JSValue cx;      // the step's context
	JSValue reason;  // of prelude.js: what an exception says, as [code, text]
	uint32_t limit;  // bytes of key, value and headers of a record
	JSValue outputs, stores; // arrays of names

	// Of the running call:
	bool serving;      // records may be emitted
	uint32_t call;     // number of the call: records of others are over
	uint32_t cause;    // index of the record that emits belong to, or CAUSE_BATCH
	int64_t cause_time;
	int32_t refused;   // first error number of a frame that the host refused, 0 for none
} Engine;

extern Engine E;

// frame.c: frames of records.
typedef struct {
	const uint8_t *rest, *end;
	uint32_t count, index; // records in all, and of the next one
	uint32_t partition;
	const uint8_t *name;
	uint32_t name_len;
} Frame;

// Fields is a record where it lies in its frame.
typedef struct {
	const uint8_t *key, *value, *headers, *headers_end;
	uint32_t key_len, value_len, header_count; // lengths may be NO_LENGTH
	int64_t time, position;
	uint16_t stream, flags;
} Fields;

bool frame_open(Frame *f, const uint8_t *p, uint32_t n);
bool frame_next(Frame *f, Fields *r); // false at the end and for what is malformed; index tells which
bool frame_over(const Frame *f);      // whether it ended as it should

// record.c: the class of records.
int record_setup(void);
JSValue record_new(const Fields *fields, uint32_t index, JSValueConst partition);
const Fields *record_fields(JSValueConst v, uint32_t *index); // NULL: not a record; throws if its batch is over
JSValue partition_new(const Frame *f);
bool is_record(JSValueConst v);

// bytes.c: values as bytes.
typedef struct {
	const uint8_t *p;
	uint32_t n;         // NO_LENGTH for null
	const char *string; // to be freed, if any
	JSValue held;
} Bytes;

// bytes_key takes a string, bytes, null or undefined; bytes_of also anything
// that JSON can say. what names the value in a TypeError; 0 or -1.
int bytes_key(JSValueConst v, Bytes *b, const char *what);
int bytes_of(JSValueConst v, Bytes *b, const char *what);
void bytes_free(Bytes *b);
JSValue new_bytes(const uint8_t *p, uint32_t n); // Uint8Array, or null for NO_LENGTH
JSValue new_text(const uint8_t *p, uint32_t n);  // string, or null for NO_LENGTH

// json.c: 1 if it wrote v as JSON to bytes that are good until its next call, 0
// if v is not plain or has no JSON, -1 with an exception.
int json_setup(void);
int json_bytes(JSValueConst v, Bytes *b);

// emit.c: what goes out.
int emit_setup(void);
void emit_begin(void);
int32_t emit_flush(void);
extern const JSCFunctionListEntry emit_functions[];
extern const int emit_functions_len;

// store.c: the class of stores.
int store_setup(void);
JSValue store_proto(void);
JSValue store_open(JSContext *ctx, JSValueConst self, int argc, JSValueConst *argv);

// observe.c: logs, metrics, the clock; of the context and for prelude.js.
extern const JSCFunctionListEntry observe_functions[], native_functions[];
extern const int observe_functions_len, native_functions_len;

// random.c: Math.random.
void random_seed(const uint8_t *seed, uint32_t n);
JSValue random_next(JSContext *ctx, JSValueConst self, int argc, JSValueConst *argv);

// failure.c: exceptions.
JSValue throw_errno(const char *call, const char *on, int32_t result); // result is negative
void fail_record(uint32_t index);   // takes the exception and rejects the record with it
int32_t fail_call(void);            // takes the exception, logs it and returns a negative status
JSValue settle(JSValue v);          // runs jobs until the result of a step's function is there
int settle_setup(void);

// load.c: the context and the step.
JSValue read_text(JSContext *ctx, JSValueConst self, int argc, JSValueConst *argv);
int context_setup(const uint8_t *payload, uint32_t len);
int load_step(void);

static inline uint16_t get16(const uint8_t *p) { uint16_t v; __builtin_memcpy(&v, p, 2); return v; }
static inline uint32_t get32(const uint8_t *p) { uint32_t v; __builtin_memcpy(&v, p, 4); return v; }
static inline int64_t get64(const uint8_t *p) { int64_t v; __builtin_memcpy(&v, p, 8); return v; }
static inline void put16(uint8_t *p, uint16_t v) { __builtin_memcpy(p, &v, 2); }
static inline void put32(uint8_t *p, uint32_t v) { __builtin_memcpy(p, &v, 4); }
static inline void put64(uint8_t *p, int64_t v) { __builtin_memcpy(p, &v, 8); }
static inline uint32_t pad8(uint32_t n) { return (n + 7) & ~7u; }

#endif
