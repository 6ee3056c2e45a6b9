// The SDK for steps of a wasmill job that are written in C or C++.
//
// A step defines wasmill_step, or wasmill_step_batch, and if it likes
// wasmill_on_init, wasmill_on_end and wasmill_on_resumed:
//
//     #include "wasmill.h"
//
//     int wasmill_step(wasmill_context *cx, const wasmill_record *record) {
//         wasmill_record out = {0};
//         out.key = record->key;
//         out.value = record->value;
//         return wasmill_emit(cx, &out);
//     }
//
// A batch is a transaction. If a record is rejected, all that the batch did is
// dropped, the rejected records go to the job's error policy, and the others
// run again as one batch. So what a step keeps in variables between records
// must not outlive the batch: the host may run a batch again, and may replace
// the instance between any two batches. What has to last is kept in a store.
//
// Functions that can fail return 0 or above, or the negative of an error
// number. A step that returns such a number rejects its record with a text
// that names the call:
//
//     int rc = wasmill_put(cx, "totals", key, value);
//     if (rc < 0) return rc;
//
// There is one thread and one context. Works for C11 and C++17.
#ifndef WASMILL_H
#define WASMILL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Bytes that belong to someone else. data is NULL for null, which differs from
// empty: that is a size of 0 behind any other address.
typedef struct wasmill_bytes {
    const char *data;
    size_t size;
} wasmill_bytes;

wasmill_bytes wasmill_text(const char *text);           // a view of a string, NULL gives null
bool wasmill_is(wasmill_bytes bytes, const char *text); // the same bytes as the string; null is no string
bool wasmill_equal(wasmill_bytes a, wasmill_bytes b);   // null equals null alone

// Bytes that grow. {0} is an empty one. What it holds moves when it grows.
// Where there is no memory left, the functions end as WASMILL_ABORT does.
typedef struct wasmill_buffer {
    char *data;
    size_t size, room;
} wasmill_buffer;

void wasmill_reserve(wasmill_buffer *buffer, size_t more); // room for so many bytes more
void wasmill_append(wasmill_buffer *buffer, const void *data, size_t size);
void wasmill_append_text(wasmill_buffer *buffer, const char *text);
void wasmill_append_int(wasmill_buffer *buffer, int64_t number); // decimal
wasmill_bytes wasmill_view(const wasmill_buffer *buffer);        // never null; good until it grows
void wasmill_release(wasmill_buffer *buffer);                    // gives the memory back; {0} again

// The headers of a record, in order. Names may repeat. {0} has none; a copy
// shares the bytes, so that handing headers on costs nothing.
typedef struct wasmill_headers {
    uint32_t count;
    wasmill_bytes raw;
} wasmill_headers;

typedef struct wasmill_header {
    wasmill_bytes name, value; // value may be null
} wasmill_header;

// wasmill_header_next fills header with the one at *at, a place that begins
// with 0, and moves it on; false at the end. wasmill_header_get finds the first
// one of a name. Both give views.
bool wasmill_header_next(const wasmill_headers *headers, size_t *at, wasmill_header *header);
bool wasmill_header_get(const wasmill_headers *headers, const char *name, wasmill_bytes *value);

// wasmill_header_add puts a header behind the others. The bytes of all are in
// memory, which holds nothing else; headers that lie elsewhere are copied there.
void wasmill_header_add(wasmill_headers *headers, wasmill_buffer *memory, wasmill_bytes name, wasmill_bytes value);

// What a record does to the row that its key names.
enum { WASMILL_INSERT = 1, WASMILL_UPDATE = 2, WASMILL_DELETE = 4 };

// The event time of a record that has none.
#define WASMILL_NO_TIME INT64_MIN

// One record. Views of an input are good until the function that got it
// returns. {0} is a record to emit with null key, null value, no headers, and
// the event time of the record that caused it.
typedef struct wasmill_record {
    wasmill_bytes key, value;
    wasmill_headers headers;
    int64_t time;     // milliseconds since 1970, or WASMILL_NO_TIME; on the way out 0 inherits
    int64_t position; // in its partition; not for records to emit, as the two below
    uint32_t index;   // in the batch
    uint16_t stream;  // number of the input: wasmill_input gives its name
    uint16_t flags;
} wasmill_record;

typedef struct wasmill_context wasmill_context;

// What the step defines.

enum {
    WASMILL_DONE = 0,
    WASMILL_MORE = 1,         // of wasmill_on_end: call again
    WASMILL_REJECTED = -4096, // what wasmill_fail returns
};

