// JSON of plain objects, straight into bytes. It gives what JSON.stringify
// gives, in a third of the time; what is not plain (toJSON, proxies, boxed
// values, big integers, what is deep or a cycle) is left to JSON.stringify.
#include <stdlib.h>
#include <string.h>
#include "engine.h"

enum Result { FAILED = -1, OMITTED, WRITTEN, NOT_PLAIN };

// MAX_DEPTH is how deep objects may lie in each other here.
enum { MAX_DEPTH = 64 };

static uint8_t *buf; // of the value that is being written
static uint32_t len, cap;
static bool busy; // a getter of that value has led here again

static JSClassID object_class, array_class;
static JSAtom to_json;

int json_setup(void) {
	JSValue object = JS_NewObject(E.ctx), array = JS_NewArray(E.ctx);
	object_class = JS_GetClassID(object);
	array_class = JS_GetClassID(array);
	to_json = JS_NewAtom(E.ctx, "toJSON");
	bool ok = !JS_IsException(object) && !JS_IsException(array) && to_json != 0;
	JS_FreeValue(E.ctx, object);
	JS_FreeValue(E.ctx, array);
	return ok ? 0 : -1;
}

// room returns where n bytes more go, NULL with an exception if there are none.
static uint8_t *room(uint32_t n) {
	if (cap - len < n) {
		uint32_t want = (len + n) * 2 + 256;
		uint8_t *p = realloc(buf, want);
		if (p == NULL) {
			JS_ThrowOutOfMemory(E.ctx);
			return NULL;
		}
		buf = p;
		cap = want;
	}
	return buf + len;
}

static bool put(char c) {
	uint8_t *p = room(1);
	if (p == NULL)
		return false;
	*p = c;
	len++;
	return true;
}

static bool put_all(const char *s, uint32_t n) {
	uint8_t *p = room(n);
	if (p == NULL)
		return false;
	memcpy(p, s, n);
	len += n;
	return true;
}

// escape writes one byte, or half of a surrogate pair at s, as an escape and
// returns how many bytes of s that was.
static int escape(const uint8_t *s, uint8_t **to) {
	static const char hex[] = "0123456789abcdef", letters[] = "btn\0fr";
	uint8_t *p = *to;
	unsigned c = *s, taken = 1;
	*p++ = '\\';
	if (c == '"' || c == '\\')
		*p++ = c;
	else if (c >= '\b' && c <= '\r' && c != '\v')
		*p++ = letters[c - '\b'];
	else {
		if (c == 0xed) {
			c = 0xd000 | (s[1] & 0x3f) << 6 | (s[2] & 0x3f);
			taken = 3;
		}
		*p++ = 'u';
		for (int shift = 12; shift >= 0; shift -= 4)
			*p++ = hex[c >> shift & 15];
	}
	*to = p;
	return taken;
}

static bool put_string(const char *text, size_t n) {
	const uint8_t *s = (const uint8_t *)text, *end = s + n;
	if (n > UINT32_MAX / 8) {
		JS_ThrowRangeError(E.ctx, "a string is too long for JSON");
		return false;
	}
	uint8_t *p = room(6 * n + 2);
	if (p == NULL)
		return false;
	*p++ = '"';
	while (s < end) {
		if (*s < ' ' || *s == '"' || *s == '\\' || (*s == 0xed && s[1] >= 0xa0))
			s += escape(s, &p);
		else
			*p++ = *s++;
	}
	*p++ = '"';
	len = p - buf;
	return true;
}

static bool put_integer(int64_t v) {
	char digits[24], *p = digits + sizeof digits;
	uint64_t u = v < 0 ? -(uint64_t)v : (uint64_t)v;
	do
		*--p = '0' + u % 10;
	while ((u /= 10) != 0);
	if (v < 0)
		*--p = '-';
	return put_all(p, digits + sizeof digits - p);
}

static bool put_number(JSValueConst v) {
	double d;
	if (JS_ToFloat64(E.ctx, &d, v) < 0)
		return false;
	if (d - d != 0) // neither NaN nor infinite otherwise
		return put_all("null", 4);
	if (d > -1e15 && d < 1e15 && d == (double)(int64_t)d)
		return put_integer((int64_t)d);
	size_t n;
	const char *s = JS_ToCStringLen(E.ctx, &n, v);
	if (s == NULL)
		return false;
	bool ok = put_all(s, n);
	JS_FreeCString(E.ctx, s);
	return ok;
}

