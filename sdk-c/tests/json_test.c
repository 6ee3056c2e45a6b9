// The reader and the writer of JSON.
#include "../wasmill_json.h"

#include <string.h>

#include "check.h"

void wasmill_abort(const char *text, const char *file, int line) {
    fprintf(stderr, "%s:%d: %s\n", file, line, text);
    __builtin_trap();
}

static wasmill_buffer scratch, out;

static wasmill_json over(const char *text) {
    wasmill_json json;
    wasmill_json_open(&json, wasmill_text(text), &scratch);
    return json;
}

static bool valid(const char *text) {
    wasmill_json json = over(text);
    bool skipped = wasmill_json_skip(&json);
    return wasmill_json_end(&json) && skipped;
}

static void test_skip_accepts_json_alone(void) {
    static const char *const good[] = {
        "null",
        " true ",
        "false",
        "0",
        "-0",
        "10.5e+3",
        "1E9",
        "\"\"",
        "\"a\\u00e9\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
        "[]",
        "{}",
        "[ ]",
        "{ }",
        "[1,2]",
        "[[],{}]",
        "{\"a\":1}",
        "{\"a\":[{\"b\":{}}],\"c\":null}",
        "\"caf\xc3\xa9 and more than eight bytes\"",
        "\"\xf0\x9f\x98\x80\"",
        "\"\\ud83d\"",
        "\"\x7f\"",
    };
    static const char *const bad[] = {
        "",
        " ",
        "nul",
        "nulll",
        "True",
        "01",
        "-",
        "1.",
        ".5",
        "1e",
        "1e+",
        "+1",
        "\"",
        "\"a",
        "\"\\",
        "\"\\q\"",
        "\"\\u12\"",
        "\"\\u123g\"",
        "\"\n\"",
        "\"12345678\x01\"",
        "\"\xff\"",
        "\"\xc0\xaf\"",
        "\"\xed\xa0\x80\"",
        "\"\xe0\x80\x80\"",
        "\"\xf5\x80\x80\x80\"",
        "\"\xc3\"",
        "[",
        "]",
        "[1",
        "[1,",
        "[1,]",
        "[,1]",
        "[1 2]",
        "{",
        "{\"a\"",
        "{\"a\":",
        "{\"a\":1",
        "{\"a\":1,",
        "{\"a\":1,}",
        "{,}",
        "{1:2}",
        "{\"a\" 1}",
        "{\"a\":1]",
        "[1}",
        "1 2",
        "{} {}",
        "NaN",
        "Infinity",
        "'a'",
        "\xef\xbb\xbf{}",
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        if (!valid(good[i])) failures++, fprintf(stderr, "refused: %s\n", good[i]);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (valid(bad[i])) failures++, fprintf(stderr, "accepted: %s\n", bad[i]);
    }
}

static void test_skip_is_bounded(void) {
    static char deep[2 * 1025 + 1];
    memset(deep, '[', 1024);
    memset(deep + 1024, ']', 1024);
    deep[2048] = 0;
    CHECK(valid(deep));
    memset(deep, '[', 1025);
    memset(deep + 1025, ']', 1025);
    CHECK(!valid(deep));
}

static void test_members(void) {
    wasmill_json json = over(
        " {\"user\" : \"u\\u00e9\\ud83d\\ude00\", \"n\":-12, \"list\":[1, 2.5 ,true,[]], \"p\\/q\":\"plain\", \"none\":null, \"n\":7} ");
    wasmill_bytes key, user = {NULL, 0}, plain = {NULL, 0};
    int64_t n = 0, sum = 0;
    double fraction = 0;
    bool yes = false, none = false;
    CHECK(wasmill_json_object(&json));
    while (wasmill_json_member(&json, &key)) {
        if (wasmill_is(key, "user")) {
            CHECK(wasmill_json_string(&json, &user));
        } else if (wasmill_is(key, "n")) {
            CHECK(wasmill_json_int(&json, &n));
            sum += n;
        } else if (wasmill_is(key, "list")) {
            CHECK(wasmill_json_array(&json));
            CHECK(wasmill_json_element(&json) && wasmill_json_int(&json, &n) && n == 1);
            CHECK(wasmill_json_element(&json) && wasmill_json_double(&json, &fraction) && fraction == 2.5);
            CHECK(wasmill_json_element(&json) && wasmill_json_bool(&json, &yes) && yes);
            CHECK(wasmill_json_element(&json) && wasmill_json_array(&json) && !wasmill_json_element(&json));
            CHECK(!wasmill_json_element(&json));
        } else if (wasmill_is(key, "p/q")) {
            CHECK(wasmill_json_string(&json, &plain));
        } else {
            none = wasmill_json_null(&json);
        }
    }
    CHECK(wasmill_json_end(&json));
    CHECK_BYTES(user, "u\xc3\xa9\xf0\x9f\x98\x80");
    CHECK_BYTES(plain, "plain");
    CHECK(sum == -5 && none);
}

