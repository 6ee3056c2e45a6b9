#include "program.h"

#include "wasmill_json.h"

int json(wasmill_context *cx, wasmill_bytes value) {
    static wasmill_buffer scratch, out;
    wasmill_bytes key, user = {NULL, 0};
    int64_t n = 0;
    bool has_user = false, has_n = false;
    wasmill_json in;
    wasmill_json_open(&in, value, &scratch);
    bool object = wasmill_json_object(&in);
    while (object && wasmill_json_member(&in, &key)) {
        if (wasmill_is(key, "user"))
            has_user = wasmill_json_string(&in, &user);
        else if (wasmill_is(key, "n"))
            has_n = wasmill_json_int(&in, &n);
        else
            wasmill_json_skip(&in);
    }
    if (!object || !wasmill_json_end(&in) || !has_user || !has_n) return wasmill_fail(cx, 0, "not a click");
    out.size = 0;
    wasmill_json_writer write = {&out, false};
    wasmill_write_object(&write);
    wasmill_write_key(&write, "user");
    wasmill_write_string(&write, user);
    wasmill_write_key(&write, "twice");
    wasmill_write_int(&write, 2 * n);
    wasmill_write_object_end(&write);
    return emit_value(cx, NULL, wasmill_view(&out));
}
