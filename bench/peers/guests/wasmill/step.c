// The step as wasmill runs it.
#include "wasmill.h"
#include "../click.h"

int wasmill_step(wasmill_context *cx, const wasmill_record *record) {
    static wasmill_buffer text;
    wasmill_record out = {0};
    text.size = 0;
    if (!project(record->value, &text)) return wasmill_fail(cx, 0, "not a click");
    out.value = wasmill_view(&text);
    return wasmill_emit(cx, &out);
}
