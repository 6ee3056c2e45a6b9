#include "program.h"

#include <stdlib.h>
#include <string.h>

typedef enum {
    BATCH,
    CONFIG,
    ECHO,
    END,
    FAIL,
    FLAGS,
    INFO,
    INIT_FAILS,
    JSON,
    LOG,
    LOOP,
    METRICS,
    NOW,
    OUTPUTS,
    STATE,
    TIME,
    CASES
} work;

static const char *const names[CASES] = {"batch", "config", "echo", "end",     "fail", "flags",   "info",  "init-fails",
                                         "json",  "log",    "loop", "metrics", "now",  "outputs", "state", "time"};

static work at;
static int seen, bytes;

int wasmill_on_init(wasmill_context *cx) {
    const char *name = wasmill_config_text(cx, "/case", "");
    for (at = 0; at < CASES && strcmp(names[at], name) != 0; at++) {}
    if (at == CASES) return wasmill_failf(cx, 0, "no case \"%s\"", name);
    if (at == INIT_FAILS) return wasmill_fail(cx, 0, "configured to fail");
    seen = wasmill_counter(cx, "seen");
    bytes = wasmill_gauge(cx, "bytes");
    return seen < 0 ? seen : bytes < 0 ? bytes : 0;
}

int emit_text(wasmill_context *cx, const char *text) { return emit_value(cx, NULL, wasmill_text(text)); }

int emit_value(wasmill_context *cx, const char *key, wasmill_bytes value) {
    wasmill_record out = {0};
    out.key = wasmill_text(key);
    out.value = value;
    return wasmill_emit(cx, &out);
}

wasmill_bytes cut(wasmill_bytes text, wasmill_bytes *head) {
    const char *space = text.size == 0 ? NULL : memchr(text.data, ' ', text.size);
    wasmill_bytes rest = {"", 0};
    *head = text;
    if (space == NULL) return rest;
    head->size = (size_t)(space - text.data);
    rest.data = space + 1;
    rest.size = text.size - head->size - 1;
    return rest;
}

bool number(wasmill_bytes text, int64_t *n) {
    char digits[24] = {0}, *end;
    if (text.size == 0 || text.size >= sizeof digits) return false;
    memcpy(digits, text.data, text.size);
    *n = strtoll(digits, &end, 10);
    return *end == 0;
}

static int echo(wasmill_context *cx, const wasmill_record *record) {
    wasmill_record out = {0};
    out.key = record->key;
    out.value = record->value;
    out.headers = record->headers;
    out.flags = record->flags;
    return wasmill_emit(cx, &out);
}

static int outputs(wasmill_context *cx, const wasmill_record *record) {
    wasmill_record out = {0};
    wasmill_buffer name = {0};
    wasmill_append(&name, record->value.data, record->value.size);
    wasmill_append(&name, "", 1);
    out.key = record->key;
    out.value = record->value;
    int rc = wasmill_emit_to(cx, name.data, &out);
    if (rc == -WASMILL_EBADF) rc = wasmill_failf(cx, 0, "no output %s", name.data);
    wasmill_release(&name);
    return rc;
}

static int fail(wasmill_context *cx, wasmill_bytes value) {
    wasmill_bytes word, code, rest = cut(value, &word), text;
    int64_t n;
    if (wasmill_is(word, "fail")) {
        text = cut(rest, &code);
        return number(code, &n) ? wasmill_fail_bytes(cx, (int32_t)n, text) : wasmill_fail(cx, 0, "no code");
    }
    if (wasmill_is(word, "panic")) {
        char message[200] = {0};
        memcpy(message, rest.data, rest.size < sizeof message ? rest.size : sizeof message - 1);
        WASMILL_ABORT(message);
    }
    return emit_value(cx, NULL, value);
}

