// Frames of records, as section 5 of abi/SPEC.md lays them out, and the bytes
// that they are made of: buffers and headers.
#include "wasmill_frame.h"

#include "wasmill_libc.h"

enum { FRAME_HEADER = 32, RECORD_HEADER = 40, VERSION = 1, KIND_RECORDS = 1 };

static const uint32_t magic = 0x314c4d57; // the bytes "WML1"
static const uint32_t null_size = 0xffffffff;

static uint64_t padded(uint64_t n) { return (n + 7) & ~(uint64_t)7; }

// Bytes.

wasmill_bytes wasmill_text(const char *text) {
    wasmill_bytes bytes = {text, text == NULL ? 0 : strlen(text)};
    return bytes;
}

bool wasmill_is(wasmill_bytes bytes, const char *text) {
    size_t size = strlen(text);
    return bytes.data != NULL && bytes.size == size && memcmp(bytes.data, text, size) == 0;
}

bool wasmill_equal(wasmill_bytes a, wasmill_bytes b) {
    if (a.data == NULL || b.data == NULL) return a.data == b.data;
    return a.size == b.size && memcmp(a.data, b.data, a.size) == 0;
}

// Buffers.

void wasmill_reserve(wasmill_buffer *buffer, size_t more) {
    if (buffer->room - buffer->size >= more) return;
    if (more > SIZE_MAX / 2 || buffer->size > SIZE_MAX / 4) WASMILL_ABORT("out of memory");
    size_t need = buffer->size + more;
    size_t room = buffer->room < 128 ? 256 : buffer->room * 2;
    if (room < need) room = need;
    char *data = (char *)realloc(buffer->data, room);
    if (data == NULL) WASMILL_ABORT("out of memory");
    buffer->data = data;
    buffer->room = room;
}

void wasmill_append(wasmill_buffer *buffer, const void *data, size_t size) {
    if (size == 0) return;
    wasmill_reserve(buffer, size);
    memcpy(buffer->data + buffer->size, data, size);
    buffer->size += size;
}

void wasmill_append_text(wasmill_buffer *buffer, const char *text) { wasmill_append(buffer, text, strlen(text)); }

