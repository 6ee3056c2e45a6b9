// What the decoder and the JSON reader get from outside never makes them read
// beyond it, and they agree with themselves: a frame that is read comes out of
// the encoder as it was, JSON that is read comes out of the writer as JSON.
//
// The entry is libFuzzer's. Built without it, main feeds it the inputs that it
// makes by changing seeds, for as many seconds as the first argument says; the
// second is the seed of the changes.
#include "../wasmill_frame.h"
#include "../wasmill_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void wasmill_abort(const char *text, const char *file, int line) {
    fprintf(stderr, "%s:%d: %s\n", file, line, text);
    abort();
}

static void must(bool ok, const char *what) {
    if (ok) return;
    fprintf(stderr, "%s\n", what);
    abort();
}

static void fuzz_frame(const char *data, size_t size) {
    wasmill_frame frame;
    wasmill_record record;
    wasmill_buffer again = {0};
    wasmill_header header;
    uint32_t cause, n = 0;
    int rc;
    if (!wasmill_frame_open(&frame, data, size)) return;
    wasmill_frame_begin(&again, frame.partition_name, frame.partition_number);
    while ((rc = wasmill_frame_next(&frame, &record, &cause)) > 0) {
        uint32_t headers = 0;
        for (size_t at = 0; wasmill_header_next(&record.headers, &at, &header);) headers++;
        must(headers == record.headers.count, "headers are lost");
        wasmill_frame_add(&again, &record, cause);
        n++;
    }
    wasmill_frame_end(&again, n);
    wasmill_bytes bytes = {data, size};
    must(rc < 0 || wasmill_equal(wasmill_view(&again), bytes), "a frame is encoded otherwise than it was");
    wasmill_release(&again);
}

// copy_value writes the next value of in to out.
static void copy_value(wasmill_json *in, wasmill_json_writer *out, int depth) {
    wasmill_bytes text;
    int64_t n;
    bool yes;
    switch (wasmill_json_next(in)) {
    case WASMILL_JSON_STRING:
        if (wasmill_json_string(in, &text)) wasmill_write_string(out, text);
        break;
    case WASMILL_JSON_BOOL:
        if (wasmill_json_bool(in, &yes)) wasmill_write_bool(out, yes);
        break;
    case WASMILL_JSON_OBJECT:
        if (depth == 0) break;
        wasmill_json_object(in);
        wasmill_write_object(out);
        while (wasmill_json_member(in, &text)) {
            wasmill_write_key_bytes(out, text);
            copy_value(in, out, depth - 1);
        }
        wasmill_write_object_end(out);
        return;
    case WASMILL_JSON_ARRAY:
        if (depth == 0) break;
        wasmill_json_array(in);
        wasmill_write_array(out);
        while (wasmill_json_element(in)) copy_value(in, out, depth - 1);
        wasmill_write_array_end(out);
        return;
    case WASMILL_JSON_NUMBER: {
        wasmill_json before = *in;
        if (wasmill_json_int(in, &n)) {
            wasmill_write_int(out, n);
        } else {
            *in = before;
            if (wasmill_json_raw(in, &text)) wasmill_write_raw(out, text);
        }
        return;
    }
    default:
        wasmill_write_null(out);
        wasmill_json_skip(in);
        return;
    }
    if (depth == 0 && wasmill_json_raw(in, &text)) wasmill_write_raw(out, text);
}

static bool valid(wasmill_bytes text, wasmill_buffer *scratch) {
    wasmill_json json;
    wasmill_json_open(&json, text, scratch);
    wasmill_json_skip(&json);
    return wasmill_json_end(&json);
}