static int flags(wasmill_context *cx, wasmill_bytes value) {
    static const char *const keys[] = {"i", "u", "d"};
    static const uint16_t marks[] = {WASMILL_INSERT, WASMILL_UPDATE, WASMILL_DELETE};
    int rc = 0;
    for (int i = 0; i < 3 && rc == 0; i++) {
        wasmill_record out = {0};
        out.key = wasmill_text(keys[i]);
        if (marks[i] != WASMILL_DELETE) out.value = value;
        out.flags = marks[i];
        rc = wasmill_emit(cx, &out);
    }
    return rc;
}

static int log_line(wasmill_context *cx, wasmill_bytes value) {
    static const char *const levels[] = {"debug", "info", "warn", "error"};
    wasmill_bytes word, text = cut(value, &word);
    int level = 0;
    while (level < 4 && !wasmill_is(word, levels[level])) level++;
    if (level == 4) return wasmill_failf(cx, 0, "no level %.*s", (int)word.size, word.data);
    wasmill_log_bytes(cx, level, text);
    return emit_text(cx, wasmill_debug_enabled(cx) ? "1" : "0");
}

static int loop(wasmill_context *cx, wasmill_bytes value) {
    static void *volatile hoard;
    if (wasmill_is(value, "loop")) {
        for (volatile int i = 0;; i++) {}
    }
    if (wasmill_is(value, "oom")) {
        while ((hoard = malloc(1 << 20)) != NULL) memset(hoard, 1, 1 << 20);
        WASMILL_ABORT("out of memory");
    }
    if (wasmill_is(value, "exit")) exit(3);
    return emit_value(cx, NULL, value);
}

static int now(wasmill_context *cx) {
    int rc = 0;
    for (int i = 0; i < 2 && rc == 0; i++) {
        wasmill_buffer text = {0};
        wasmill_append_int(&text, wasmill_now(cx));
        rc = emit_value(cx, NULL, wasmill_view(&text));
        wasmill_release(&text);
    }
    return rc;
}

static int event_time(wasmill_context *cx, wasmill_bytes value) {
    wasmill_record out = {0};
    out.value = value;
    out.time = WASMILL_NO_TIME;
    if (!wasmill_is(value, "none") && !number(value, &out.time)) return wasmill_fail(cx, 0, "no time");
    return wasmill_emit(cx, &out);
}

static int one(wasmill_context *cx, const wasmill_record *record) {
    switch (at) {
    case CONFIG: return configured(cx);
    case ECHO: return echo(cx, record);
    case END: return count(cx, record->key);
    case FAIL: return fail(cx, record->value);
    case FLAGS: return flags(cx, record->value);
    case INFO: return info(cx, record);
    case JSON: return json(cx, record->value);
    case LOG: return log_line(cx, record->value);
    case LOOP: return loop(cx, record->value);
    case METRICS: wasmill_add(cx, seen, 1); return wasmill_add(cx, bytes, (int64_t)record->value.size);
    case NOW: return now(cx);
    case OUTPUTS: return outputs(cx, record);
    case STATE: return state(cx, record->value);
    case TIME: return event_time(cx, record->value);
    default: return wasmill_fail(cx, 0, "not a case of single records");
    }
}

static int whole(wasmill_context *cx) {
    wasmill_record record;
    wasmill_buffer text = {0};
    int64_t sum = 0;
    while (wasmill_next(cx, &record)) sum += (int64_t)(record.key.size + record.value.size);
    wasmill_append_int(&text, wasmill_count(cx));
    wasmill_append_text(&text, " ");
    wasmill_append_int(&text, sum);
    int rc = emit_value(cx, NULL, wasmill_view(&text));
    wasmill_release(&text);
    return rc;
}

// Case batch takes whole batches, so the program walks over records itself.
int wasmill_step_batch(wasmill_context *cx) {
    if (at == BATCH) return whole(cx);
    return wasmill_each(cx, one);
}

int wasmill_on_end(wasmill_context *cx, wasmill_bytes token) { return at == END ? count_end(cx, token) : 0; }