// wasmill_step is called for each record, in order. 0 accepts it. A negative
// number rejects it with code 0 and the text of the call that failed; a number
// above 0 rejects it with that code.
int wasmill_step(wasmill_context *cx, const wasmill_record *record);

// wasmill_step_batch is called once for each batch, in the place of
// wasmill_step, and walks over it with wasmill_next. Anything but 0 refuses the
// whole batch, which the host then tries in halves.
int wasmill_step_batch(wasmill_context *cx);

// wasmill_each calls step for each record that is left of the batch, as the SDK
// calls wasmill_step: for a wasmill_step_batch that is not always one.
int wasmill_each(wasmill_context *cx, int (*step)(wasmill_context *cx, const wasmill_record *record));

// wasmill_on_init is called once, before the first batch. It may read the
// config, log and define metrics, no more. Anything but 0 is a fault of the
// module: the job does not start with it.
int wasmill_on_init(wasmill_context *cx);

// wasmill_on_end is called when a bounded input is over. A call has to be
// short; if there is more to do, it passes wasmill_resume a token that says
// where to go on and returns WASMILL_MORE. The first token is empty. Another
// instance may make the next call.
int wasmill_on_end(wasmill_context *cx, wasmill_bytes token);

// wasmill_on_resumed is called behind an image of the instance. rand of the C
// library has been seeded; generators of the step's own begin with the seed.
void wasmill_on_resumed(wasmill_context *cx, const unsigned char seed[32]);

// Records.

// wasmill_emit sends a copy of the record to the step's first output,
// wasmill_emit_to to the output of that name. -E2BIG: longer than the job
// allows; -EBADF: no such output.
int wasmill_emit(wasmill_context *cx, const wasmill_record *record);
int wasmill_emit_to(wasmill_context *cx, const char *output, const wasmill_record *record);

// wasmill_fail rejects the record that the step is at. The code is the step's
// own, from 1 on, or 0. It returns WASMILL_REJECTED, for the step to return.
// In wasmill_on_init, wasmill_on_end, or a batch outside of its records it says
// why the call as a whole fails.
int wasmill_fail(wasmill_context *cx, int32_t code, const char *text);
int wasmill_fail_bytes(wasmill_context *cx, int32_t code, wasmill_bytes text);

// wasmill_fail_record rejects any record of the batch.
void wasmill_fail_record(wasmill_context *cx, const wasmill_record *record, int32_t code, const char *text);

// wasmill_next fills record with the batch's next one and makes it the cause of
// what is emitted from then on; false behind the last, and the batch as a whole
// is the cause again. wasmill_rewind begins anew.
bool wasmill_next(wasmill_context *cx, wasmill_record *record);
void wasmill_rewind(wasmill_context *cx);
uint32_t wasmill_count(const wasmill_context *cx); // records of the batch

// Where the records of the batch come from: topic and its partition, file by
// its path, exchange. The name is any bytes.
wasmill_bytes wasmill_partition_name(const wasmill_context *cx);
uint32_t wasmill_partition_number(const wasmill_context *cx);

// Stores, by name: keyed state that belongs to the task and lasts. What a batch
// writes is dropped again if the batch fails. -EBADF: no such store; -E2BIG:
// longer than the job allows; -ENOSPC: the batch writes too much.

// wasmill_get returns 1 and a view that is good until the next wasmill_get, or
// 0 and null if there is no such key.
int wasmill_get(wasmill_context *cx, const char *store, wasmill_bytes key, wasmill_bytes *value);
int wasmill_put(wasmill_context *cx, const char *store, wasmill_bytes key, wasmill_bytes value);
int wasmill_delete(wasmill_context *cx, const char *store, wasmill_bytes key);

// wasmill_get_many looks count keys up in one crossing to the host. values has
// room for one each: null where there is none. They are views that are good
// until the next wasmill_get_many.
int wasmill_get_many(wasmill_context *cx, const char *store, const wasmill_bytes *keys, size_t count, wasmill_bytes *values);

// A scan over a store. wasmill_scan begins it at the first key that is not
// below start; end, which is left out itself, may be null or empty for an open
// one. wasmill_scan_next returns 1 and the next entry in the order of the keys'
// bytes, 0 at the end, or an error; its views are good until the next call. The
// loop may write to the store; a write to a key that the scan has not come to
// may or may not be seen. wasmill_scan_close frees what it holds: a scan that
// came to its end has done so itself.
typedef struct wasmill_cursor {
    const char *store;
    wasmill_buffer page, start, end;
    size_t at; // in page
    bool open;
} wasmill_cursor;

void wasmill_scan(wasmill_cursor *cursor, const char *store, wasmill_bytes start, wasmill_bytes end);
int wasmill_scan_next(wasmill_context *cx, wasmill_cursor *cursor, wasmill_bytes *key, wasmill_bytes *value);
void wasmill_scan_close(wasmill_cursor *cursor);

