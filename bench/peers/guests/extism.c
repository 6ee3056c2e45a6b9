// The step for Extism: a call gets its input and gives its output through
// memory of the host's kernel, eight bytes at a time, as Extism's own kit for C
// does. The input is one record, or many with a newline behind each.
#include "click.h"

#include <string.h>

#define HOST(name) __attribute__((import_module("extism:host/env"), import_name(name)))
#define EXPORT(name) __attribute__((export_name(name)))

HOST("input_length") uint64_t input_length(void);
HOST("input_load_u64") uint64_t input_load_u64(uint64_t offset);
HOST("input_load_u8") uint32_t input_load_u8(uint64_t offset);
HOST("alloc") uint64_t host_alloc(uint64_t size);
HOST("store_u64") void store_u64(uint64_t at, uint64_t value);
HOST("store_u8") void store_u8(uint64_t at, uint32_t value);
HOST("output_set") void output_set(uint64_t at, uint64_t size);

void wasmill_abort(const char *text, const char *file, int line) {
    (void)text, (void)file, (void)line;
    __builtin_trap();
}

static wasmill_bytes load(void) {
    static wasmill_buffer in;
    uint64_t size = input_length(), at = 0;
    in.size = 0;
    wasmill_reserve(&in, size + 8);
    for (; at + 8 <= size; at += 8) {
        uint64_t word = input_load_u64(at);
        memcpy(in.data + at, &word, 8);
    }
    for (; at < size; at++) in.data[at] = (char)input_load_u8(at);
    in.size = size;
    return wasmill_view(&in);
}

static void store(const wasmill_buffer *out) {
    uint64_t to = host_alloc(out->size), at = 0;
    for (; at + 8 <= out->size; at += 8) {
        uint64_t word;
        memcpy(&word, out->data + at, 8);
        store_u64(to + at, word);
    }
    for (; at < out->size; at++) store_u8(to + at, (unsigned char)out->data[at]);
    output_set(to, out->size);
}

EXPORT("process") int32_t process(void) {
    static wasmill_buffer out;
    wasmill_bytes in = load();
    out.size = 0;
    if (!project(in, &out)) return 1;
    store(&out);
    return 0;
}

EXPORT("lines") int32_t lines(void) {
    static wasmill_buffer out;
    wasmill_bytes in = load();
    const char *end;
    out.size = 0;
    for (; in.size > 0 && (end = memchr(in.data, '\n', in.size)); in.size -= end + 1 - in.data, in.data = end + 1) {
        wasmill_bytes value = {in.data, (size_t)(end - in.data)};
        if (!project(value, &out)) return 1;
        wasmill_append(&out, "\n", 1);
    }
    store(&out);
    return 0;
}
