// The life of an instance: its exports, and the calls of wasmill.h.
#include "wasmill.h"

#include "wasmill_frame.h"
#include "wasmill_host.h"
#include "wasmill_json.h"
#include "wasmill_libc.h"

#if __STDC_HOSTED__
#include <stdarg.h>
#include <stdio.h>
#endif

// What the step may leave out is NULL.
__attribute__((weak)) int wasmill_step(wasmill_context *cx, const wasmill_record *record);
__attribute__((weak)) int wasmill_step_batch(wasmill_context *cx);
__attribute__((weak)) int wasmill_on_init(wasmill_context *cx);
__attribute__((weak)) int wasmill_on_end(wasmill_context *cx, wasmill_bytes token);
__attribute__((weak)) void wasmill_on_resumed(wasmill_context *cx, const unsigned char seed[32]);

enum {
    MIN_IN = 64 << 10,    // bytes that the input buffer begins with
    MAX_IN = 256 << 20,   // and the most that it grows to
    MAX_FRAME = 1 << 20,  // bytes at which emitted records are handed over
    SCAN_PAGE = 64 << 10, // room in bytes for the entries of one call
    CODE_ABORT = -1       // of a record that WASMILL_ABORT rejects
};

// Names of the payload of init, each with a zero behind it.
typedef struct names {
    char **list;
    size_t count;
} names;

// The head of memory that lives as long as the instance.
typedef union kept_head {
    union kept_head *next;
    max_align_t align;
} kept_head;

struct wasmill_context {
    char *tenant, *job, *step;
    int64_t task, partitions, max_record;
    names inputs, outputs, stores;
    wasmill_bytes config;
    kept_head *kept;

    char *in; // where the host writes: payloads
    size_t in_room;
    wasmill_buffer out; // what was emitted and not handed over
    uint32_t out_count;
    wasmill_frame batch;
    wasmill_buffer reply, many, request; // of state_get and of state_get_many

    // Of the running call:
    uint32_t cause; // index of the record that emits belong to, or WASMILL_CAUSE_BATCH
    int64_t cause_time;
    int sticky;         // the first failure that no function of the step got to see
    wasmill_buffer why; // text of the last call that failed, or of wasmill_fail outside of records
    int why_of;         // the result that it belongs to
    bool resume;        // a token was set
};

static wasmill_context instance;

// Errors.

const char *wasmill_error(int result) {
    switch (-result) {
    case WASMILL_EPERM: return "not allowed here";
    case WASMILL_ENOENT: return "absent";
    case WASMILL_EIO: return "the host failed";
    case WASMILL_E2BIG: return "longer than limits in the job file allow (max_record, max_emit, max_key, max_value)";
    case WASMILL_EBADF: return "the job file declares nothing of this name";
    case WASMILL_EAGAIN: return "try again later";
    case WASMILL_ENOMEM: return "out of memory";
    case WASMILL_EFAULT: return "an address outside of the memory";
    case WASMILL_EINVAL: return "a malformed argument";
    case WASMILL_ENOSPC: return "over a quota";
    case WASMILL_ENOSYS: return "this host does not have the call";
    case WASMILL_ENOTSUP: return "not for this step";
    default: return "not an error number of the host";
    }
}

// check returns the result of a call, and keeps what it was if it failed.
static int check(wasmill_context *cx, const char *call, const char *on, int result) {
    if (result >= 0) return result;
    cx->why.size = 0;
    wasmill_append_text(&cx->why, "wasmill: ");
    wasmill_append_text(&cx->why, call);
    if (on != NULL) {
        wasmill_append_text(&cx->why, " ");
        wasmill_append_text(&cx->why, on);
    }
    wasmill_append_text(&cx->why, ": ");
    wasmill_append_text(&cx->why, wasmill_error(result));
    cx->why_of = result;
    return result;
}