// wasmill_resume sets the token of the next wasmill_on_end; 64 KiB at most.
int wasmill_resume(wasmill_context *cx, wasmill_bytes token);

// Logs and metrics. The host drops lines above a rate. Standard output and
// error go to the same log.
enum { WASMILL_DEBUG = 0, WASMILL_INFO = 1, WASMILL_WARN = 2, WASMILL_ERROR = 3 };

void wasmill_log(wasmill_context *cx, int level, const char *text);
void wasmill_log_bytes(wasmill_context *cx, int level, wasmill_bytes text);
bool wasmill_debug_enabled(wasmill_context *cx);

// A counter only grows, a gauge goes up and down. The name matches
// [a-z][a-z0-9_]*; the same name gives the same handle. wasmill_add takes a
// handle, and does nothing with a negative one.
int wasmill_counter(wasmill_context *cx, const char *name);
int wasmill_gauge(wasmill_context *cx, const char *name);
int wasmill_add(wasmill_context *cx, int metric, int64_t delta);

// wasmill_now returns the batch's time in nanoseconds since 1970: the largest
// event time in it. It advances by a microsecond a call.
int64_t wasmill_now(wasmill_context *cx);

// Where the step runs. Names end in a zero; wasmill_input and wasmill_output
// give the name of a number, NULL from the count on; output 0 is the default.
const char *wasmill_tenant(const wasmill_context *cx);
const char *wasmill_job(const wasmill_context *cx);
const char *wasmill_step_name(const wasmill_context *cx);
uint32_t wasmill_task(const wasmill_context *cx);
uint32_t wasmill_partitions(const wasmill_context *cx);
const char *wasmill_input(const wasmill_context *cx, size_t number);
const char *wasmill_output(const wasmill_context *cx, size_t number);

// wasmill_config is the step's config as JSON, null if it has none; the reader
// of wasmill_json.h decodes it. The other three give one value of it by a JSON
// Pointer such as "/limits/0", or the fallback if there is none of that type.
// A text lives as long as the instance: read it once, in wasmill_on_init.
wasmill_bytes wasmill_config(const wasmill_context *cx);
const char *wasmill_config_text(const wasmill_context *cx, const char *pointer, const char *fallback);
int64_t wasmill_config_int(const wasmill_context *cx, const char *pointer, int64_t fallback);
bool wasmill_config_bool(const wasmill_context *cx, const char *pointer, bool fallback);

// Error numbers have the values of Linux, which differ from those of errno.h
// under WASI. wasmill_error says what a negative result means.
enum {
    WASMILL_EPERM = 1,   // not allowed here
    WASMILL_ENOENT = 2,  // absent
    WASMILL_EIO = 5,     // the host failed; the batch will be dropped
    WASMILL_E2BIG = 7,   // longer than a limit of the job
    WASMILL_EBADF = 9,   // no such store, output or metric
    WASMILL_EAGAIN = 11, // try again later
    WASMILL_ENOMEM = 12, // out of memory
    WASMILL_EFAULT = 14, // an address outside of the memory
    WASMILL_EINVAL = 22, // a malformed argument or frame
    WASMILL_ENOSPC = 28, // over a quota
    WASMILL_ENOSYS = 38, // not in this host
    WASMILL_ENOTSUP = 95 // not for this step
};

const char *wasmill_error(int result);

// WASMILL_ABORT ends the instance: the record that the step is at is rejected
// with the text and the place, and the host goes on with a fresh instance.
#define WASMILL_ABORT(text) wasmill_abort((text), __FILE__, __LINE__)

#if defined(__GNUC__)
__attribute__((noreturn, cold))
#endif
void wasmill_abort(const char *text, const char *file, int line);

#if __STDC_HOSTED__
// As the functions without f, with a format of printf. They cost nothing where
// they are not used; where they are, printf adds some 20 KiB to the module.
#if defined(__GNUC__)
#define WASMILL_PRINTF(at) __attribute__((format(printf, at, at + 1)))
#else
#define WASMILL_PRINTF(at)
#endif
int wasmill_failf(wasmill_context *cx, int32_t code, const char *format, ...) WASMILL_PRINTF(3);
void wasmill_logf(wasmill_context *cx, int level, const char *format, ...) WASMILL_PRINTF(3);
void wasmill_appendf(wasmill_buffer *buffer, const char *format, ...) WASMILL_PRINTF(2);
#undef WASMILL_PRINTF
#endif

#ifdef __cplusplus
}
#endif

#endif
