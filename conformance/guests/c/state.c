#include "program.h"

#include <string.h>

static const char *const store = "state";

// next_count adds 1 to the decimal number of a key and makes text the new one.
static int next_count(wasmill_context *cx, wasmill_bytes key, wasmill_buffer *text) {
    wasmill_bytes old;
    int64_t n = 0;
    int rc = wasmill_get(cx, store, key, &old);
    if (rc < 0) return rc;
    if (rc > 0 && !number(old, &n)) return wasmill_fail(cx, 0, "the count is no number");
    text->size = 0;
    wasmill_append_int(text, n + 1);
    return wasmill_put(cx, store, key, wasmill_view(text));
}

static int get(wasmill_context *cx, wasmill_bytes key) {
    wasmill_bytes value;
    int rc = wasmill_get(cx, store, key, &value);
    return rc < 0 ? rc : emit_value(cx, "get", value);
}

static int scan(wasmill_context *cx, wasmill_bytes start, wasmill_bytes end) {
    static wasmill_buffer text;
    wasmill_cursor cursor;
    wasmill_bytes key, value, open = {NULL, 0};
    int rc;
    wasmill_scan(&cursor, store, wasmill_is(start, "-") ? open : start, wasmill_is(end, "-") ? open : end);
    while ((rc = wasmill_scan_next(cx, &cursor, &key, &value)) > 0) {
        text.size = 0;
        wasmill_append(&text, key.data, key.size);
        wasmill_append_text(&text, "=");
        wasmill_append(&text, value.data, value.size);
        if ((rc = emit_value(cx, "scan", wasmill_view(&text))) < 0) break;
    }
    wasmill_scan_close(&cursor);
    return rc;
}

static int many(wasmill_context *cx, wasmill_bytes words) {
    wasmill_bytes keys[64], values[64];
    size_t n = 0;
    while (words.size > 0 && n < 64) words = cut(words, &keys[n++]);
    int rc = wasmill_get_many(cx, store, keys, n, values);
    for (size_t i = 0; i < n && rc == 0; i++) rc = emit_value(cx, "many", values[i]);
    return rc;
}

static int big(wasmill_context *cx, wasmill_bytes key, wasmill_bytes size) {
    int64_t n;
    if (!number(size, &n) || n < 0) return wasmill_fail(cx, 0, "no size");
    wasmill_buffer text = {0};
    wasmill_reserve(&text, (size_t)n + 1);
    memset(text.data, 'x', (size_t)n);
    text.size = (size_t)n;
    int rc = wasmill_put(cx, store, key, wasmill_view(&text));
    wasmill_release(&text);
    return rc;
}

int state(wasmill_context *cx, wasmill_bytes value) {
    static wasmill_buffer text;
    wasmill_bytes command, first, rest = cut(value, &command), second = cut(rest, &first);
    if (wasmill_is(command, "put")) return wasmill_put(cx, store, first, second);
    if (wasmill_is(command, "get")) return get(cx, first);
    if (wasmill_is(command, "delete")) return wasmill_delete(cx, store, first);
    if (wasmill_is(command, "scan")) return scan(cx, first, second);
    if (wasmill_is(command, "many")) return many(cx, rest);
    if (wasmill_is(command, "big")) return big(cx, first, second);
    if (!wasmill_is(command, "count")) return wasmill_failf(cx, 0, "no command %.*s", (int)command.size, command.data);
    int rc = next_count(cx, first, &text);
    return rc == 0 ? emit_value(cx, "count", wasmill_view(&text)) : rc;
}

int count(wasmill_context *cx, wasmill_bytes key) {
    static wasmill_buffer text;
    return next_count(cx, key, &text);
}

// count_end gives out two entries a call. The token is the first key of the
// next one.
int count_end(wasmill_context *cx, wasmill_bytes token) {
    wasmill_cursor cursor;
    wasmill_record out = {0};
    wasmill_bytes none = {NULL, 0};
    int rc, n = 0;
    wasmill_scan(&cursor, store, token, none);
    while ((rc = wasmill_scan_next(cx, &cursor, &out.key, &out.value)) > 0) {
        if (n++ == 2) {
            rc = wasmill_resume(cx, out.key);
            rc = rc < 0 ? rc : WASMILL_MORE;
            break;
        }
        if ((rc = wasmill_emit(cx, &out)) < 0) break;
    }
    wasmill_scan_close(&cursor);
    return rc;
}
