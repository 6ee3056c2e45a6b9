// The step for Benthos' wasm processor: one call for each message, which asks
// for the message's bytes and sets others.
#include "click.h"

#define HOST(name) __attribute__((import_module("benthos_wasm"), import_name(name)))
#define EXPORT(name) __attribute__((export_name(name)))

HOST("v0_msg_as_bytes") uint64_t msg_as_bytes(void); // address << 32 | length
HOST("v0_msg_set_bytes") void msg_set_bytes(const void *data, uint32_t size);

void wasmill_abort(const char *text, const char *file, int line) {
    (void)text, (void)file, (void)line;
    __builtin_trap();
}

// The host writes a message where allocate says, and never needs two.
EXPORT("allocate") void *allocate(uint32_t size) {
    static wasmill_buffer in;
    in.size = 0;
    wasmill_reserve(&in, size);
    return in.data;
}

EXPORT("process") void process(void) {
    static wasmill_buffer text;
    uint64_t at = msg_as_bytes();
    wasmill_bytes value = {(const char *)(uintptr_t)(at >> 32), (uint32_t)at};
    text.size = 0;
    if (!project(value, &text)) __builtin_trap();
    msg_set_bytes(text.data, text.size);
}