// why returns the text of a result that the step returned.
static wasmill_bytes why(wasmill_context *cx, int result) {
    if (result == cx->why_of) return wasmill_view(&cx->why);
    cx->why.size = 0;
    if (result > 0) {
        wasmill_append_text(&cx->why, "the step returned ");
        wasmill_append_int(&cx->why, result);
    } else {
        wasmill_append_text(&cx->why, wasmill_error(result));
    }
    return wasmill_view(&cx->why);
}

static void stick(wasmill_context *cx, int result) {
    if (result < 0 && cx->sticky == 0) cx->sticky = result;
}

void wasmill_abort(const char *text, const char *file, int line) {
    char message[512]; // no memory is taken: there may be none
    size_t size = 0;
    const char *parts[] = {text, " at ", file, ":"};
    for (size_t i = 0; i < 4; i++) {
        for (const char *p = parts[i]; *p != 0 && size < sizeof message - 12; p++) message[size++] = *p;
    }
    char digits[10];
    size_t n = 0;
    for (unsigned rest = (unsigned)line; n == 0 || rest > 0; rest /= 10) digits[n++] = (char)('0' + rest % 10);
    while (n > 0) message[size++] = digits[--n];
    wasmill_host_log(WASMILL_ERROR, message, (uint32_t)size);
    if (instance.cause != WASMILL_CAUSE_BATCH) wasmill_host_fail(instance.cause, CODE_ABORT, message, (uint32_t)size);
#ifdef __wasm__
    __builtin_trap();
#else
    wasmill_host_trap();
#endif
}

// Records.

static int flush(wasmill_context *cx) {
    if (cx->out_count == 0) return 0;
    wasmill_frame_end(&cx->out, cx->out_count);
    int result = wasmill_host_emit(cx->out.data, (uint32_t)cx->out.size);
    cx->out_count = 0;
    stick(cx, check(cx, "emit", NULL, result));
    return result;
}

static int emit(wasmill_context *cx, uint16_t output, const wasmill_record *record) {
    uint64_t size = wasmill_record_size(record);
    if (cx->max_record > 0 && size > (uint64_t)cx->max_record) return check(cx, "emit", NULL, -WASMILL_E2BIG);
    if (cx->out_count > 0 && cx->out.size + size > MAX_FRAME) {
        int result = flush(cx);
        if (result < 0) return result;
    }
    if (cx->out_count == 0) {
        wasmill_bytes none = {NULL, 0};
        wasmill_frame_begin(&cx->out, none, 0);
    }
    wasmill_record out = *record;
    if (out.time == 0) out.time = cx->cause_time;
    out.position = 0;
    out.stream = output;
    wasmill_frame_add(&cx->out, &out, cx->cause);
    cx->out_count++;
    return 0;
}

int wasmill_emit(wasmill_context *cx, const wasmill_record *record) { return emit(cx, 0, record); }

static int find(const names *in, const char *name) {
    for (size_t i = 0; i < in->count; i++) {
        if (strcmp(in->list[i], name) == 0) return (int)i;
    }
    return -WASMILL_EBADF;
}

int wasmill_emit_to(wasmill_context *cx, const char *output, const wasmill_record *record) {
    int number = find(&cx->outputs, output);
    if (number < 0) return check(cx, "emit", output, number);
    return emit(cx, (uint16_t)number, record);
}

static void fail_index(wasmill_context *cx, uint32_t index, int32_t code, wasmill_bytes text) {
    stick(cx, check(cx, "fail", NULL, wasmill_host_fail(index, code, text.data, (uint32_t)text.size)));
}

int wasmill_fail_bytes(wasmill_context *cx, int32_t code, wasmill_bytes text) {
    if (cx->cause != WASMILL_CAUSE_BATCH) {
        fail_index(cx, cx->cause, code, text);
    } else {
        cx->why.size = 0;
        wasmill_append(&cx->why, text.data, text.size);
        cx->why_of = WASMILL_REJECTED;
    }
    return WASMILL_REJECTED;
}

int wasmill_fail(wasmill_context *cx, int32_t code, const char *text) { return wasmill_fail_bytes(cx, code, wasmill_text(text)); }

