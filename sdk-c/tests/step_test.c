// A step of all calls, over the native host.
#include "../wasmill.h"
#include "../wasmill_json.h"
#include "../wasmill_native.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"

static int seen, level, calls;
static unsigned char reseeded[32];

int wasmill_on_init(wasmill_context *cx) {
    if (wasmill_config_bool(cx, "/fails", false)) return wasmill_fail(cx, 0, "configured to fail");
    seen = wasmill_counter(cx, "seen");
    level = wasmill_gauge(cx, "level");
    return seen < 0 || level < 0 ? -1 : 0;
}

static int scan(wasmill_context *cx) {
    wasmill_cursor cursor;
    wasmill_bytes none = {NULL, 0};
    wasmill_record out = {0};
    int rc;
    wasmill_scan(&cursor, "s", none, none);
    while ((rc = wasmill_scan_next(cx, &cursor, &out.key, &out.value)) > 0) {
        if (wasmill_emit(cx, &out) < 0) break;
    }
    wasmill_scan_close(&cursor);
    return rc;
}

static int many(wasmill_context *cx) {
    wasmill_bytes keys[3] = {wasmill_text("a"), wasmill_text("nothing"), wasmill_text("empty")}, values[3];
    int rc = wasmill_get_many(cx, "s", keys, 3, values);
    for (int i = 0; rc == 0 && i < 3; i++) {
        wasmill_record out = {0};
        out.value = values[i];
        rc = wasmill_emit(cx, &out);
    }
    return rc;
}

static int place(wasmill_context *cx, const wasmill_record *record) {
    wasmill_bytes name = wasmill_partition_name(cx);
    wasmill_buffer text = {0};
    wasmill_appendf(&text, "%s %s %s %u %u %s %s %.*s %u %u", wasmill_job(cx), wasmill_step_name(cx), wasmill_tenant(cx),
                    wasmill_task(cx), wasmill_partitions(cx), wasmill_input(cx, record->stream), wasmill_output(cx, 1),
                    (int)name.size, name.data, wasmill_partition_number(cx), wasmill_count(cx));
    wasmill_record out = {0};
    out.value = wasmill_view(&text);
    int rc = wasmill_output(cx, 2) == NULL ? wasmill_emit_to(cx, "late", &out) : -1;
    wasmill_release(&text);
    return rc;
}

static int headers(wasmill_context *cx, const wasmill_record *record) {
    wasmill_buffer memory = {0};
    wasmill_record out = *record;
    wasmill_bytes none = {NULL, 0}, value;
    if (!wasmill_header_get(&record->headers, "h", &value)) return 1;
    wasmill_header_add(&out.headers, &memory, wasmill_text("more"), none);
    wasmill_header_add(&out.headers, &memory, wasmill_text("copy"), value);
    int rc = wasmill_emit(cx, &out);
    wasmill_release(&memory);
    return rc;
}

int wasmill_step(wasmill_context *cx, const wasmill_record *record) {
    wasmill_bytes old;
    wasmill_buffer sum = {0};
    calls++;
    wasmill_add(cx, seen, 1);
    wasmill_add(cx, level, (int64_t)record->value.size);
    if (wasmill_is(record->value, "scan")) return scan(cx);
    if (wasmill_is(record->value, "many")) return many(cx);
    if (wasmill_is(record->value, "place")) return place(cx, record);
    if (wasmill_is(record->value, "headers")) return headers(cx, record);
    if (wasmill_is(record->value, "code")) return 42;
    if (wasmill_is(record->value, "nowhere")) return wasmill_emit_to(cx, "nowhere", record);
    if (wasmill_is(record->value, "no store")) return wasmill_get(cx, "nothing", record->value, &old);
    if (wasmill_is(record->value, "abort")) WASMILL_ABORT("by hand");
    if (wasmill_is(record->value, "log")) wasmill_logf(cx, WASMILL_WARN, "%d foxes at %lld", 3, (long long)wasmill_now(cx));
    if (wasmill_is(record->value, "large")) {
        static char large[1 << 20];
        wasmill_record out = {0};
        out.value.data = large;
        out.value.size = sizeof large;
        out.key = wasmill_text("k");
        return wasmill_emit(cx, &out);
    }
    int rc = wasmill_get(cx, "s", wasmill_text("sum"), &old);
    if (rc < 0) return rc;
    wasmill_append(&sum, old.data, old.size);
    wasmill_append(&sum, record->value.data, record->value.size);
    rc = wasmill_put(cx, "s", wasmill_text("sum"), wasmill_view(&sum));
    wasmill_release(&sum);
    if (rc < 0 || (rc = wasmill_emit(cx, record)) < 0) return rc;
    return wasmill_is(record->value, "bad") ? wasmill_failf(cx, 7, "bad at %d", 1) : 0;
}