static void test_values_of_other_types_are_passed_over(void) {
    wasmill_json json =
        over("[1.0,\"1\",9223372036854775808,-9223372036854775808,9223372036854775807,{\"a\":1},false,\"\\ud800x\"]");
    int64_t n = 3;
    wasmill_bytes text = {NULL, 0};
    CHECK(wasmill_json_array(&json));
    CHECK(wasmill_json_element(&json) && !wasmill_json_int(&json, &n));
    CHECK(wasmill_json_element(&json) && !wasmill_json_int(&json, &n));
    CHECK(wasmill_json_element(&json) && !wasmill_json_int(&json, &n) && n == 3);
    CHECK(wasmill_json_element(&json) && wasmill_json_int(&json, &n) && n == INT64_MIN);
    CHECK(wasmill_json_element(&json) && wasmill_json_int(&json, &n) && n == INT64_MAX);
    CHECK(wasmill_json_element(&json) && !wasmill_json_string(&json, &text));
    CHECK(wasmill_json_element(&json) && !wasmill_json_array(&json));
    CHECK(wasmill_json_element(&json) && wasmill_json_string(&json, &text));
    CHECK_BYTES(text, "\xef\xbf\xbdx");
    CHECK(!wasmill_json_element(&json) && wasmill_json_end(&json));
}

static void test_find(void) {
    const char *text = "{\"a\":[1,{\"b/c\":\"x\"}],\"~\":2,\"a\":[0,{\"b/c\":\"y\"}],\"\":3}";
    wasmill_bytes value;
    CHECK(wasmill_json_find(wasmill_text(text), "/a/1/b~1c", &value));
    CHECK_BYTES(value, "\"y\"");
    CHECK(wasmill_json_find(wasmill_text(text), "/~0", &value));
    CHECK_BYTES(value, "2");
    CHECK(wasmill_json_find(wasmill_text(text), "/", &value));
    CHECK_BYTES(value, "3");
    CHECK(wasmill_json_find(wasmill_text(" 5 "), "", &value));
    CHECK_BYTES(value, "5");
    CHECK(!wasmill_json_find(wasmill_text(text), "/a/2", &value));
    CHECK(!wasmill_json_find(wasmill_text(text), "/a/01", &value));
    CHECK(!wasmill_json_find(wasmill_text(text), "a", &value));
    CHECK(!wasmill_json_find(wasmill_text("{\"a\":1,}"), "/a", &value));
}

static void test_writer(void) {
    wasmill_json_writer json = {&out, false};
    wasmill_bytes none = {NULL, 0}, controls = {"\x00\x01\b\t\n\x0b\f\r\x1f\x7f", 10};
    out.size = 0;
    wasmill_write_object(&json);
    wasmill_write_key(&json, "text");
    wasmill_write_string(&json, wasmill_text("a long line of \"text\" with \\ and caf\xc3\xa9 / in it"));
    wasmill_write_key(&json, "controls");
    wasmill_write_string(&json, controls);
    wasmill_write_key(&json, "list");
    wasmill_write_array(&json);
    wasmill_write_int(&json, INT64_MIN);
    wasmill_write_int(&json, 0);
    wasmill_write_bool(&json, true);
    wasmill_write_string(&json, none);
    wasmill_write_double(&json, 0.1);
    wasmill_write_object(&json);
    wasmill_write_object_end(&json);
    wasmill_write_array(&json);
    wasmill_write_array_end(&json);
    wasmill_write_array_end(&json);
    wasmill_write_key(&json, "");
    wasmill_write_raw(&json, wasmill_text("[1]"));
    wasmill_write_object_end(&json);
    CHECK_BYTES(wasmill_view(&out), "{\"text\":\"a long line of \\\"text\\\" with \\\\ and caf\xc3\xa9 / in it\","
                                    "\"controls\":\"\\u0000\\u0001\\b\\t\\n\\u000b\\f\\r\\u001f\x7f\","
                                    "\"list\":[-9223372036854775808,0,true,null,0.1,{},[]],\"\":[1]}");
}

int main(void) {
    test_skip_accepts_json_alone();
    test_skip_is_bounded();
    test_members();
    test_values_of_other_types_are_passed_over();
    test_find();
    test_writer();
    wasmill_release(&scratch);
    wasmill_release(&out);
    return failures != 0;
}