void wasmill_fail_record(wasmill_context *cx, const wasmill_record *record, int32_t code, const char *text) {
    fail_index(cx, record->index, code, wasmill_text(text));
}

bool wasmill_next(wasmill_context *cx, wasmill_record *record) {
    uint32_t cause;
    int result = wasmill_frame_next(&cx->batch, record, &cause);
    if (result > 0) {
        cx->cause = record->index;
        cx->cause_time = record->time;
        return true;
    }
    stick(cx, check(cx, "batch", NULL, result));
    cx->cause = WASMILL_CAUSE_BATCH;
    cx->cause_time = WASMILL_NO_TIME;
    return false;
}

void wasmill_rewind(wasmill_context *cx) {
    cx->batch.at = cx->batch.first;
    cx->batch.index = 0;
    cx->cause = WASMILL_CAUSE_BATCH;
    cx->cause_time = WASMILL_NO_TIME;
}

uint32_t wasmill_count(const wasmill_context *cx) { return cx->batch.count; }
wasmill_bytes wasmill_partition_name(const wasmill_context *cx) { return cx->batch.partition_name; }
uint32_t wasmill_partition_number(const wasmill_context *cx) { return cx->batch.partition_number; }

// Stores. A call that replies is made again with more room if it had too little.

int wasmill_get(wasmill_context *cx, const char *store, wasmill_bytes key, wasmill_bytes *value) {
    int number = find(&cx->stores, store), result = number;
    value->data = NULL;
    value->size = 0;
    while (number >= 0) {
        result = wasmill_host_state_get((uint32_t)number, key.data, (uint32_t)key.size, cx->reply.data, (uint32_t)cx->reply.room);
        if (result <= (int)cx->reply.room) break;
        wasmill_reserve(&cx->reply, (size_t)result);
    }
    if (result == -WASMILL_ENOENT) return 0;
    if (check(cx, "state_get", store, result) < 0) return result;
    value->data = cx->reply.data == NULL ? "" : cx->reply.data;
    value->size = (size_t)result;
    return 1;
}

int wasmill_put(wasmill_context *cx, const char *store, wasmill_bytes key, wasmill_bytes value) {
    int result = find(&cx->stores, store);
    if (result >= 0)
        result = wasmill_host_state_put((uint32_t)result, key.data, (uint32_t)key.size, value.data, (uint32_t)value.size);
    return check(cx, "state_put", store, result);
}

int wasmill_delete(wasmill_context *cx, const char *store, wasmill_bytes key) {
    int result = find(&cx->stores, store);
    if (result >= 0) result = wasmill_host_state_delete((uint32_t)result, key.data, (uint32_t)key.size);
    return check(cx, "state_delete", store, result);
}

int wasmill_get_many(wasmill_context *cx, const char *store, const wasmill_bytes *keys, size_t count, wasmill_bytes *values) {
    int number = find(&cx->stores, store), result = number;
    cx->request.size = 0;
    for (size_t i = 0; i < count; i++) {
        char size[4];
        wasmill_put32(size, (uint32_t)keys[i].size);
        wasmill_append(&cx->request, size, sizeof size);
        wasmill_append(&cx->request, keys[i].data, keys[i].size);
    }
    while (number >= 0) {
        result = wasmill_host_state_get_many((uint32_t)number, cx->request.data, (uint32_t)cx->request.size, cx->many.data,
                                             (uint32_t)cx->many.room);
        if (result <= (int)cx->many.room) break;
        wasmill_reserve(&cx->many, (size_t)result);
    }
    if (check(cx, "state_get_many", store, result) < 0) return result;
    const char *p = cx->many.data, *end = p + result;
    for (size_t i = 0; i < count; i++) {
        if (end - p < 4) return check(cx, "state_get_many", store, -WASMILL_EIO);
        uint32_t size = wasmill_get32(p);
        bool absent = size == 0xffffffff;
        p += 4;
        values[i].data = absent ? NULL : p;
        values[i].size = absent ? 0 : size;
        p += values[i].size;
    }
    return 0;
}