int wasmill_on_end(wasmill_context *cx, wasmill_bytes token) {
    wasmill_record out = {0};
    out.value = wasmill_text(token.size == 0 ? "first" : "second");
    int rc = wasmill_emit(cx, &out);
    if (rc < 0 || token.size > 0) return rc;
    rc = wasmill_resume(cx, wasmill_text("token"));
    return rc < 0 ? rc : WASMILL_MORE;
}

void wasmill_on_resumed(wasmill_context *cx, const unsigned char seed[32]) {
    (void)cx;
    memcpy(reseeded, seed, sizeof reseeded);
}

static void start(void) {
    static const char *const stores[] = {"s", NULL}, *const outputs[] = {"out", "late", NULL};
    wasmill_native_options options = {0};
    options.stores = stores;
    options.outputs = outputs;
    CHECK(wasmill_native_open(&options) == 0);
    calls = 0;
}

static wasmill_record record(const char *value) {
    wasmill_record r = {0};
    r.value = wasmill_text(value);
    r.time = 100;
    return r;
}

static const wasmill_native_result *one(const char *value) {
    wasmill_record r = record(value);
    return wasmill_native_batch(&r, 1);
}

static void test_failures_undo_the_batch_and_the_rest_runs_again(void) {
    wasmill_record in[6];
    const char *const values[] = {"a", "bad", "b", "abort", "code", "c"};
    start();
    for (int i = 0; i < 6; i++) in[i] = record(values[i]), in[i].time = 100 + i;
    const wasmill_native_result *got = wasmill_native_batch(in, 6);
    CHECK(got->status == 0);
    CHECK(got->emitted_count == 3 && got->failed_count == 3);
    if (got->emitted_count != 3 || got->failed_count != 3) return;
    static const int want[] = {0, 2, 5};
    for (int i = 0; i < 3; i++) {
        CHECK_BYTES(got->emitted[i].record.value, values[want[i]]);
        CHECK(got->emitted[i].cause == want[i] && got->emitted[i].record.time == 100 + want[i]);
        CHECK(strcmp(got->emitted[i].output, "out") == 0 && got->emitted[i].record.key.data == NULL);
    }
    // The abort ends the first run, before record 4: it fails in the second.
    CHECK(got->failed[0].index == 1 && got->failed[0].code == 7 && strcmp(got->failed[0].text, "bad at 1") == 0);
    CHECK(got->failed[1].index == 3 && got->failed[1].code == -1 &&
          strstr(got->failed[1].text, "by hand at ") == got->failed[1].text);
    CHECK(strstr(got->failed[1].text, "step_test.c:") != NULL);
    CHECK(got->failed[2].index == 4 && got->failed[2].code == 42 && strcmp(got->failed[2].text, "the step returned 42") == 0);
    CHECK_BYTES(wasmill_native_state("s", "sum"), "abc");
    CHECK(calls == 4 + 4 + 3 && wasmill_native_metric("seen") == calls && wasmill_native_metric("level") > 0);
}

static void test_results_of_calls_reject_with_their_text(void) {
    static const char *const table[][2] = {
        {"nowhere", "wasmill: emit nowhere: the job file declares nothing of this name"},
        {"no store", "wasmill: state_get nothing: the job file declares nothing of this name"},
        {"large", "wasmill: emit: longer than limits"},
    };
    start();
    for (int i = 0; i < 3; i++) {
        const wasmill_native_result *got = one(table[i][0]);
        CHECK(got->status == 0 && got->failed_count == 1 && got->failed[0].code == 0);
        if (got->failed_count == 1 && strstr(got->failed[0].text, table[i][1]) != got->failed[0].text)
            failures++, fprintf(stderr, "%s: %s\n", table[i][0], got->failed[0].text);
    }
}

