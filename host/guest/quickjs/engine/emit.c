// Records on their way out, gathered in one frame.
#include <stdlib.h>
#include <string.h>
#include "engine.h"

enum { FRAME_HEADER = 32, RECORD_HEADER = 40 };

// MAX_FRAME is the size in bytes at which emitted records are handed over
// before the call ends.
#define MAX_FRAME (1u << 20)

static uint8_t *out;
static uint32_t out_len, out_cap, out_count;

// The names of what a record has, as QuickJS looks them up.
enum Name { KEY, VALUE, HEADERS, CAUSE, TIME, FLAGS, NAMES };
static JSAtom names[NAMES];

int emit_setup(void) {
	static const char *const text[NAMES] = {"key", "value", "headers", "cause", "time", "flags"};
	for (int i = 0; i < NAMES; i++)
		if ((names[i] = JS_NewAtom(E.ctx, text[i])) == 0) // JS_ATOM_NULL
			return -1;
	return 0;
}

// room makes place for n bytes more and returns where they go.
static uint8_t *room(uint32_t n) {
	if (out_cap - out_len < n) {
		uint32_t cap = out_cap == 0 ? 64 << 10 : out_cap;
		while (cap - out_len < n)
			cap *= 2;
		uint8_t *p = realloc(out, cap);
		if (p == NULL)
			return NULL;
		out = p;
		out_cap = cap;
	}
	return out + out_len;
}

void emit_begin(void) { out_len = out_count = 0; }

int32_t emit_flush(void) {
	if (out_count == 0)
		return 0;
	memset(out, 0, FRAME_HEADER);
	put32(out, 0x314c4d57);
	put16(out + 4, 1);
	put16(out + 6, 1);
	put32(out + 8, out_count);
	put32(out + 12, out_len);
	int32_t result = host_emit(out, out_len);
	emit_begin();
	if (result < 0 && E.refused == 0)
		E.refused = result;
	return result;
}

// Place is what a frame says of a record beside its content.
typedef struct {
	int64_t time;
	uint32_t cause;
	uint16_t stream, flags;
} Place;

// add appends a record; headers is header_count headers as encoded.
static JSValue add(const Place *at, const Bytes *key, const Bytes *value, uint32_t header_count, const uint8_t *headers, uint32_t headers_len) {
	uint64_t k = key->n == NO_LENGTH ? 0 : key->n, v = value->n == NO_LENGTH ? 0 : value->n, n = k + v + headers_len;
	if (n > E.limit)
		return throw_errno("emit", NULL, -ABI_E2BIG);
	uint32_t size = pad8(RECORD_HEADER + (uint32_t)n);
	if (out_count > 0 && out_len + size > MAX_FRAME) {
		int32_t result = emit_flush();
		if (result < 0)
			return throw_errno("emit", NULL, result);
	}
	if (out_count == 0)
		out_len = 0;
	uint8_t *p = room(size + (out_len == 0 ? FRAME_HEADER : 0));
	if (p == NULL)
		return JS_ThrowOutOfMemory(E.ctx);
	if (out_len == 0)
		out_len = FRAME_HEADER, p += FRAME_HEADER;
	put64(p, at->time);
	put64(p + 8, 0);
	put32(p + 16, at->cause);
	put16(p + 20, at->stream);
	put16(p + 22, at->flags);
	put32(p + 24, key->n);
	put32(p + 28, value->n);
	put32(p + 32, header_count);
	put32(p + 36, size);
	if (size > RECORD_HEADER)
		put64(p + size - 8, 0); // the padding; the content then overwrites its part
	p += RECORD_HEADER;
	memcpy(p, key->p, k);
	memcpy(p + k, value->p, v);
	memcpy(p + k + v, headers, headers_len);
	out_len += size;
	out_count++;
	return JS_UNDEFINED;
}

// pass emits a record of the batch as it is.
static JSValue pass(JSValueConst record, uint16_t stream) {
	uint32_t index;
	const Fields *f = record_fields(record, &index);
	if (f == NULL)
		return JS_EXCEPTION;
	Place at = {f->time, E.cause, stream, f->flags & 7};
	Bytes key = {.p = f->key, .n = f->key_len}, value = {.p = f->value, .n = f->value_len};
	return add(&at, &key, &value, f->header_count, f->headers, f->headers_end - f->headers);
}

// Packed is headers as a frame has them.
typedef struct {
	uint8_t *p;
	uint32_t len, cap, count;
} Packed;

static int pack(Packed *h, const Bytes *name, const Bytes *value) {
	uint32_t n = name->n == NO_LENGTH ? 0 : name->n, v = value->n == NO_LENGTH ? 0 : value->n, need = h->len + 8 + n + v;
	if (need > h->cap) {
		uint8_t *p = js_realloc(E.ctx, h->p, need * 2);
		if (p == NULL)
			return -1;
		h->p = p;
		h->cap = need * 2;
	}
	uint8_t *p = h->p + h->len;
	put32(p, n);
	put32(p + 4, value->n);
	memcpy(p + 8, name->p, n);
	memcpy(p + 8 + n, value->p, v);
	h->len = need;
	h->count++;
	return 0;
}