void wasmill_scan(wasmill_cursor *cursor, const char *store, wasmill_bytes start, wasmill_bytes end) {
    memset(cursor, 0, sizeof *cursor);
    cursor->store = store;
    wasmill_append(&cursor->start, start.data, start.size);
    wasmill_append(&cursor->end, end.data, end.size);
    cursor->open = true;
}

void wasmill_scan_close(wasmill_cursor *cursor) {
    wasmill_release(&cursor->page);
    wasmill_release(&cursor->start);
    wasmill_release(&cursor->end);
    cursor->at = 0;
    cursor->open = false;
}

// fetch fills the cursor's page with what follows; 0 at the end.
static int fetch(wasmill_context *cx, wasmill_cursor *cursor) {
    int number = find(&cx->stores, cursor->store), result = number;
    cursor->at = cursor->page.size = 0;
    if (cursor->page.room == 0) wasmill_reserve(&cursor->page, SCAN_PAGE);
    while (number >= 0) {
        result = wasmill_host_state_scan((uint32_t)number, cursor->start.data, (uint32_t)cursor->start.size, cursor->end.data,
                                         (uint32_t)cursor->end.size, cursor->page.data, (uint32_t)cursor->page.room);
        if (result <= (int)cursor->page.room) break;
        wasmill_reserve(&cursor->page, (size_t)result);
    }
    if (result > 0) cursor->page.size = (size_t)result;
    return check(cx, "state_scan", cursor->store, result);
}

int wasmill_scan_next(wasmill_context *cx, wasmill_cursor *cursor, wasmill_bytes *key, wasmill_bytes *value) {
    if (!cursor->open) return 0;
    if (cursor->at == cursor->page.size) {
        int result = fetch(cx, cursor);
        if (result <= 0) {
            wasmill_scan_close(cursor);
            return result;
        }
    }
    const char *p = cursor->page.data + cursor->at;
    key->data = p + 8;
    key->size = wasmill_get32(p);
    value->data = key->data + key->size;
    value->size = wasmill_get32(p + 4);
    cursor->at += 8 + key->size + value->size;
    if (cursor->at == cursor->page.size) { // the next page begins at the key that follows
        cursor->start.size = 0;
        wasmill_append(&cursor->start, key->data, key->size);
        wasmill_append(&cursor->start, "", 1);
    }
    return 1;
}

int wasmill_resume(wasmill_context *cx, wasmill_bytes token) {
    cx->resume = true;
    return check(cx, "resume", NULL, wasmill_host_resume(token.data, (uint32_t)token.size));
}

// Logs, metrics, the clock, the place.

void wasmill_log_bytes(wasmill_context *cx, int level, wasmill_bytes text) {
    (void)cx;
    wasmill_host_log(level, text.data, (uint32_t)text.size);
}

void wasmill_log(wasmill_context *cx, int level, const char *text) { wasmill_log_bytes(cx, level, wasmill_text(text)); }

bool wasmill_debug_enabled(wasmill_context *cx) {
    (void)cx;
    return wasmill_host_log_enabled(WASMILL_DEBUG) > 0;
}

int wasmill_counter(wasmill_context *cx, const char *name) {
    return check(cx, "metric_define", name, wasmill_host_metric_define(0, name, (uint32_t)strlen(name)));
}

int wasmill_gauge(wasmill_context *cx, const char *name) {
    return check(cx, "metric_define", name, wasmill_host_metric_define(1, name, (uint32_t)strlen(name)));
}

int wasmill_add(wasmill_context *cx, int metric, int64_t delta) {
    return metric < 0 ? 0 : check(cx, "metric_add", NULL, wasmill_host_metric_add(metric, delta));
}

int64_t wasmill_now(wasmill_context *cx) {
    (void)cx;
    return wasmill_host_now();
}

