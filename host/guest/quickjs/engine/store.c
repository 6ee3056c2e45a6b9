// The class of stores.
#include <stdlib.h>
#include <string.h>
#include "engine.h"

typedef struct {
	uint32_t id; // NO_LENGTH: the job declares none of this name
	char name[];
} Store;

static JSClassID class;

// What calls write into, kept from call to call. There is a byte more than cap.
static uint8_t *reply;
static uint32_t cap;

static bool grow(uint32_t n) {
	uint32_t want = n > 2 * cap ? n : 2 * cap;
	if (want < 4096)
		want = 4096;
	uint8_t *p = realloc(reply, want + 1);
	if (p == NULL)
		return false;
	reply = p;
	cap = want;
	return true;
}

static JSValue failed(const char *call, const Store *s, int32_t result) { return throw_errno(call, s->name, result); }

enum Kind { BYTES, TEXT, JSON };

static JSValue js_get(JSContext *ctx, JSValueConst self, int argc, JSValueConst *argv, int kind) {
	Store *s = JS_GetOpaque2(ctx, self, class);
	Bytes key;
	if (s == NULL || bytes_key(argv[0], &key, "the key of a store") < 0)
		return JS_EXCEPTION;
	int32_t n;
	bool ok = true;
	while ((n = host_state_get(s->id, key.p, key.n == NO_LENGTH ? 0 : key.n, reply, cap)) >= 0 && (uint32_t)n > cap && (ok = grow(n)))
		;
	bytes_free(&key);
	if (!ok)
		return JS_ThrowOutOfMemory(ctx);
	if (n == -ABI_ENOENT)
		return JS_UNDEFINED;
	if (n < 0)
		return failed("state_get", s, n);
	if (kind == BYTES)
		return new_bytes(reply, n);
	if (kind == TEXT)
		return new_text(reply, n);
	if (n == 0 && !grow(1))
		return JS_ThrowOutOfMemory(ctx);
	reply[n] = 0;
	return JS_ParseJSON(ctx, (const char *)reply, n, s->name);
}

static JSValue js_put(JSContext *ctx, JSValueConst self, int argc, JSValueConst *argv) {
	Store *s = JS_GetOpaque2(ctx, self, class);
	Bytes key = {.held = JS_UNDEFINED}, value;
	if (s == NULL || bytes_of(argv[1], &value, "the value for a store") < 0)
		return JS_EXCEPTION;
	JSValue result = JS_EXCEPTION;
	if (value.n == NO_LENGTH)
		JS_ThrowTypeError(ctx, "a store has no null values: delete the key instead");
	else if (bytes_key(argv[0], &key, "the key of a store") == 0) {
		int32_t n = host_state_put(s->id, key.p, key.n == NO_LENGTH ? 0 : key.n, value.p, value.n);
		result = n < 0 ? failed("state_put", s, n) : JS_UNDEFINED;
	}
	bytes_free(&key);
	bytes_free(&value);
	return result;
}

static JSValue js_delete(JSContext *ctx, JSValueConst self, int argc, JSValueConst *argv) {
	Store *s = JS_GetOpaque2(ctx, self, class);
	Bytes key;
	if (s == NULL || bytes_key(argv[0], &key, "the key of a store") < 0)
		return JS_EXCEPTION;
	int32_t n = host_state_delete(s->id, key.p, key.n == NO_LENGTH ? 0 : key.n);
	bytes_free(&key);
	return n < 0 ? failed("state_delete", s, n) : JS_UNDEFINED;
}

// js_page returns the entries from start on that fit in a page, keys and
// values by turns; none at the end.
static JSValue js_page(JSContext *ctx, JSValueConst self, int argc, JSValueConst *argv) {
	enum { PAGE = 64 << 10 };
	Store *s = JS_GetOpaque2(ctx, self, class);
	Bytes start, end = {.held = JS_UNDEFINED};
	if (s == NULL || bytes_key(argv[0], &start, "the start of a scan") < 0)
		return JS_EXCEPTION;
	int32_t n = 0;
	bool ok = bytes_key(argv[1], &end, "the end of a scan") == 0;
	if (ok && cap < PAGE && !(ok = grow(PAGE)))
		JS_ThrowOutOfMemory(ctx);
	while (ok && (n = host_state_scan(s->id, start.p, start.n == NO_LENGTH ? 0 : start.n, end.p, end.n == NO_LENGTH ? 0 : end.n, reply, cap)) >= 0 &&
		(uint32_t)n > cap)
		if (!(ok = grow(n)))
			JS_ThrowOutOfMemory(ctx);
	bytes_free(&start);
	bytes_free(&end);
	if (!ok)
		return JS_EXCEPTION;
	if (n < 0)
		return failed("state_scan", s, n);
	JSValue list = JS_NewArray(ctx);
	uint32_t count = 0;
	for (const uint8_t *p = reply; p < reply + n && !JS_HasException(ctx);) {
		uint32_t k = get32(p), v = get32(p + 4);
		JS_DefinePropertyValueUint32(ctx, list, count++, new_bytes(p + 8, k), JS_PROP_C_W_E);
		JS_DefinePropertyValueUint32(ctx, list, count++, new_bytes(p + 8 + k, v), JS_PROP_C_W_E);
		p += 8 + k + v;
	}
	if (!JS_HasException(ctx))
		return list;
	JS_FreeValue(ctx, list);
	return JS_EXCEPTION;
}

