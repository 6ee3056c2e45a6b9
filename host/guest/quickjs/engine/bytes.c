// JavaScript values as bytes and back.
#include <string.h>
#include "engine.h"

// without_surrogates replaces halves of surrogate pairs, which QuickJS writes
// as three bytes each, by U+FFFD, as TextEncoder does. The string is a copy of
// its own whenever it is not ASCII.
static void without_surrogates(uint8_t *p, size_t n) {
	for (uint8_t *end = p + n; (p = memchr(p, 0xed, end - p)) != NULL; p++)
		if (end - p >= 3 && p[1] >= 0xa0)
			memcpy(p, "\xef\xbf\xbd", 3);
}

static int bytes_text(JSValueConst v, Bytes *b) {
	size_t n;
	if ((b->string = JS_ToCStringLen(E.ctx, &n, v)) == NULL)
		return -1;
	if (memchr(b->string, 0xed, n) != NULL)
		without_surrogates((uint8_t *)b->string, n);
	b->p = (const uint8_t *)b->string;
	b->n = n;
	return 0;
}

// bytes_plain takes what is bytes as it stands: 1 if it did, 0 if v is
// something else.
static int bytes_plain(JSValueConst v, Bytes *b) {
	*b = (Bytes){.n = NO_LENGTH, .held = JS_UNDEFINED};
	if (JS_IsNull(v))
		return 1;
	if (JS_IsString(v))
		return bytes_text(v, b) < 0 ? -1 : 1;
	if (JS_GetTypedArrayType(v) != JS_TYPED_ARRAY_UINT8)
		return 0;
	size_t n;
	if ((b->p = JS_GetUint8Array(E.ctx, &n, v)) == NULL && JS_HasException(E.ctx))
		return -1;
	b->n = n;
	b->held = JS_DupValue(E.ctx, v);
	return 1;
}

int bytes_key(JSValueConst v, Bytes *b, const char *what) {
	int done = bytes_plain(JS_IsUndefined(v) ? JS_NULL : v, b);
	if (done != 0)
		return done < 0 ? -1 : 0;
	JS_ThrowTypeError(E.ctx, "%s is neither a string nor a Uint8Array", what);
	return -1;
}

int bytes_of(JSValueConst v, Bytes *b, const char *what) {
	int done = bytes_plain(v, b);
	if (done != 0)
		return done < 0 ? -1 : 0;
	if ((done = json_bytes(v, b)) != 0)
		return done < 0 ? -1 : 0;
	JSValue json = JS_JSONStringify(E.ctx, v, JS_UNDEFINED, JS_UNDEFINED);
	if (JS_IsException(json))
		return -1;
	if (JS_IsUndefined(json)) {
		JS_ThrowTypeError(E.ctx, "%s is %s, which JSON cannot say", what, JS_IsUndefined(v) ? "undefined" : "a function or a symbol");
		return -1;
	}
	int result = bytes_text(json, b);
	JS_FreeValue(E.ctx, json);
	return result;
}

void bytes_free(Bytes *b) {
	if (b->string != NULL)
		JS_FreeCString(E.ctx, b->string);
	JS_FreeValue(E.ctx, b->held);
}

JSValue new_bytes(const uint8_t *p, uint32_t n) {
	return n == NO_LENGTH ? JS_NULL : JS_NewUint8ArrayCopy(E.ctx, p, n);
}

JSValue new_text(const uint8_t *p, uint32_t n) {
	return n == NO_LENGTH ? JS_NULL : JS_NewStringLen(E.ctx, (const char *)p, n);
}