const char *wasmill_tenant(const wasmill_context *cx) { return cx->tenant; }
const char *wasmill_job(const wasmill_context *cx) { return cx->job; }
const char *wasmill_step_name(const wasmill_context *cx) { return cx->step; }
uint32_t wasmill_task(const wasmill_context *cx) { return (uint32_t)cx->task; }
uint32_t wasmill_partitions(const wasmill_context *cx) { return (uint32_t)cx->partitions; }

const char *wasmill_input(const wasmill_context *cx, size_t number) {
    return number < cx->inputs.count ? cx->inputs.list[number] : NULL;
}

const char *wasmill_output(const wasmill_context *cx, size_t number) {
    return number < cx->outputs.count ? cx->outputs.list[number] : NULL;
}

wasmill_bytes wasmill_config(const wasmill_context *cx) { return cx->config; }

// keep returns memory that lives as long as the instance.
static void *keep(size_t size) {
    kept_head *head = (kept_head *)malloc(sizeof *head + size);
    if (head == NULL) WASMILL_ABORT("out of memory");
    head->next = instance.kept;
    instance.kept = head;
    return head + 1;
}

// copy returns bytes with a zero behind them, which lives as long as the instance.
static char *copy(wasmill_bytes bytes) {
    char *text = (char *)keep(bytes.size + 1);
    if (bytes.size > 0) memcpy(text, bytes.data, bytes.size);
    text[bytes.size] = 0;
    return text;
}

const char *wasmill_config_text(const wasmill_context *cx, const char *pointer, const char *fallback) {
    wasmill_bytes raw, text;
    wasmill_buffer scratch = {NULL, 0, 0};
    wasmill_json json;
    if (!wasmill_json_find(cx->config, pointer, &raw)) return fallback;
    wasmill_json_open(&json, raw, &scratch);
    if (wasmill_json_string(&json, &text)) fallback = copy(text);
    wasmill_release(&scratch);
    return fallback;
}

int64_t wasmill_config_int(const wasmill_context *cx, const char *pointer, int64_t fallback) {
    wasmill_bytes raw;
    wasmill_buffer scratch = {NULL, 0, 0};
    wasmill_json json;
    if (!wasmill_json_find(cx->config, pointer, &raw)) return fallback;
    wasmill_json_open(&json, raw, &scratch);
    wasmill_json_int(&json, &fallback); // a number needs no scratch
    return fallback;
}

bool wasmill_config_bool(const wasmill_context *cx, const char *pointer, bool fallback) {
    wasmill_bytes raw;
    wasmill_buffer scratch = {NULL, 0, 0};
    wasmill_json json;
    if (!wasmill_json_find(cx->config, pointer, &raw)) return fallback;
    wasmill_json_open(&json, raw, &scratch);
    wasmill_json_bool(&json, &fallback);
    return fallback;
}

#if __STDC_HOSTED__

// format appends to buffer what printf would print.
static void format(wasmill_buffer *buffer, const char *text, va_list args) {
    va_list again;
    if (text == NULL) return;
    va_copy(again, args);
    int size = vsnprintf(NULL, 0, text, args);
    if (size > 0) {
        wasmill_reserve(buffer, (size_t)size + 1);
        vsnprintf(buffer->data + buffer->size, (size_t)size + 1, text, again);
        buffer->size += (size_t)size;
    }
    va_end(again);
}

void wasmill_appendf(wasmill_buffer *buffer, const char *text, ...) {
    va_list args;
    va_start(args, text);
    format(buffer, text, args);
    va_end(args);
}

int wasmill_failf(wasmill_context *cx, int32_t code, const char *text, ...) {
    wasmill_buffer buffer = {NULL, 0, 0};
    va_list args;
    va_start(args, text);
    format(&buffer, text, args);
    va_end(args);
    int result = wasmill_fail_bytes(cx, code, wasmill_view(&buffer));
    wasmill_release(&buffer);
    return result;
}

void wasmill_logf(wasmill_context *cx, int level, const char *text, ...) {
    wasmill_buffer buffer = {NULL, 0, 0};
    va_list args;
    va_start(args, text);
    format(&buffer, text, args);
    va_end(args);
    wasmill_log_bytes(cx, level, wasmill_view(&buffer));
    wasmill_release(&buffer);
}