void wasmill_append_int(wasmill_buffer *buffer, int64_t number) {
    char digits[20]; // of -2^63
    size_t at = sizeof digits;
    uint64_t rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    do {
        digits[--at] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (number < 0) digits[--at] = '-';
    wasmill_append(buffer, digits + at, sizeof digits - at);
}

wasmill_bytes wasmill_view(const wasmill_buffer *buffer) {
    wasmill_bytes bytes = {buffer->data == NULL ? "" : buffer->data, buffer->size};
    return bytes;
}

void wasmill_release(wasmill_buffer *buffer) {
    free(buffer->data);
    buffer->data = NULL;
    buffer->size = buffer->room = 0;
}

// Headers: for each u32 length of the name, u32 of the value, name, value.

bool wasmill_header_next(const wasmill_headers *headers, size_t *at, wasmill_header *header) {
    if (*at >= headers->raw.size) return false;
    const char *p = headers->raw.data + *at;
    uint32_t name = wasmill_get32(p), value = wasmill_get32(p + 4);
    header->name.data = p + 8;
    header->name.size = name;
    header->value.data = value == null_size ? NULL : p + 8 + name;
    header->value.size = value == null_size ? 0 : value;
    *at += 8 + header->name.size + header->value.size;
    return true;
}

bool wasmill_header_get(const wasmill_headers *headers, const char *name, wasmill_bytes *value) {
    wasmill_header header;
    for (size_t at = 0; wasmill_header_next(headers, &at, &header);) {
        if (wasmill_is(header.name, name)) {
            *value = header.value;
            return true;
        }
    }
    return false;
}

void wasmill_header_add(wasmill_headers *headers, wasmill_buffer *memory, wasmill_bytes name, wasmill_bytes value) {
    if (headers->count == 0 || headers->raw.data != memory->data) {
        memory->size = 0;
        wasmill_append(memory, headers->raw.data, headers->raw.size);
    }
    char sizes[8];
    wasmill_put32(sizes, (uint32_t)name.size);
    wasmill_put32(sizes + 4, value.data == NULL ? null_size : (uint32_t)value.size);
    wasmill_append(memory, sizes, sizeof sizes);
    wasmill_append(memory, name.data, name.size);
    if (value.data != NULL) wasmill_append(memory, value.data, value.size);
    headers->count++;
    headers->raw = wasmill_view(memory);
}

// Reading.

// zeros reports whether the bytes from p to end are zero, fewer than 8 of them.
static bool zeros(const char *p, const char *end) {
    if (end - p >= 8) return false;
    for (; p < end; p++) {
        if (*p != 0) return false;
    }
    return true;
}

bool wasmill_frame_open(wasmill_frame *frame, const void *data, size_t size) {
    const char *p = (const char *)data;
    memset(frame, 0, sizeof *frame);
    if (size < FRAME_HEADER || wasmill_get32(p) != magic || wasmill_get16(p + 4) != VERSION ||
        wasmill_get16(p + 6) != KIND_RECORDS || wasmill_get32(p + 12) != size || wasmill_get64(p + 24) != 0)
        return false;
    uint32_t name = wasmill_get32(p + 20);
    uint64_t body = FRAME_HEADER + padded(name);
    if (body > size || !zeros(p + FRAME_HEADER + name, p + body)) return false;
    uint32_t count = wasmill_get32(p + 8);
    if ((uint64_t)count * RECORD_HEADER > size - body) return false;
    frame->partition_name.data = p + FRAME_HEADER;
    frame->partition_name.size = name;
    frame->partition_number = wasmill_get32(p + 16);
    frame->count = count;
    frame->first = frame->at = p + body;
    frame->end = p + size;
    return true;
}

// take makes bytes a view of size bytes at *p, if they lie before end.
static bool take(wasmill_bytes *bytes, uint32_t size, const char **p, const char *end) {
    bytes->data = NULL;
    bytes->size = 0;
    if (size == null_size) return true;
    if (size > (size_t)(end - *p)) return false;
    bytes->data = *p;
    bytes->size = size;
    *p += size;
    return true;
}

int wasmill_frame_next(wasmill_frame *frame, wasmill_record *record, uint32_t *cause) {
    const char *p = frame->at;
    size_t left = (size_t)(frame->end - p);
    if (frame->index == frame->count) return left == 0 ? 0 : -WASMILL_EINVAL;
    if (left < RECORD_HEADER) return -WASMILL_EINVAL;
    uint32_t size = wasmill_get32(p + 36);
    if (size < RECORD_HEADER || size % 8 != 0 || size > left) return -WASMILL_EINVAL;
    const char *end = p + size, *at = p + RECORD_HEADER;
    if (!take(&record->key, wasmill_get32(p + 24), &at, end) || !take(&record->value, wasmill_get32(p + 28), &at, end))
        return -WASMILL_EINVAL;
    record->headers.count = wasmill_get32(p + 32);
    record->headers.raw.data = at;
    for (uint32_t n = record->headers.count; n > 0; n--) {
        if (end - at < 8) return -WASMILL_EINVAL;
        wasmill_bytes name, value;
        uint32_t name_size = wasmill_get32(at), value_size = wasmill_get32(at + 4);
        at += 8;
        if (name_size == null_size || !take(&name, name_size, &at, end) || !take(&value, value_size, &at, end))
            return -WASMILL_EINVAL;
    }
    record->headers.raw.size = (size_t)(at - record->headers.raw.data);
    if (!zeros(at, end)) return -WASMILL_EINVAL;
    record->time = (int64_t)wasmill_get64(p);
    record->position = (int64_t)wasmill_get64(p + 8);
    *cause = wasmill_get32(p + 16);
    record->stream = (uint16_t)wasmill_get16(p + 20);
    record->flags = (uint16_t)wasmill_get16(p + 22);
    record->index = frame->index++;
    frame->at = end;
    return 1;
}

// Writing.

static uint64_t size_of(wasmill_bytes bytes) { return bytes.data == NULL ? 0 : bytes.size; }

uint64_t wasmill_record_size(const wasmill_record *record) {
    return size_of(record->key) + size_of(record->value) + record->headers.raw.size;
}

void wasmill_frame_begin(wasmill_buffer *out, wasmill_bytes partition_name, uint32_t partition_number) {
    size_t head = (size_t)(FRAME_HEADER + padded(partition_name.size));
    out->size = 0;
    wasmill_reserve(out, head);
    memset(out->data, 0, head);
    wasmill_put32(out->data, magic);
    wasmill_put16(out->data + 4, VERSION);
    wasmill_put16(out->data + 6, KIND_RECORDS);
    wasmill_put32(out->data + 16, partition_number);
    wasmill_put32(out->data + 20, (uint32_t)partition_name.size);
    if (partition_name.size > 0) memcpy(out->data + FRAME_HEADER, partition_name.data, partition_name.size);
    out->size = head;
}

static char *put(char *p, wasmill_bytes bytes) {
    if (bytes.data == NULL || bytes.size == 0) return p;
    memcpy(p, bytes.data, bytes.size);
    return p + bytes.size;
}

static uint32_t coded(wasmill_bytes bytes) { return bytes.data == NULL ? null_size : (uint32_t)bytes.size; }

void wasmill_frame_add(wasmill_buffer *out, const wasmill_record *record, uint32_t cause) {
    size_t size = (size_t)padded(RECORD_HEADER + wasmill_record_size(record));
    wasmill_reserve(out, size);
    char *p = out->data + out->size;
    wasmill_put64(p + size - 8, 0); // the padding; what follows overwrites its part
    wasmill_put64(p, (uint64_t)record->time);
    wasmill_put64(p + 8, (uint64_t)record->position);
    wasmill_put32(p + 16, cause);
    wasmill_put16(p + 20, record->stream);
    wasmill_put16(p + 22, record->flags);
    wasmill_put32(p + 24, coded(record->key));
    wasmill_put32(p + 28, coded(record->value));
    wasmill_put32(p + 32, record->headers.count);
    wasmill_put32(p + 36, (uint32_t)size);
    put(put(put(p + RECORD_HEADER, record->key), record->value), record->headers.raw);
    out->size += size;
}

void wasmill_frame_end(wasmill_buffer *out, uint32_t count) {
    wasmill_put32(out->data + 8, count);
    wasmill_put32(out->data + 12, (uint32_t)out->size);
}
