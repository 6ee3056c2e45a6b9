// A step that makes clicks of lines of JSON: what is no click is rejected, and
// the country becomes a region.
#include "wasmill.h"
#include "wasmill_json.h"

static wasmill_buffer scratch, out;

// The config: regions by country, and the region of all others. The views are
// of the config, which lives as long as the instance, and of names.
enum { MOST = 256 };
static struct {
    wasmill_bytes country, region;
} regions[MOST];
static size_t count;
static wasmill_bytes otherwise;
static wasmill_buffer names;

int wasmill_on_init(wasmill_context *cx) {
    wasmill_bytes all, country, region;
    wasmill_json json;
    otherwise = wasmill_text(wasmill_config_text(cx, "/otherwise", NULL));
    if (otherwise.data == NULL) return wasmill_fail(cx, 0, "the config has no otherwise");
    if (!wasmill_json_find(wasmill_config(cx), "/regions", &all)) return 0;
    wasmill_json_open(&json, all, &names);
    bool object = wasmill_json_object(&json);
    while (object && wasmill_json_member(&json, &country)) {
        if (count == MOST) return wasmill_failf(cx, 0, "the config has more than %d regions", MOST);
        if (!wasmill_json_string(&json, &region)) return wasmill_fail(cx, 0, "a region of the config is no string");
        regions[count].country = country;
        regions[count++].region = region;
    }
    return 0;
}

static wasmill_bytes region_of(wasmill_bytes country) {
    for (size_t i = 0; i < count; i++) {
        if (wasmill_equal(regions[i].country, country)) return regions[i].region;
    }
    return otherwise;
}

int wasmill_step(wasmill_context *cx, const wasmill_record *record) {
    wasmill_bytes key, user = {NULL, 0}, page = {NULL, 0}, country = {NULL, 0};
    int64_t ms = -1;
    bool has_user = false, has_page = false, has_ms = false, has_country = false;
    wasmill_json json;
    wasmill_json_open(&json, record->value, &scratch);
    if (!wasmill_json_object(&json)) return wasmill_fail(cx, 0, "not JSON");
    while (wasmill_json_member(&json, &key)) {
        if (wasmill_is(key, "user"))
            has_user = wasmill_json_string(&json, &user);
        else if (wasmill_is(key, "page"))
            has_page = wasmill_json_string(&json, &page);
        else if (wasmill_is(key, "ms"))
            has_ms = wasmill_json_int(&json, &ms);
        else if (wasmill_is(key, "country"))
            has_country = wasmill_json_string(&json, &country);
        else
            wasmill_json_skip(&json);
    }
    if (!wasmill_json_end(&json)) return wasmill_fail(cx, 0, "not JSON");
    if (!has_user || user.size == 0) return wasmill_fail(cx, 0, "user is missing");
    if (!has_page || page.size == 0) return wasmill_fail(cx, 0, "page is missing");
    if (!has_ms || ms < 0 || ms > INT32_MAX) return wasmill_fail(cx, 0, "ms is not a number");

    wasmill_record click = {0};
    wasmill_json_writer write = {&out, false};
    out.size = 0;
    wasmill_write_object(&write);
    wasmill_write_key(&write, "user");
    wasmill_write_string(&write, user);
    wasmill_write_key(&write, "page");
    wasmill_write_string(&write, page);
    wasmill_write_key(&write, "ms");
    wasmill_write_int(&write, ms);
    wasmill_write_key(&write, "region");
    wasmill_write_string(&write, has_country ? region_of(country) : otherwise);
    wasmill_write_object_end(&write);
    click.value = wasmill_view(&out);
    return wasmill_emit(cx, &click);
}
