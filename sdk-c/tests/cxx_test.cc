// The SDK from C++17: a step in C++ with its test.
#include <string>
#include <string_view>

#include "../wasmill.h"
#include "../wasmill_json.h"
#include "../wasmill_native.h"
#include "check.h"

static std::string greeting;

int wasmill_on_init(wasmill_context *cx) {
    greeting = wasmill_config_text(cx, "/greeting", "hello");
    return 0;
}

int wasmill_step(wasmill_context *cx, const wasmill_record *record) {
    const std::string_view name(record->value.data, record->value.size);
    if (name.empty()) return wasmill_fail(cx, 3, "no name");
    const std::string text = greeting + ", " + std::string(name);
    wasmill_record out{};
    out.key = record->key;
    out.value = {text.data(), text.size()};
    return wasmill_emit(cx, &out);
}

int main() {
    wasmill_native_options options{};
    options.config = R"({"greeting": "good morning"})";
    CHECK(wasmill_native_open(&options) == 0);
    wasmill_record in[2]{};
    in[0].value = wasmill_text("fox");
    in[1].value = wasmill_text("");
    const wasmill_native_result *got = wasmill_native_batch(in, 2);
    CHECK(got->emitted_count == 1 && got->failed_count == 1);
    if (got->emitted_count == 1) CHECK_BYTES(got->emitted[0].record.value, "good morning, fox");
    if (got->failed_count == 1) CHECK(got->failed[0].index == 1 && got->failed[0].code == 3);
    wasmill_native_close();
    return failures != 0;
}