// values takes the reply of state_get_many apart.
static JSValue values(JSContext *ctx, uint32_t n) {
	JSValue list = JS_NewArray(ctx);
	uint32_t count = 0;
	for (const uint8_t *p = reply; p < reply + n && !JS_HasException(ctx);) {
		uint32_t v = get32(p);
		JS_DefinePropertyValueUint32(ctx, list, count++, v == NO_LENGTH ? JS_UNDEFINED : new_bytes(p + 4, v), JS_PROP_C_W_E);
		p += 4 + (v == NO_LENGTH ? 0 : v);
	}
	if (!JS_HasException(ctx))
		return list;
	JS_FreeValue(ctx, list);
	return JS_EXCEPTION;
}

static JSValue js_get_many(JSContext *ctx, JSValueConst self, int argc, JSValueConst *argv) {
	Store *s = JS_GetOpaque2(ctx, self, class);
	int64_t count;
	if (s == NULL || JS_GetLength(ctx, argv[0], &count) < 0)
		return JS_EXCEPTION;
	uint8_t *request = NULL;
	uint32_t len = 0;
	JSValue result = JS_UNDEFINED;
	for (int64_t i = 0; i < count && !JS_IsException(result); i++) {
		JSValue v = JS_GetPropertyInt64(ctx, argv[0], i);
		Bytes key = {.held = JS_UNDEFINED};
		uint8_t *p = NULL;
		if (!JS_IsException(v) && bytes_key(v, &key, "the key of a store") == 0) {
			uint32_t k = key.n == NO_LENGTH ? 0 : key.n;
			if ((p = js_realloc(ctx, request, len + 4 + k)) != NULL) {
				request = p;
				put32(request + len, k);
				memcpy(request + len + 4, key.p, k);
				len += 4 + k;
			}
		}
		if (p == NULL)
			result = JS_EXCEPTION;
		bytes_free(&key);
		JS_FreeValue(ctx, v);
	}
	if (!JS_IsException(result)) {
		int32_t n;
		bool ok = true;
		while ((n = host_state_get_many(s->id, request, len, reply, cap)) >= 0 && (uint32_t)n > cap && (ok = grow(n)))
			;
		result = !ok ? JS_ThrowOutOfMemory(ctx) : n < 0 ? failed("state_get_many", s, n) : values(ctx, n);
	}
	js_free(ctx, request);
	return result;
}

static void finalise(JSRuntime *rt, JSValueConst v) { js_free_rt(rt, JS_GetOpaque(v, class)); }

static const JSClassDef definition = {"Store", .finalizer = finalise};

static const JSCFunctionListEntry functions[] = {
	JS_CFUNC_MAGIC_DEF("get", 1, js_get, BYTES),
	JS_CFUNC_MAGIC_DEF("getText", 1, js_get, TEXT),
	JS_CFUNC_MAGIC_DEF("getJSON", 1, js_get, JSON),
	JS_CFUNC_DEF("getMany", 1, js_get_many),
	JS_CFUNC_DEF("put", 2, js_put),
	JS_CFUNC_DEF("delete", 1, js_delete),
	JS_CFUNC_DEF("_page", 2, js_page),
};

int store_setup(void) {
	JSRuntime *rt = JS_GetRuntime(E.ctx);
	JS_NewClassID(rt, &class);
	if (JS_NewClass(rt, class, &definition) < 0)
		return -1;
	JSValue proto = JS_NewObject(E.ctx);
	JS_SetClassProto(E.ctx, class, proto);
	return JS_SetPropertyFunctionList(E.ctx, proto, functions, sizeof functions / sizeof *functions);
}

JSValue store_proto(void) { return JS_GetClassProto(E.ctx, class); }

// store_open is cx.store(name).
JSValue store_open(JSContext *ctx, JSValueConst self, int argc, JSValueConst *argv) {
	size_t len;
	int64_t n;
	const char *name = JS_ToCStringLen(ctx, &len, argv[0]);
	if (name == NULL)
		return JS_EXCEPTION;
	Store *s = js_malloc(ctx, sizeof *s + len + 1);
	JSValue v = s == NULL || JS_GetLength(ctx, E.stores, &n) < 0 ? JS_EXCEPTION : JS_NewObjectClass(ctx, class);
	if (JS_IsException(v)) {
		js_free(ctx, s);
		JS_FreeCString(ctx, name);
		return v;
	}
	memcpy(s->name, name, len + 1);
	JS_FreeCString(ctx, name);
	s->id = NO_LENGTH;
	JS_SetOpaque(v, s);
	for (int64_t i = 0; i < n && s->id == NO_LENGTH; i++) {
		JSValue one = JS_GetPropertyInt64(ctx, E.stores, i);
		if (JS_IsStrictEqual(ctx, one, argv[0]))
			s->id = i;
		JS_FreeValue(ctx, one);
	}
	return v;
}
