#include "program.h"

#include "wasmill_json.h"

// list writes the numbers of the config's list, with a comma between them.
static void list(wasmill_context *cx, wasmill_buffer *text) {
    wasmill_bytes raw;
    wasmill_buffer scratch = {0};
    wasmill_json in;
    int64_t n;
    if (!wasmill_json_find(wasmill_config(cx), "/list", &raw)) return;
    wasmill_json_open(&in, raw, &scratch);
    if (!wasmill_json_array(&in)) return;
    for (bool first = true; wasmill_json_element(&in); first = false) {
        if (!wasmill_json_int(&in, &n)) continue;
        if (!first) wasmill_append_text(text, ",");
        wasmill_append_int(text, n);
    }
}

int configured(wasmill_context *cx) {
    static wasmill_buffer text;
    wasmill_bytes nothing = wasmill_text("null");
    int rc;
    wasmill_json_find(wasmill_config(cx), "/nothing", &nothing);
    for (int line = 0; line < 6; line++) {
        text.size = 0;
        switch (line) {
        case 0: wasmill_appendf(&text, "text=%s", wasmill_config_text(cx, "/text", "")); break;
        case 1: wasmill_appendf(&text, "number=%lld", (long long)wasmill_config_int(cx, "/number", 0)); break;
        case 2:
            wasmill_append_text(&text, "list=");
            list(cx, &text);
            break;
        case 3: wasmill_appendf(&text, "flag=%s", wasmill_config_bool(cx, "/flag", false) ? "true" : "false"); break;
        case 4: wasmill_appendf(&text, "nothing=%.*s", (int)nothing.size, nothing.data); break;
        default: wasmill_appendf(&text, "nested=%s", wasmill_config_text(cx, "/nested/a/b", "")); break;
        }
        if ((rc = emit_value(cx, NULL, wasmill_view(&text))) < 0) return rc;
    }
    return 0;
}

// names writes the names that name gives, with a comma between them.
static void names(const wasmill_context *cx, wasmill_buffer *text, const char *(*name)(const wasmill_context *, size_t)) {
    for (size_t i = 0; name(cx, i) != NULL; i++) wasmill_appendf(text, "%s%s", i == 0 ? " " : ",", name(cx, i));
}

int info(wasmill_context *cx, const wasmill_record *record) {
    static wasmill_buffer text;
    wasmill_bytes from = wasmill_partition_name(cx);
    text.size = 0;
    wasmill_appendf(&text, "%s %s %s %u %u", wasmill_job(cx), wasmill_step_name(cx), wasmill_tenant(cx), (unsigned)wasmill_task(cx),
                    (unsigned)wasmill_partitions(cx));
    names(cx, &text, wasmill_input);
    names(cx, &text, wasmill_output);
    int rc = emit_value(cx, NULL, wasmill_view(&text));
    if (rc < 0) return rc;
    text.size = 0;
    wasmill_appendf(&text, "%u ", (unsigned)wasmill_partition_number(cx));
    wasmill_append(&text, from.data, from.size);
    wasmill_appendf(&text, " %lld %u ", (long long)record->position, record->stream);
    if (record->time == WASMILL_NO_TIME)
        wasmill_append_text(&text, "none");
    else
        wasmill_append_int(&text, record->time);
    return emit_value(cx, NULL, wasmill_view(&text));
}
