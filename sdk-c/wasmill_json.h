// JSON for steps: a reader that pulls values out of a text, and a writer that
// appends to a buffer. Neither makes a tree.
//
//     wasmill_json json;
//     wasmill_bytes key, user = {0};
//     int64_t ms = 0;
//     wasmill_json_open(&json, record->value, &scratch);
//     wasmill_json_object(&json);
//     while (wasmill_json_member(&json, &key)) {
//         if (wasmill_is(key, "user"))
//             wasmill_json_string(&json, &user);
//         else if (wasmill_is(key, "ms"))
//             wasmill_json_int(&json, &ms);
//         else
//             wasmill_json_skip(&json);
//     }
//     if (!wasmill_json_end(&json)) return wasmill_fail(cx, 0, "not JSON");
#ifndef WASMILL_JSON_H
#define WASMILL_JSON_H

#include "wasmill.h"

#ifdef __cplusplus
extern "C" {
#endif

// A reader. It accepts exactly RFC 8259 in UTF-8, to a depth of 1,024.
typedef struct wasmill_json {
    const char *at, *end;
    wasmill_buffer *scratch;
    bool failed; // the text is no JSON; nothing is read any more
    bool first;  // nothing has been read of the innermost object or array
} wasmill_json;

typedef enum wasmill_json_type {
    WASMILL_JSON_NONE, // the end, or no JSON
    WASMILL_JSON_NULL,
    WASMILL_JSON_BOOL,
    WASMILL_JSON_NUMBER,
    WASMILL_JSON_STRING,
    WASMILL_JSON_ARRAY,
    WASMILL_JSON_OBJECT
} wasmill_json_type;

// wasmill_json_open begins to read. Strings are views of the text, those with
// escapes of scratch, which is the caller's and holds nothing else; both are
// good until scratch is used again.
void wasmill_json_open(wasmill_json *json, wasmill_bytes text, wasmill_buffer *scratch);

// wasmill_json_next tells the type of the next value and leaves it there.
wasmill_json_type wasmill_json_next(wasmill_json *json);

// The functions below read one value and report whether it was of their type
// and in their range; if not, it is passed over and what they point to stays as
// it was. A surrogate that is alone becomes U+FFFD.
bool wasmill_json_string(wasmill_json *json, wasmill_bytes *value);
bool wasmill_json_int(wasmill_json *json, int64_t *value); // written without fraction and exponent
bool wasmill_json_bool(wasmill_json *json, bool *value);
bool wasmill_json_null(wasmill_json *json);
bool wasmill_json_raw(wasmill_json *json, wasmill_bytes *text); // any value, as it is written
bool wasmill_json_skip(wasmill_json *json);
#if __STDC_HOSTED__
bool wasmill_json_double(wasmill_json *json, double *value);
#endif

// wasmill_json_object enters an object. Then wasmill_json_member gives the key
// of each of its members, whose value is to be read or skipped, until it is
// false behind the last. If the value is no object it is passed over and there
// are no members. wasmill_json_array and wasmill_json_element are the same for
// arrays. A loop may not be left early.
bool wasmill_json_object(wasmill_json *json);
bool wasmill_json_member(wasmill_json *json, wasmill_bytes *key);
bool wasmill_json_array(wasmill_json *json);
bool wasmill_json_element(wasmill_json *json);

// wasmill_json_end reports whether the whole text was read and was JSON.
bool wasmill_json_end(wasmill_json *json);

// wasmill_json_find finds a value by a JSON Pointer such as "/a/0/b" and makes
// value its text; false if it is not there. Of a key that repeats the last
// member counts.
bool wasmill_json_find(wasmill_bytes text, const char *pointer, wasmill_bytes *value);

// A writer, which puts commas and quotes. {&buffer, false} is a new one.
typedef struct wasmill_json_writer {
    wasmill_buffer *out;
    bool comma; // one is due before the next value
} wasmill_json_writer;

// Strings are UTF-8; only what JSON says must be escaped is. The writer does
// not check that what is opened gets closed.
void wasmill_write_object(wasmill_json_writer *json);
void wasmill_write_object_end(wasmill_json_writer *json);
void wasmill_write_array(wasmill_json_writer *json);
void wasmill_write_array_end(wasmill_json_writer *json);
void wasmill_write_key(wasmill_json_writer *json, const char *key);
void wasmill_write_key_bytes(wasmill_json_writer *json, wasmill_bytes key);
void wasmill_write_string(wasmill_json_writer *json, wasmill_bytes value); // null if it is null
void wasmill_write_int(wasmill_json_writer *json, int64_t value);
void wasmill_write_bool(wasmill_json_writer *json, bool value);
void wasmill_write_null(wasmill_json_writer *json);
void wasmill_write_raw(wasmill_json_writer *json, wasmill_bytes text); // JSON already
#if __STDC_HOSTED__
void wasmill_write_double(wasmill_json_writer *json, double value); // null if it is not finite
#endif

#ifdef __cplusplus
}
#endif

#endif