#endif

// The exports.

void wasmill_abi_1(void) {}

// wasmill_alloc gives the same buffer each time: what was there before is gone.
// It grows in powers of two, so that it stops growing after a few batches.
void *wasmill_alloc(uint32_t size) {
    wasmill_context *cx = &instance;
    if (size > MAX_IN) return NULL;
    if (size > cx->in_room || cx->in == NULL) {
        size_t room = MIN_IN;
        while (room < size) room *= 2;
        free(cx->in);
        cx->in_room = 0;
        cx->in = (char *)malloc(room);
        if (cx->in == NULL) return NULL;
        cx->in_room = room;
    }
    return cx->in;
}

#ifndef __wasm__
void wasmill_host_fresh(void) {
    wasmill_context *cx = &instance;
    wasmill_buffer *buffers[] = {&cx->out, &cx->reply, &cx->many, &cx->request, &cx->why};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) wasmill_release(buffers[i]);
    for (kept_head *head = cx->kept; head != NULL; head = cx->kept) {
        cx->kept = head->next;
        free(head);
    }
    free(cx->in);
    memset(cx, 0, sizeof *cx);
}
#endif

// begin clears what belongs to one call.
static wasmill_context *begin(void) {
    wasmill_context *cx = &instance;
    cx->cause = WASMILL_CAUSE_BATCH;
    cx->cause_time = WASMILL_NO_TIME;
    cx->sticky = cx->why_of = 0;
    cx->out_count = 0;
    cx->resume = false;
    memset(&cx->batch, 0, sizeof cx->batch);
    return cx;
}

// status turns the end of a call into what the export returns. The text of a
// failure is logged, because only its number crosses the border.
static int32_t status(wasmill_context *cx, int result) {
    if (result == 0) result = flush(cx);
    if (result == 0) result = cx->sticky;
    if (result == 0) return 0;
    wasmill_bytes text = why(cx, result);
    wasmill_host_log(WASMILL_ERROR, text.data, (uint32_t)text.size);
    return result > 0 || result == WASMILL_REJECTED ? -WASMILL_EINVAL : result;
}

static void read_text(wasmill_json *json, char **text) {
    wasmill_bytes value;
    if (wasmill_json_string(json, &value))
        *text = copy(value);
    else
        json->failed = true;
}

static void read_int(wasmill_json *json, int64_t *value) {
    if (!wasmill_json_int(json, value)) json->failed = true;
}

static void read_names(wasmill_json *json, names *to) {
    if (wasmill_json_next(json) == WASMILL_JSON_NULL) {
        wasmill_json_skip(json);
        return;
    }
    wasmill_buffer list = {NULL, 0, 0};
    if (!wasmill_json_array(json)) json->failed = true;
    for (to->count = 0; !json->failed && wasmill_json_element(json); to->count++) {
        char *name = NULL;
        read_text(json, &name);
        wasmill_append(&list, &name, sizeof name);
    }
    to->list = (char **)keep(list.size);
    if (list.size > 0) memcpy(to->list, list.data, list.size);
    wasmill_release(&list);
}

static void read_limits(wasmill_context *cx, wasmill_json *json) {
    wasmill_bytes key;
    if (!wasmill_json_object(json)) json->failed = true;
    while (!json->failed && wasmill_json_member(json, &key)) {
        if (wasmill_is(key, "record"))
            read_int(json, &cx->max_record);
        else
            wasmill_json_skip(json);
    }
}

