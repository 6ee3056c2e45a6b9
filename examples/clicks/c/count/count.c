// A step that keeps totals of clicks by page, and gives out the new ones.
#include "wasmill.h"
#include "wasmill_json.h"

static wasmill_buffer scratch, state, out;

// number reads the digits at the start of text and passes over them and one
// byte more.
static int64_t number(wasmill_bytes *text) {
    int64_t n = 0;
    size_t i = 0;
    for (; i < text->size && text->data[i] != ' '; i++) n = n * 10 + (text->data[i] - '0');
    i += i < text->size;
    text->data += i;
    text->size -= i;
    return n;
}

int wasmill_step(wasmill_context *cx, const wasmill_record *record) {
    wasmill_bytes key, page = {NULL, 0}, region = {"", 0}, old;
    int64_t ms = 0, views = 1;
    wasmill_json json;
    wasmill_json_open(&json, record->value, &scratch);
    bool object = wasmill_json_object(&json);
    while (object && wasmill_json_member(&json, &key)) {
        if (wasmill_is(key, "page"))
            wasmill_json_string(&json, &page);
        else if (wasmill_is(key, "ms"))
            wasmill_json_int(&json, &ms);
        else if (wasmill_is(key, "region"))
            wasmill_json_string(&json, &region);
        else
            wasmill_json_skip(&json);
    }
    if (!object || !wasmill_json_end(&json) || page.data == NULL) return wasmill_fail(cx, 0, "not a click");

    int rc = wasmill_get(cx, "totals", page, &old);
    if (rc < 0) return rc;
    if (rc > 0) {
        views += number(&old);
        ms += number(&old);
    }
    state.size = 0;
    wasmill_append_int(&state, views);
    wasmill_append_text(&state, " ");
    wasmill_append_int(&state, ms);
    if ((rc = wasmill_put(cx, "totals", page, wasmill_view(&state))) < 0) return rc;

    wasmill_record total = {0};
    wasmill_json_writer write = {&out, false};
    out.size = 0;
    wasmill_write_object(&write);
    wasmill_write_key(&write, "page");
    wasmill_write_string(&write, page);
    wasmill_write_key(&write, "views");
    wasmill_write_int(&write, views);
    wasmill_write_key(&write, "ms");
    wasmill_write_int(&write, ms);
    wasmill_write_key(&write, "region");
    wasmill_write_string(&write, region);
    wasmill_write_object_end(&write);
    total.key = page;
    total.value = wasmill_view(&out);
    return wasmill_emit(cx, &total);
}
