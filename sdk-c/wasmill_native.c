// The host of wasmill_native.h.
#include "wasmill_native.h"

#include "wasmill_frame.h"
#include "wasmill_host.h"
#include "wasmill_json.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_RECORD = 1 << 20,
    MAX_BATCH = 4 << 20,
    MAX_EMIT = 16 << 20,
    MAX_KEY = 4 << 10,
    MAX_STATE_VALUE = 1 << 20,
    MAX_RESUME = 64 << 10,
    MAX_METRICS = 64,
    OP_INIT = 0
};

// A list of things of one size, at data.
typedef wasmill_buffer list;

typedef struct entry {
    char *key, *value;
    size_t key_size, value_size;
} entry;

typedef struct store {
    list entries; // sorted by the bytes of their keys
} store;

typedef struct metric {
    char name[65];
    int32_t kind;
    int64_t value;
} metric;

static struct {
    const char *const *outputs, *const *store_names;
    size_t output_count, store_count, max_record;
    store *stores;
    metric metrics[MAX_METRICS];
    int32_t metric_count;
    wasmill_buffer log;
    size_t last_line; // offset in log
    int64_t now;

    // Of the running call:
    int32_t op;
    uint32_t records;
    size_t bytes;
    list emitted, failed; // of wasmill_native_emitted and wasmill_native_failed
    wasmill_buffer token;
    const char *fault; // a fault in the interface
    jmp_buf trap;

    // Of the last one, for its caller:
    list taken, rejected;
    wasmill_native_result result;
} host;

// Lists.

static size_t length(const list *l, size_t each) { return l->size / each; }

static void *copy(const void *data, size_t size) {
    char *out = (char *)malloc(size + 1);
    if (out == NULL) abort();
    if (size > 0) memcpy(out, data, size);
    out[size] = 0;
    return out;
}

static wasmill_bytes copied(wasmill_bytes bytes) {
    if (bytes.data != NULL) bytes.data = (char *)copy(bytes.data, bytes.size);
    return bytes;
}

static void clear_emitted(list *l) {
    wasmill_native_emitted *e = (wasmill_native_emitted *)(void *)l->data;
    for (size_t i = 0; i < length(l, sizeof *e); i++) {
        free((void *)(uintptr_t)e[i].record.key.data);
        free((void *)(uintptr_t)e[i].record.value.data);
        free((void *)(uintptr_t)e[i].record.headers.raw.data);
    }
    l->size = 0;
}

static void clear_failed(list *l) {
    wasmill_native_failed *f = (wasmill_native_failed *)(void *)l->data;
    for (size_t i = 0; i < length(l, sizeof *f); i++) free((void *)(uintptr_t)f[i].text);
    l->size = 0;
}

// Stores.

static int compare(const entry *e, const char *key, size_t size) {
    size_t least = e->key_size < size ? e->key_size : size;
    int order = least == 0 ? 0 : memcmp(e->key, key, least);
    return order != 0 ? order : (e->key_size > size) - (e->key_size < size);
}

static entry *entries(const store *s) { return (entry *)(void *)s->entries.data; }