// read_payload reads the payload of init. Fields that it does not know are left
// out, as a later host may send more.
static bool read_payload(wasmill_context *cx, wasmill_bytes payload) {
    wasmill_buffer scratch = {NULL, 0, 0};
    wasmill_json json;
    wasmill_bytes key, raw = {NULL, 0};
    wasmill_json_open(&json, payload, &scratch);
    cx->tenant = cx->job = cx->step = copy(raw);
    bool object = wasmill_json_object(&json);
    while (object && wasmill_json_member(&json, &key)) {
        if (wasmill_is(key, "tenant"))
            read_text(&json, &cx->tenant);
        else if (wasmill_is(key, "job"))
            read_text(&json, &cx->job);
        else if (wasmill_is(key, "step"))
            read_text(&json, &cx->step);
        else if (wasmill_is(key, "task"))
            read_int(&json, &cx->task);
        else if (wasmill_is(key, "partitions"))
            read_int(&json, &cx->partitions);
        else if (wasmill_is(key, "inputs"))
            read_names(&json, &cx->inputs);
        else if (wasmill_is(key, "outputs"))
            read_names(&json, &cx->outputs);
        else if (wasmill_is(key, "stores"))
            read_names(&json, &cx->stores);
        else if (wasmill_is(key, "limits"))
            read_limits(cx, &json);
        else if (!wasmill_is(key, "config"))
            wasmill_json_skip(&json);
        else if (wasmill_json_raw(&json, &raw) && !wasmill_is(raw, "null")) {
            cx->config.data = copy(raw);
            cx->config.size = raw.size;
        }
    }
    bool whole = object && wasmill_json_end(&json);
    wasmill_release(&scratch);
    return whole;
}

int32_t wasmill_init(const void *payload, uint32_t size) {
    wasmill_context *cx = begin();
    wasmill_bytes text = {(const char *)payload, size};
    int result = 0;
    if (!read_payload(cx, text))
        result = wasmill_fail(cx, 0, "wasmill: the payload of init is not the JSON that the interface describes");
    else if (!wasmill_step && !wasmill_step_batch)
        result = wasmill_fail(cx, 0, "wasmill: the module has no step: define wasmill_step or wasmill_step_batch");
    else if (wasmill_on_init)
        result = wasmill_on_init(cx);
    return status(cx, result);
}

int wasmill_each(wasmill_context *cx, int (*step)(wasmill_context *cx, const wasmill_record *record)) {
    wasmill_record record;
    while (wasmill_next(cx, &record)) {
        int result = step(cx, &record);
        if (result != 0 && result != WASMILL_REJECTED) fail_index(cx, cx->cause, result > 0 ? result : 0, why(cx, result));
        cx->why_of = 0;
    }
    return 0;
}

static int run_batch(wasmill_context *cx, const void *payload, uint32_t size) {
    if (!wasmill_frame_open(&cx->batch, payload, size)) return check(cx, "batch", NULL, -WASMILL_EINVAL);
    return wasmill_step_batch ? wasmill_step_batch(cx) : wasmill_each(cx, wasmill_step);
}

static int32_t run_end(wasmill_context *cx, const void *token, uint32_t size) {
    wasmill_bytes bytes = {(const char *)token, size};
    if (!wasmill_on_end) return 0;
    int result = wasmill_on_end(cx, bytes);
    bool more = result == WASMILL_MORE;
    if (more && !cx->resume) result = wasmill_fail(cx, 0, "wasmill: WASMILL_MORE without wasmill_resume");
    result = status(cx, more && cx->resume ? 0 : result);
    return result == 0 && more ? WASMILL_MORE : result;
}

static int32_t run_resumed(wasmill_context *cx, const void *payload, uint32_t size) {
    unsigned char seed[32];
    if (size != sizeof seed) return -WASMILL_EINVAL;
    memcpy(seed, payload, sizeof seed);
#if __STDC_HOSTED__
    srand(wasmill_get32((const char *)payload));
#endif
    if (wasmill_on_resumed) wasmill_on_resumed(cx, seed);
    return 0;
}

int32_t wasmill_process(int32_t op, const void *payload, uint32_t size) {
    wasmill_context *cx = begin();
    switch (op) {
    case WASMILL_OP_BATCH: return status(cx, run_batch(cx, payload, size));
    case WASMILL_OP_END: return run_end(cx, payload, size);
    case WASMILL_OP_RESUMED: return run_resumed(cx, payload, size);
    default: return -WASMILL_ENOSYS;
    }
}