static void fuzz_json(const char *data, size_t size) {
    wasmill_buffer scratch = {0}, once = {0}, twice = {0};
    wasmill_bytes text = {data, size}, value;
    wasmill_json json;
    bool is = valid(text, &scratch);
    wasmill_json_writer writer = {&once, false};
    wasmill_json_open(&json, text, &scratch);
    copy_value(&json, &writer, 50);
    must(wasmill_json_end(&json) == is, "reading and skipping do not agree on what is JSON");
    if (is) {
        must(valid(wasmill_view(&once), &scratch), "what is written is no JSON");
        writer.out = &twice;
        writer.comma = false;
        wasmill_json_open(&json, wasmill_view(&once), &scratch);
        copy_value(&json, &writer, 50);
        must(wasmill_equal(wasmill_view(&once), wasmill_view(&twice)), "what is written reads otherwise");
        wasmill_json_find(text, "/a/0", &value);
    }
    wasmill_release(&scratch);
    wasmill_release(&once);
    wasmill_release(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *exact = (char *)malloc(size + 1); // nothing may be read behind it
    memcpy(exact + 1, data, size);
    fuzz_frame(exact + 1, size);
    fuzz_json(exact + 1, size);
    free(exact);
    return 0;
}

#ifndef LIBFUZZER

static uint64_t state;

static uint32_t below(uint32_t n) { // xorshift64*
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return (uint32_t)((state * 0x2545f4914f6cdd1dULL) >> 32) % n;
}

static const char *const seeds[] = {
    "{\"user\":\"u\\u00e9\\ud83d\\ude00\",\"n\":-12,\"list\":[1,2.5e-3,true,[],{}],\"none\":null}",
    "[\"caf\xc3\xa9 and more than eight bytes\",\"\\\"\\\\\\/\\b\\f\\n\\r\\t\",9223372036854775807,{\"a\":[{\"b\":false}]}]",
};

// frame_seed makes a frame of a few records.
static void frame_seed(wasmill_buffer *out) {
    wasmill_record record;
    wasmill_buffer memory = {0};
    memset(&record, 0, sizeof record);
    wasmill_frame_begin(out, wasmill_text("clicks/3"), 3);
    record.key = wasmill_text("key");
    record.value = wasmill_text("a value of some length");
    wasmill_header_add(&record.headers, &memory, wasmill_text("h"), wasmill_text("x"));
    wasmill_header_add(&record.headers, &memory, wasmill_text("null"), wasmill_text(NULL));
    wasmill_frame_add(out, &record, 0);
    memset(&record, 0, sizeof record);
    record.value = wasmill_text("");
    wasmill_frame_add(out, &record, 1);
    wasmill_frame_end(out, 2);
    wasmill_release(&memory);
}

static void change(wasmill_buffer *b) {
    static const char likely[] = "{}[]\",:\\u0123456789-.eEtrufalsn \n\x7f\x80\xc3\xff\x00\x01";
    for (uint32_t n = below(4) + 1; n > 0 && b->size > 1; n--) {
        size_t at = below((uint32_t)b->size);
        switch (below(4)) {
        case 0: b->data[at] = likely[below(sizeof likely - 1)]; break;
        case 1: b->data[at] ^= (char)(1 << below(8)); break;
        case 2: b->size -= below((uint32_t)(b->size - at)); break;
        default: {
            size_t from = below((uint32_t)b->size), size = below((uint32_t)(b->size - from));
            wasmill_reserve(b, size);
            memmove(b->data + at + size, b->data + at, b->size - at);
            memmove(b->data + at, b->data + from, size);
            b->size += size;
        }
        }
        if (b->size > 4096) b->size = 4096;
    }
}

int main(int argc, char **argv) {
    double seconds = argc > 1 ? atof(argv[1]) : 1;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : (uint64_t)time(NULL);
    state = seed * 2 + 1;
    printf("seed %llu\n", (unsigned long long)seed);
    fflush(stdout);
    wasmill_buffer input = {0};
    unsigned long runs = 0;
    for (clock_t end = clock() + (clock_t)(seconds * CLOCKS_PER_SEC); clock() < end; runs++) {
        uint32_t kind = below(3);
        input.size = 0;
        if (kind < 2)
            wasmill_append_text(&input, seeds[kind]);
        else
            frame_seed(&input);
        change(&input);
        if (kind == 2 && input.size >= 16 && below(2) == 0) wasmill_put32(input.data + 12, (uint32_t)input.size);
        LLVMFuzzerTestOneInput((const uint8_t *)input.data, input.size);
    }
    printf("%lu inputs\n", runs);
    wasmill_release(&input);
    return 0;
}

#endif