// place returns the index of the first entry that is not below key.
static size_t place(const store *s, const char *key, size_t size) {
    size_t low = 0, high = length(&s->entries, sizeof(entry));
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (compare(&entries(s)[middle], key, size) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static entry *lookup(const store *s, const char *key, size_t size) {
    size_t at = place(s, key, size);
    bool there = at < length(&s->entries, sizeof(entry)) && compare(&entries(s)[at], key, size) == 0;
    return there ? &entries(s)[at] : NULL;
}

// change sets a value, or removes it if it is null.
static void change(store *s, const char *key, size_t size, wasmill_bytes value) {
    entry *e = lookup(s, key, size);
    if (e != NULL) {
        free(e->value);
        if (value.data != NULL) {
            e->value = (char *)copy(value.data, value.size);
            e->value_size = value.size;
            return;
        }
        free(e->key);
        char *end = s->entries.data + s->entries.size;
        memmove(e, e + 1, (size_t)(end - (char *)(e + 1)));
        s->entries.size -= sizeof *e;
        return;
    }
    if (value.data == NULL) return;
    size_t at = place(s, key, size);
    entry made = {(char *)copy(key, size), (char *)copy(value.data, value.size), size, value.size};
    wasmill_append(&s->entries, &made, sizeof made);
    e = entries(s) + at;
    memmove(e + 1, e, s->entries.size - (at + 1) * sizeof *e);
    *e = made;
}

static void drop(store *s) {
    for (size_t i = 0; i < length(&s->entries, sizeof(entry)); i++) {
        free(entries(s)[i].key);
        free(entries(s)[i].value);
    }
    wasmill_release(&s->entries);
}

static store *snapshot(void) {
    store *out = (store *)calloc(host.store_count + 1, sizeof *out);
    if (out == NULL) abort();
    for (size_t i = 0; i < host.store_count; i++) {
        const store *from = &host.stores[i];
        for (size_t n = 0; n < length(&from->entries, sizeof(entry)); n++) {
            const entry *e = &entries(from)[n];
            entry made = {(char *)copy(e->key, e->key_size), (char *)copy(e->value, e->value_size), e->key_size, e->value_size};
            wasmill_append(&out[i].entries, &made, sizeof made);
        }
    }
    return out;
}

static void forget(store *stores) {
    for (size_t i = 0; stores != NULL && i < host.store_count; i++) drop(&stores[i]);
    free(stores);
}

// The calls of the step.

static int32_t refuse(const char *fault) {
    host.fault = fault;
    return -WASMILL_EINVAL;
}

int32_t wasmill_host_emit(const void *data, uint32_t size) {
    if (host.op == OP_INIT) return -WASMILL_EPERM;
    if ((host.bytes += size) > MAX_EMIT) return -WASMILL_E2BIG;
    wasmill_frame frame;
    wasmill_record record;
    uint32_t cause;
    int more;
    size_t before = host.emitted.size; // of a frame all records or none
    if (!wasmill_frame_open(&frame, data, size)) return refuse("a malformed frame was emitted");
    while ((more = wasmill_frame_next(&frame, &record, &cause)) > 0) {
        if (record.stream >= host.output_count || (cause != WASMILL_CAUSE_BATCH && cause >= host.records))
            return refuse("an emitted record names an output or a cause that does not exist");
        if (wasmill_record_size(&record) > host.max_record) {
            host.emitted.size = before;
            return -WASMILL_E2BIG;
        }
        wasmill_native_emitted e = {host.outputs[record.stream], cause == WASMILL_CAUSE_BATCH ? -1 : (int64_t)cause, record};
        e.record.key = copied(record.key);
        e.record.value = copied(record.value);
        e.record.headers.raw = copied(record.headers.raw);
        e.record.stream = 0;
        e.record.index = 0;
        wasmill_append(&host.emitted, &e, sizeof e);
    }
    return more < 0 ? refuse("a malformed record was emitted") : 0;
}

int32_t wasmill_host_fail(uint32_t index, int32_t code, const void *text, uint32_t size) {
    if (host.op == OP_INIT) return -WASMILL_EPERM;
    if (index >= host.records) return refuse("a record was rejected that does not exist");
    wasmill_native_failed f = {index, code, (char *)copy(text, size)};
    wasmill_append(&host.failed, &f, sizeof f);
    return 0;
}

// usable returns 0, or why a call with this store and key is refused.
static int32_t usable(uint32_t number, uint32_t key_size) {
    if (host.op == OP_INIT) return -WASMILL_EPERM;
    if (number >= host.store_count) return -WASMILL_EBADF;
    return key_size > MAX_KEY ? -WASMILL_E2BIG : 0;
}

static int32_t reply(void *to, uint32_t room, const void *data, size_t size) {
    if (size > 0 && size <= room) memcpy(to, data, size);
    return (int32_t)size;
}

int32_t wasmill_host_state_get(uint32_t number, const void *key, uint32_t key_size, void *to, uint32_t room) {
    int32_t error = usable(number, key_size);
    if (error < 0) return error;
    const entry *e = lookup(&host.stores[number], (const char *)key, key_size);
    return e == NULL ? -WASMILL_ENOENT : reply(to, room, e->value, e->value_size);
}

int32_t wasmill_host_state_put(uint32_t number, const void *key, uint32_t key_size, const void *value, uint32_t size) {
    int32_t error = usable(number, key_size);
    if (error < 0) return error;
    if (size > MAX_STATE_VALUE) return -WASMILL_E2BIG;
    wasmill_bytes bytes = {size == 0 ? "" : (const char *)value, size};
    change(&host.stores[number], (const char *)key, key_size, bytes);
    return 0;
}

int32_t wasmill_host_state_delete(uint32_t number, const void *key, uint32_t key_size) {
    int32_t error = usable(number, key_size);
    wasmill_bytes none = {NULL, 0};
    if (error == 0) change(&host.stores[number], (const char *)key, key_size, none);
    return error;
}

int32_t wasmill_host_state_scan(uint32_t number, const void *start, uint32_t start_size, const void *end, uint32_t end_size,
                                void *to, uint32_t room) {
    int32_t error = usable(number, 0);
    if (error < 0) return error;
    const store *s = &host.stores[number];
    char *out = (char *)to;
    size_t size = 0;
    for (size_t i = place(s, (const char *)start, start_size); i < length(&s->entries, sizeof(entry)); i++) {
        const entry *e = &entries(s)[i];
        if (end_size > 0 && compare(e, (const char *)end, end_size) >= 0) break;
        size_t need = 8 + e->key_size + e->value_size;
        if (size + need > room) return size == 0 ? (int32_t)need : (int32_t)size;
        wasmill_put32(out + size, (uint32_t)e->key_size);
        wasmill_put32(out + size + 4, (uint32_t)e->value_size);
        memcpy(out + size + 8, e->key, e->key_size);
        memcpy(out + size + 8 + e->key_size, e->value, e->value_size);
        size += need;
    }
    return (int32_t)size;
}

int32_t wasmill_host_state_get_many(uint32_t number, const void *keys, uint32_t size, void *to, uint32_t room) {
    int32_t error = usable(number, 0);
    wasmill_buffer out = {NULL, 0, 0};
    const char *p = (const char *)keys, *end = p + size;
    while (error == 0 && p < end) {
        char head[4];
        if (end - p < 4 || wasmill_get32(p) > (size_t)(end - p - 4)) {
            error = -WASMILL_EINVAL;
            break;
        }
        uint32_t key_size = wasmill_get32(p);
        error = usable(number, key_size);
        if (error < 0) break;
        const entry *e = lookup(&host.stores[number], p + 4, key_size);
        wasmill_put32(head, e == NULL ? 0xffffffff : (uint32_t)e->value_size);
        wasmill_append(&out, head, sizeof head);
        if (e != NULL) wasmill_append(&out, e->value, e->value_size);
        p += 4 + key_size;
    }
    int32_t result = error < 0 ? error : reply(to, room, out.data, out.size);
    wasmill_release(&out);
    return result;
}

int32_t wasmill_host_resume(const void *token, uint32_t size) {
    if (host.op != WASMILL_OP_END) return -WASMILL_EPERM;
    if (size > MAX_RESUME) return -WASMILL_E2BIG;
    host.token.size = 0;
    wasmill_append(&host.token, token, size);
    return 0;
}

int32_t wasmill_host_log(int32_t level, const void *text, uint32_t size) {
    static const char *const names[] = {"debug: ", "info: ", "warn: ", "error: "};
    if (level < 0 || level > 3) return -WASMILL_EINVAL;
    if (host.log.size > 0) host.log.size--; // the zero
    host.last_line = host.log.size;
    wasmill_append_text(&host.log, names[level]);
    wasmill_append(&host.log, text, size);
    wasmill_append(&host.log, "\n", 2);
    return 0;
}

int32_t wasmill_host_log_enabled(int32_t level) {
    (void)level;
    return 1;
}

int32_t wasmill_host_metric_define(int32_t kind, const void *name, uint32_t size) {
    if (size == 0 || size >= sizeof host.metrics[0].name) return -WASMILL_EINVAL;
    for (int32_t i = 0; i < host.metric_count; i++) {
        const metric *m = &host.metrics[i];
        if (strlen(m->name) == size && memcmp(m->name, name, size) == 0) return m->kind == kind ? i : -WASMILL_EINVAL;
    }
    if (host.metric_count == MAX_METRICS) return -WASMILL_ENOSPC;
    metric *m = &host.metrics[host.metric_count];
    memset(m, 0, sizeof *m);
    memcpy(m->name, name, size);
    m->kind = kind;
    return host.metric_count++;
}

int32_t wasmill_host_metric_add(int32_t number, int64_t delta) {
    if (number < 0 || number >= host.metric_count) return -WASMILL_EBADF;
    if (delta < 0 && host.metrics[number].kind == 0) return -WASMILL_EINVAL;
    host.metrics[number].value += delta;
    return 0;
}

// Time begins at 0 and advances by a microsecond a call.
int64_t wasmill_host_now(void) { return host.now += 1000; }

void wasmill_host_trap(void) { longjmp(host.trap, 1); }

// The calls of the host.

// call hands a payload to the step as the host does. A trap ends it with -EIO,
// unless the step rejected a record before: then only that counts.
static int32_t call(int32_t op, uint32_t records, const void *payload, size_t size) {
    host.op = op;
    host.records = records;
    host.bytes = 0;
    host.fault = NULL;
    clear_emitted(&host.emitted);
    clear_failed(&host.failed);
    char *buffer = (char *)wasmill_alloc((uint32_t)size);
    if (buffer == NULL) return -WASMILL_ENOMEM;
    if (size > 0) memcpy(buffer, payload, size);
    int32_t status;
    if (setjmp(host.trap) == 0)
        status = op == OP_INIT ? wasmill_init(buffer, (uint32_t)size) : wasmill_process(op, buffer, (uint32_t)size);
    else
        status = host.failed.size > 0 ? 0 : -WASMILL_EIO;
    if (host.fault != NULL) {
        wasmill_host_log(WASMILL_ERROR, host.fault, (uint32_t)strlen(host.fault));
        status = -WASMILL_EINVAL;
    }
    memset(wasmill_alloc((uint32_t)size), 0xdb, size);
    return status;
}

static const wasmill_native_result *result(int32_t status) {
    wasmill_native_result *r = &host.result;
    r->emitted = (const wasmill_native_emitted *)(const void *)host.taken.data;
    r->emitted_count = length(&host.taken, sizeof *r->emitted);
    r->failed = (const wasmill_native_failed *)(const void *)host.rejected.data;
    r->failed_count = length(&host.rejected, sizeof *r->failed);
    r->status = status;
    r->message = host.log.size == 0 ? "" : host.log.data + host.last_line;
    return r;
}

// take moves what was emitted to what the caller gets, its causes as indices of
// the whole batch.
static void take(const uint32_t *left) {
    wasmill_native_emitted *e = (wasmill_native_emitted *)(void *)host.emitted.data;
    for (size_t i = 0; i < length(&host.emitted, sizeof *e); i++) {
        if (e[i].cause >= 0) e[i].cause = left[e[i].cause];
    }
    wasmill_append(&host.taken, host.emitted.data, host.emitted.size);
    host.emitted.size = 0;
}

// reject moves the failed records to what the caller gets and takes them out of
// left, of which there are count. Of several failures of one the first counts.
static size_t reject(uint32_t *left, size_t count) {
    bool *gone = (bool *)calloc(count + 1, sizeof *gone);
    if (gone == NULL) abort();
    const wasmill_native_failed *f = (const wasmill_native_failed *)(const void *)host.failed.data;
    for (size_t i = 0; i < length(&host.failed, sizeof *f); i++) {
        if (gone[f[i].index]) continue;
        gone[f[i].index] = true;
        wasmill_native_failed kept = {left[f[i].index], f[i].code, (char *)copy(f[i].text, strlen(f[i].text))};
        wasmill_append(&host.rejected, &kept, sizeof kept);
    }
    size_t rest = 0;
    for (size_t i = 0; i < count; i++) {
        if (!gone[i]) left[rest++] = left[i];
    }
    free(gone);
    return rest;
}

// latest returns the largest event time of the records picked, in nanoseconds;
// otherwise if none has one.
static int64_t latest(const wasmill_record *records, const uint32_t *pick, size_t count, int64_t otherwise) {
    int64_t at = WASMILL_NO_TIME;
    for (size_t i = 0; i < count; i++) {
        if (records[pick[i]].time > at) at = records[pick[i]].time;
    }
    return at == WASMILL_NO_TIME ? otherwise : at * 1000000;
}

const wasmill_native_result *wasmill_native_batch_of(const char *partition, uint32_t number, const wasmill_record *records,
                                                     size_t count) {
    int64_t before = host.now;
    clear_emitted(&host.taken);
    clear_failed(&host.rejected);
    uint32_t *left = (uint32_t *)calloc(count + 1, sizeof *left); // indices of the records that have not failed
    if (left == NULL) abort();
    for (size_t i = 0; i < count; i++) left[i] = (uint32_t)i;
    wasmill_buffer frame = {NULL, 0, 0};
    int32_t status = 0;
    for (;;) {
        wasmill_frame_begin(&frame, wasmill_text(partition), number);
        for (size_t i = 0; i < count; i++) wasmill_frame_add(&frame, &records[left[i]], 0);
        wasmill_frame_end(&frame, (uint32_t)count);
        store *undo = snapshot();
        host.now = latest(records, left, count, before);
        status = call(WASMILL_OP_BATCH, (uint32_t)count, frame.data, frame.size);
        bool whole = status == 0 && host.failed.size == 0;
        forget(whole ? undo : host.stores);
        if (!whole) host.stores = undo;
        if (whole) take(left);
        if (whole || status < 0) break;
        count = reject(left, count);
        if (count == 0) break;
    }
    wasmill_release(&frame);
    free(left);
    return result(status);
}

const wasmill_native_result *wasmill_native_batch(const wasmill_record *records, size_t count) {
    return wasmill_native_batch_of("test", 0, records, count);
}

const wasmill_native_result *wasmill_native_end(void) {
    clear_emitted(&host.taken);
    clear_failed(&host.rejected);
    host.token.size = 0;
    int32_t status;
    do {
        wasmill_bytes token = copied(wasmill_view(&host.token));
        host.token.size = 0;
        store *before = snapshot();
        status = call(WASMILL_OP_END, 0, token.data, token.size);
        free((void *)(uintptr_t)token.data);
        forget(status < 0 ? host.stores : before);
        if (status < 0)
            host.stores = before;
        else
            take(NULL);
    } while (status == WASMILL_MORE);
    return result(status);
}

static size_t count_names(const char *const *all) {
    size_t n = 0;
    while (all[n] != NULL) n++;
    return n;
}

static void write_names(wasmill_json_writer *json, const char *key, const char *const *all) {
    wasmill_write_key(json, key);
    wasmill_write_array(json);
    for (; *all != NULL; all++) wasmill_write_string(json, wasmill_text(*all));
    wasmill_write_array_end(json);
}

static void write_int(wasmill_json_writer *json, const char *key, int64_t value) {
    wasmill_write_key(json, key);
    wasmill_write_int(json, value);
}

static void write_text(wasmill_json_writer *json, const char *key, const char *value) {
    wasmill_write_key(json, key);
    wasmill_write_string(json, wasmill_text(value));
}

int32_t wasmill_native_open(const wasmill_native_options *options) {
    static const char *const in[] = {"in", NULL}, *const out[] = {"out", NULL}, *const none[] = {NULL};
    const char *const *stores = options->stores == NULL ? none : options->stores;
    wasmill_native_close();
    host.outputs = options->outputs == NULL ? out : options->outputs;
    host.output_count = count_names(host.outputs);
    host.store_names = stores;
    host.store_count = count_names(stores);
    host.stores = (store *)calloc(host.store_count + 1, sizeof *host.stores);
    if (host.stores == NULL) abort();
    host.max_record = options->max_record == 0 ? (size_t)MAX_RECORD : options->max_record;

    wasmill_buffer payload = {NULL, 0, 0};
    wasmill_json_writer json = {&payload, false};
    wasmill_write_object(&json);
    write_int(&json, "abi_minor", 1);
    write_text(&json, "tenant", "default");
    write_text(&json, "job", "test");
    write_text(&json, "step", "test");
    write_int(&json, "task", 0);
    write_int(&json, "partitions", 1);
    wasmill_write_key(&json, "config");
    wasmill_write_raw(&json, wasmill_text(options->config == NULL ? "null" : options->config));
    write_names(&json, "inputs", options->inputs == NULL ? in : options->inputs);
    write_names(&json, "outputs", host.outputs);
    write_names(&json, "stores", stores);
    write_names(&json, "lookups", none);
    wasmill_write_key(&json, "limits");
    wasmill_write_object(&json);
    write_int(&json, "memory", 64 << 20);
    write_int(&json, "record", (int64_t)host.max_record);
    write_int(&json, "batch", MAX_BATCH);
    write_int(&json, "emit", MAX_EMIT);
    write_int(&json, "key", MAX_KEY);
    write_int(&json, "state_value", MAX_STATE_VALUE);
    write_int(&json, "log_rate", 64 << 10);
    wasmill_write_object_end(&json);
    wasmill_write_object_end(&json);
    int32_t status = call(OP_INIT, 0, payload.data, payload.size);
    wasmill_release(&payload);
    return status;
}

void wasmill_native_close(void) {
    clear_emitted(&host.emitted);
    clear_failed(&host.failed);
    clear_emitted(&host.taken);
    clear_failed(&host.rejected);
    wasmill_buffer *all[] = {&host.emitted, &host.failed, &host.taken, &host.rejected, &host.token, &host.log};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) wasmill_release(all[i]);
    forget(host.stores);
    memset(&host, 0, sizeof host);
    wasmill_host_fresh();
}

// What tests look at.

static store *named(const char *name) {
    for (size_t i = 0; i < host.store_count; i++) {
        if (strcmp(host.store_names[i], name) == 0) return &host.stores[i];
    }
    return NULL;
}

wasmill_bytes wasmill_native_state(const char *name, const char *key) {
    wasmill_bytes value = {NULL, 0};
    const store *s = named(name);
    const entry *e = s == NULL ? NULL : lookup(s, key, strlen(key));
    if (e != NULL) {
        value.data = e->value;
        value.size = e->value_size;
    }
    return value;
}

bool wasmill_native_set(const char *name, wasmill_bytes key, wasmill_bytes value) {
    store *s = named(name);
    if (s != NULL) change(s, key.data, key.size, value);
    return s != NULL;
}

const char *wasmill_native_log(void) { return host.log.size == 0 ? "" : host.log.data; }

int64_t wasmill_native_metric(const char *name) {
    for (int32_t i = 0; i < host.metric_count; i++) {
        if (strcmp(host.metrics[i].name, name) == 0) return host.metrics[i].value;
    }
    return 0;
}
