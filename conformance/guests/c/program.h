// The conformance program of the C SDK: one step that does what the case in
// its config says.
#pragma once

#include "wasmill.h"

// emit_text emits a record that has a value alone, emit_value one with a key.
int emit_text(wasmill_context *cx, const char *text);
int emit_value(wasmill_context *cx, const char *key, wasmill_bytes value);

// cut splits text at its first space: head is what comes before, and the
// result what comes behind, empty if there is none.
wasmill_bytes cut(wasmill_bytes text, wasmill_bytes *head);

// number reads a decimal number, false if it is none.
bool number(wasmill_bytes text, int64_t *n);

// The cases that are more than a few lines.
int configured(wasmill_context *cx);
int count(wasmill_context *cx, wasmill_bytes key);
int count_end(wasmill_context *cx, wasmill_bytes token);
int info(wasmill_context *cx, const wasmill_record *record);
int json(wasmill_context *cx, wasmill_bytes value);
int state(wasmill_context *cx, wasmill_bytes value);