// pack_all encodes an array of {name, value}, with nameBytes where a name is no
// text.
static int pack_all(JSValueConst list, Packed *h) {
	int64_t n;
	if (JS_IsUndefined(list))
		return 0;
	if (JS_GetLength(E.ctx, list, &n) < 0)
		return -1;
	int result = 0;
	for (int64_t i = 0; i < n && result == 0; i++) {
		JSValue one = JS_GetPropertyInt64(E.ctx, list, i);
		JSValue nv = JS_GetPropertyStr(E.ctx, one, "nameBytes"), vv = JS_GetPropertyStr(E.ctx, one, "value");
		if (JS_IsUndefined(nv))
			nv = JS_GetPropertyStr(E.ctx, one, "name");
		Bytes name = {.held = JS_UNDEFINED}, value = {.held = JS_UNDEFINED};
		result = JS_IsException(nv) || JS_IsException(vv) || bytes_key(nv, &name, "the name of a header") < 0 ||
			bytes_key(vv, &value, "the value of a header") < 0 || pack(h, &name, &value) < 0 ? -1 : 0;
		bytes_free(&name);
		bytes_free(&value);
		JS_FreeValue(E.ctx, nv);
		JS_FreeValue(E.ctx, vv);
		JS_FreeValue(E.ctx, one);
	}
	return result;
}

// place reads time, flags and cause of what is emitted.
static int place(JSValueConst r, Place *at) {
	JSContext *ctx = E.ctx;
	JSValue cause = JS_GetProperty(ctx, r, names[CAUSE]), time = JS_GetProperty(ctx, r, names[TIME]), flags = JS_GetProperty(ctx, r, names[FLAGS]);
	int result = JS_IsException(cause) || JS_IsException(time) || JS_IsException(flags) ? -1 : 0;
	if (result == 0 && !JS_IsUndefined(cause)) {
		const Fields *f = record_fields(cause, &at->cause);
		if (f != NULL)
			at->time = f->time;
		else
			result = -1;
	}
	if (result == 0 && JS_IsNull(time))
		at->time = NO_TIME;
	else if (result == 0 && !JS_IsUndefined(time)) {
		double ms;
		result = JS_ToFloat64(ctx, &ms, time);
		if (result == 0 && !(ms >= -9007199254740992.0 && ms <= 9007199254740992.0)) {
			JS_ThrowRangeError(ctx, "time is not a number of milliseconds");
			result = -1;
		}
		if (result == 0)
			at->time = (int64_t)ms;
	}
	int32_t bits = 0;
	if (result == 0 && !JS_IsUndefined(flags))
		result = JS_ToInt32(ctx, &bits, flags);
	at->flags = bits & 7;
	JS_FreeValue(ctx, cause);
	JS_FreeValue(ctx, time);
	JS_FreeValue(ctx, flags);
	return result;
}

static JSValue emit_to(JSValueConst r, uint16_t stream) {
	JSContext *ctx = E.ctx;
	if (!E.serving)
		return throw_errno("emit", NULL, -1);
	if (is_record(r))
		return pass(r, stream);
	if (!JS_IsObject(r) || JS_GetTypedArrayType(r) >= 0)
		return JS_ThrowTypeError(ctx, "emit takes a record: an object with a value");
	Place at = {E.cause_time, E.cause, stream, 0};
	JSValue kv = JS_GetProperty(ctx, r, names[KEY]), vv = JS_GetProperty(ctx, r, names[VALUE]), hv = JS_GetProperty(ctx, r, names[HEADERS]);
	Bytes key = {.held = JS_UNDEFINED}, value = {.held = JS_UNDEFINED};
	Packed headers = {0};
	JSValue result = JS_EXCEPTION;
	// Nothing of the step's runs behind bytes_of, so the bytes stay where they are.
	if (!JS_IsException(kv) && !JS_IsException(vv) && !JS_IsException(hv) && place(r, &at) == 0 && pack_all(hv, &headers) == 0 &&
		bytes_of(vv, &value, "the value of a record") == 0 && bytes_key(kv, &key, "the key of a record") == 0)
		result = add(&at, &key, &value, headers.count, headers.p, headers.len);
	bytes_free(&key);
	bytes_free(&value);
	js_free(ctx, headers.p);
	JS_FreeValue(ctx, kv);
	JS_FreeValue(ctx, vv);
	JS_FreeValue(ctx, hv);
	return result;
}

static JSValue js_emit(JSContext *ctx, JSValueConst self, int argc, JSValueConst *argv) { return emit_to(argv[0], 0); }

static JSValue js_emit_to(JSContext *ctx, JSValueConst self, int argc, JSValueConst *argv) {
	int64_t n;
	if (JS_GetLength(ctx, E.outputs, &n) < 0)
		return JS_EXCEPTION;
	for (int64_t i = 0; i < n; i++) {
		JSValue name = JS_GetPropertyInt64(ctx, E.outputs, i);
		bool same = JS_IsStrictEqual(ctx, name, argv[0]);
		JS_FreeValue(ctx, name);
		if (same)
			return emit_to(argv[1], i);
	}
	const char *name = JS_ToCString(ctx, argv[0]);
	if (name == NULL)
		return JS_EXCEPTION;
	JSValue e = throw_errno("emit", name, -ABI_EBADF);
	JS_FreeCString(ctx, name);
	return e;
}

const JSCFunctionListEntry emit_functions[] = {
	JS_CFUNC_DEF("emit", 1, js_emit),
	JS_CFUNC_DEF("emitTo", 2, js_emit_to),
};
const int emit_functions_len = sizeof emit_functions / sizeof *emit_functions;