static enum Result value(JSValueConst v, int depth);

static enum Result array(JSValueConst v, int depth) {
	int64_t n;
	if (JS_GetLength(E.ctx, v, &n) < 0 || !put('['))
		return FAILED;
	for (int64_t i = 0; i < n; i++) {
		if (i > 0 && !put(','))
			return FAILED;
		JSValue one = JS_GetPropertyInt64(E.ctx, v, i);
		enum Result r = JS_IsException(one) ? FAILED : value(one, depth);
		JS_FreeValue(E.ctx, one);
		if (r == OMITTED)
			r = put_all("null", 4) ? WRITTEN : FAILED;
		if (r != WRITTEN)
			return r;
	}
	return put(']') ? WRITTEN : FAILED;
}

// member writes a property with its name, a comma before it if it is not the
// first.
static enum Result member(JSValueConst object, JSAtom name, bool first, int depth) {
	size_t n;
	uint32_t start = len;
	const char *text = JS_AtomToCStringLen(E.ctx, &n, name);
	bool ok = text != NULL && (first || put(',')) && put_string(text, n) && put(':');
	JS_FreeCString(E.ctx, text);
	JSValue v = ok ? JS_GetProperty(E.ctx, object, name) : JS_EXCEPTION;
	enum Result r = JS_IsException(v) ? FAILED : value(v, depth);
	JS_FreeValue(E.ctx, v);
	if (r == OMITTED)
		len = start;
	return r;
}

static enum Result object(JSValueConst v, int depth) {
	JSPropertyEnum *names;
	uint32_t n;
	if (JS_GetOwnPropertyNames(E.ctx, &names, &n, v, JS_GPN_STRING_MASK | JS_GPN_ENUM_ONLY) < 0)
		return FAILED;
	enum Result r = put('{') ? WRITTEN : FAILED;
	bool first = true;
	for (uint32_t i = 0; i < n && (r == WRITTEN || r == OMITTED); i++) {
		r = member(v, names[i].atom, first, depth);
		first = first && r != WRITTEN;
	}
	JS_FreePropertyEnum(E.ctx, names, n);
	if (r == OMITTED)
		r = WRITTEN;
	return r == WRITTEN && !put('}') ? FAILED : r;
}

static enum Result text(JSValueConst v) {
	size_t n;
	const char *s = JS_ToCStringLen(E.ctx, &n, v);
	bool ok = s != NULL && put_string(s, n);
	JS_FreeCString(E.ctx, s);
	return ok ? WRITTEN : FAILED;
}

static enum Result value(JSValueConst v, int depth) {
	if (JS_IsString(v))
		return text(v);
	if (JS_IsNumber(v))
		return put_number(v) ? WRITTEN : FAILED;
	if (JS_IsNull(v))
		return put_all("null", 4) ? WRITTEN : FAILED;
	if (JS_IsBool(v))
		return (JS_VALUE_GET_BOOL(v) ? put_all("true", 4) : put_all("false", 5)) ? WRITTEN : FAILED;
	if (JS_IsUndefined(v) || JS_IsSymbol(v))
		return OMITTED;
	JSClassID class = JS_IsObject(v) ? JS_GetClassID(v) : 0;
	if ((class != object_class && class != array_class) || depth == MAX_DEPTH)
		return NOT_PLAIN;
	JSValue f = JS_GetProperty(E.ctx, v, to_json);
	if (!JS_IsUndefined(f)) {
		JS_FreeValue(E.ctx, f);
		return JS_IsException(f) ? FAILED : NOT_PLAIN;
	}
	return class == array_class ? array(v, depth + 1) : object(v, depth + 1);
}

int json_bytes(JSValueConst v, Bytes *b) {
	if (busy)
		return 0;
	busy = true;
	len = 0;
	enum Result r = value(v, 0);
	busy = false;
	if (r == FAILED)
		return -1;
	if (r != WRITTEN)
		return 0;
	b->p = buf;
	b->n = len;
	return 1;
}
