// Frames of records, section 5 of abi/SPEC.md. A frame that is not exact is
// refused.
#include "engine.h"

enum { FRAME_HEADER = 32, RECORD_HEADER = 40 };

static bool zeros(const uint8_t *p, const uint8_t *end) {
	for (; p < end; p++)
		if (*p != 0)
			return false;
	return true;
}

bool frame_open(Frame *f, const uint8_t *p, uint32_t n) {
	if (n < FRAME_HEADER || get32(p) != 0x314c4d57 || get16(p + 4) != 1 || get16(p + 6) != 1 || get32(p + 12) != n || get64(p + 24) != 0)
		return false;
	f->count = get32(p + 8);
	f->index = 0;
	f->partition = get32(p + 16);
	f->name = p + FRAME_HEADER;
	f->name_len = get32(p + 20);
	if (f->name_len > n - FRAME_HEADER || pad8(f->name_len) > n - FRAME_HEADER)
		return false;
	f->rest = f->name + pad8(f->name_len);
	f->end = p + n;
	return zeros(f->name + f->name_len, f->rest) && f->count <= (uint32_t)(f->end - f->rest) / RECORD_HEADER;
}

// span moves *at over n bytes, none if n is NO_LENGTH.
static bool span(const uint8_t **at, const uint8_t *end, uint32_t n) {
	if (n == NO_LENGTH)
		return true;
	if (n > (uint32_t)(end - *at))
		return false;
	*at += n;
	return true;
}

bool frame_next(Frame *f, Fields *r) {
	const uint8_t *p = f->rest;
	if (f->index == f->count || f->end - p < RECORD_HEADER)
		return false;
	uint32_t size = get32(p + 36);
	if (size < RECORD_HEADER || size % 8 != 0 || size > (uint32_t)(f->end - p))
		return false;
	const uint8_t *at = p + RECORD_HEADER, *end = p + size;
	r->time = get64(p);
	r->position = get64(p + 8);
	r->stream = get16(p + 20);
	r->flags = get16(p + 22);
	r->key_len = get32(p + 24);
	r->value_len = get32(p + 28);
	r->header_count = get32(p + 32);
	r->key = at;
	if (!span(&at, end, r->key_len))
		return false;
	r->value = at;
	if (!span(&at, end, r->value_len))
		return false;
	r->headers = at;
	for (uint32_t i = 0; i < r->header_count; i++) {
		if (end - at < 8)
			return false;
		uint32_t name = get32(at), value = get32(at + 4);
		at += 8;
		if (name == NO_LENGTH || !span(&at, end, name) || !span(&at, end, value))
			return false;
	}
	r->headers_end = at;
	if (end - at >= 8 || !zeros(at, end))
		return false;
	f->rest = end;
	f->index++;
	return true;
}

bool frame_over(const Frame *f) { return f->index == f->count && f->rest == f->end; }