static void test_stores(void) {
    start();
    wasmill_native_set("s", wasmill_text("b"), wasmill_text("2"));
    wasmill_native_set("s", wasmill_text("a"), wasmill_text("1"));
    wasmill_native_set("s", wasmill_text("empty"), wasmill_text(""));
    wasmill_native_set("s", wasmill_text("gone"), wasmill_text("x"));
    wasmill_native_set("s", wasmill_text("gone"), wasmill_text(NULL));
    const wasmill_native_result *got = one("scan");
    CHECK(got->emitted_count == 3);
    if (got->emitted_count == 3) {
        CHECK_BYTES(got->emitted[0].record.key, "a");
        CHECK_BYTES(got->emitted[1].record.value, "2");
        CHECK_BYTES(got->emitted[2].record.key, "empty");
    }
    got = one("many");
    CHECK(got->emitted_count == 3);
    if (got->emitted_count == 3) {
        CHECK_BYTES(got->emitted[0].record.value, "1");
        CHECK(got->emitted[1].record.value.data == NULL);
        CHECK_BYTES(got->emitted[2].record.value, "");
    }
}

static void test_a_scan_goes_over_many_pages(void) {
    char key[16];
    static char value[1000];
    start();
    for (int i = 0; i < 300; i++) {
        snprintf(key, sizeof key, "%03d", i);
        wasmill_bytes bytes = {value, sizeof value};
        wasmill_native_set("s", wasmill_text(key), bytes);
    }
    wasmill_bytes long_value = {(char *)calloc(1, 200000), 200000}; // more than a page
    wasmill_native_set("s", wasmill_text("150"), long_value);
    const wasmill_native_result *got = one("scan");
    CHECK(got->emitted_count == 300);
    for (size_t i = 0; i < got->emitted_count; i++) {
        snprintf(key, sizeof key, "%03d", (int)i);
        CHECK_BYTES(got->emitted[i].record.key, key);
    }
    free((void *)(uintptr_t)long_value.data);
}

static void test_place_and_headers(void) {
    start();
    wasmill_record in = record("place");
    const wasmill_native_result *got = wasmill_native_batch_of("a/b", 9, &in, 1);
    CHECK(got->emitted_count == 1);
    if (got->emitted_count == 1) {
        CHECK(strcmp(got->emitted[0].output, "late") == 0);
        CHECK_BYTES(got->emitted[0].record.value, "test test default 0 1 in late a/b 9 1");
    }
    wasmill_buffer memory = {0};
    in = record("headers");
    wasmill_header_add(&in.headers, &memory, wasmill_text("h"), wasmill_text("x"));
    got = wasmill_native_batch(&in, 1);
    CHECK(got->emitted_count == 1);
    if (got->emitted_count == 1) {
        wasmill_header header;
        size_t at = 0;
        const wasmill_headers *all = &got->emitted[0].record.headers;
        CHECK(all->count == 3);
        CHECK(wasmill_header_next(all, &at, &header) && wasmill_is(header.name, "h") && wasmill_is(header.value, "x"));
        CHECK(wasmill_header_next(all, &at, &header) && wasmill_is(header.name, "more") && header.value.data == NULL);
        CHECK(wasmill_header_next(all, &at, &header) && wasmill_is(header.name, "copy") && wasmill_is(header.value, "x"));
        CHECK(!wasmill_header_next(all, &at, &header));
    }
    wasmill_release(&memory);
}

static void test_end_goes_on_by_its_token(void) {
    start();
    const wasmill_native_result *got = wasmill_native_end();
    CHECK(got->status == 0 && got->emitted_count == 2);
    if (got->emitted_count == 2) {
        CHECK_BYTES(got->emitted[1].record.value, "second");
        CHECK(got->emitted[0].cause == -1 && got->emitted[0].record.time == WASMILL_NO_TIME);
    }
}

static void test_log_and_init(void) {
    wasmill_native_options options = {0};
    wasmill_record in = record("log");
    start();
    in.time = 5;
    wasmill_native_batch(&in, 1);
    CHECK(strcmp(wasmill_native_log(), "warn: 3 foxes at 5001000\n") == 0);
    options.config = "{\"fails\": true}";
    CHECK(wasmill_native_open(&options) == -WASMILL_EINVAL);
    CHECK(strcmp(wasmill_native_log(), "error: configured to fail\n") == 0);
    options.config = "{\"fails\": true";
    CHECK(wasmill_native_open(&options) == -WASMILL_EINVAL);
    CHECK(strstr(wasmill_native_log(), "the payload of init is not") != NULL);
}

int main(void) {
    test_failures_undo_the_batch_and_the_rest_runs_again();
    test_results_of_calls_reject_with_their_text();
    test_stores();
    test_a_scan_goes_over_many_pages();
    test_place_and_headers();
    test_end_goes_on_by_its_token();
    test_log_and_init();
    wasmill_native_close();
    return failures != 0;
}
