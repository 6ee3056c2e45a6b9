// What all guests compute: an object of JSON with a string "user" and an
// integer "n" becomes {"user":…,"twice":2n}. It is written with the JSON reader
// and writer of sdk-c, which do not care for whom.
#include "wasmill_json.h"

// project appends what it makes of a value to out, and returns whether it is a
// click at all.
static bool project(wasmill_bytes value, wasmill_buffer *out) {
    static wasmill_buffer scratch;
    wasmill_json in;
    wasmill_bytes key, user = {0};
    int64_t n = 0;
    bool have_n = false;
    wasmill_json_open(&in, value, &scratch);
    wasmill_json_object(&in);
    while (wasmill_json_member(&in, &key)) {
        if (wasmill_is(key, "user"))
            wasmill_json_string(&in, &user);
        else if (wasmill_is(key, "n"))
            have_n = wasmill_json_int(&in, &n);
        else
            wasmill_json_skip(&in);
    }
    if (!wasmill_json_end(&in) || !user.data || !have_n) return false;
    wasmill_json_writer w = {out, false};
    wasmill_write_object(&w);
    wasmill_write_key(&w, "user");
    wasmill_write_string(&w, user);
    wasmill_write_key(&w, "twice");
    wasmill_write_int(&w, 2 * n);
    wasmill_write_object_end(&w);
    return true;
}
