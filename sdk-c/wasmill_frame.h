// The codec of frames of records, for the SDK itself and its native host.
#ifndef WASMILL_FRAME_H
#define WASMILL_FRAME_H

#include "wasmill.h"

#ifdef __cplusplus
extern "C" {
#endif

// The cause of a record that the batch as a whole caused.
#define WASMILL_CAUSE_BATCH 0xffffffffu

// A view of a frame.
typedef struct wasmill_frame {
    wasmill_bytes partition_name;
    uint32_t partition_number;
    uint32_t count, index; // records in all, and that were read
    const char *first, *at, *end;
} wasmill_frame;

// wasmill_frame_open makes frame a view of data, which is one whole frame;
// false if its head is malformed. wasmill_frame_next returns 1 and the next
// record with its cause, 0 at the end, or -WASMILL_EINVAL.
bool wasmill_frame_open(wasmill_frame *frame, const void *data, size_t size);
int wasmill_frame_next(wasmill_frame *frame, wasmill_record *record, uint32_t *cause);

// wasmill_frame_begin makes out an empty frame, wasmill_frame_add appends a
// record whose size wasmill_record_size gives, and wasmill_frame_end completes
// the head: out then holds the frame.
void wasmill_frame_begin(wasmill_buffer *out, wasmill_bytes partition_name, uint32_t partition_number);
void wasmill_frame_add(wasmill_buffer *out, const wasmill_record *record, uint32_t cause);
void wasmill_frame_end(wasmill_buffer *out, uint32_t count);

// wasmill_record_size returns the bytes of key, value and headers as encoded.
uint64_t wasmill_record_size(const wasmill_record *record);

// Little-endian numbers in memory, at any address.
static inline uint32_t wasmill_get16(const char *p) {
    const unsigned char *b = (const unsigned char *)p;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8;
}

static inline uint32_t wasmill_get32(const char *p) { return wasmill_get16(p) | wasmill_get16(p + 2) << 16; }

static inline uint64_t wasmill_get64(const char *p) { return (uint64_t)wasmill_get32(p) | (uint64_t)wasmill_get32(p + 4) << 32; }

static inline void wasmill_put16(char *p, uint32_t v) {
    p[0] = (char)v;
    p[1] = (char)(v >> 8);
}

static inline void wasmill_put32(char *p, uint32_t v) {
    wasmill_put16(p, v);
    wasmill_put16(p + 2, v >> 16);
}

static inline void wasmill_put64(char *p, uint64_t v) {
    wasmill_put32(p, (uint32_t)v);
    wasmill_put32(p + 4, (uint32_t)(v >> 32));
}

#ifdef __cplusplus
}
#endif

#endif
