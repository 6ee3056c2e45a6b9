// Logs, metrics and the clock, and what prelude.js gets of C.
#include "engine.h"

static JSValue write_log(int level, JSValueConst text) {
	size_t n;
	const char *s = JS_ToCStringLen(E.ctx, &n, text);
	if (s == NULL)
		return JS_EXCEPTION;
	host_log(level, s, n);
	JS_FreeCString(E.ctx, s);
	return JS_UNDEFINED;
}

// js_log is cx.debug and so on.
static JSValue js_log(JSContext *ctx, JSValueConst self, int argc, JSValueConst *argv, int level) { return write_log(level, argv[0]); }

static JSValue js_debug_enabled(JSContext *ctx, JSValueConst self) { return JS_NewBool(ctx, host_log_enabled(LOG_DEBUG) > 0); }

static JSValue js_now(JSContext *ctx, JSValueConst self, int argc, JSValueConst *argv) { return JS_NewBigInt64(ctx, host_now()); }

static JSValue js_metric_define(JSContext *ctx, JSValueConst self, int argc, JSValueConst *argv) {
	int32_t kind;
	size_t n;
	const char *name = JS_ToCStringLen(ctx, &n, argv[1]);
	if (name == NULL || JS_ToInt32(ctx, &kind, argv[0]) < 0) {
		JS_FreeCString(ctx, name);
		return JS_EXCEPTION;
	}
	int32_t handle = host_metric_define(kind, name, n);
	JSValue v = handle < 0 ? throw_errno("metric_define", name, handle) : JS_NewInt32(ctx, handle);
	JS_FreeCString(ctx, name);
	return v;
}

static JSValue js_metric_add(JSContext *ctx, JSValueConst self, int argc, JSValueConst *argv) {
	int32_t handle;
	int64_t delta;
	if (JS_ToInt32(ctx, &handle, argv[0]) < 0 || JS_ToInt64Ext(ctx, &delta, argv[1]) < 0)
		return JS_EXCEPTION;
	int32_t result = host_metric_add(handle, delta);
	return result < 0 ? throw_errno("metric_add", NULL, result) : JS_UNDEFINED;
}

static JSValue js_fail(JSContext *ctx, JSValueConst self, int argc, JSValueConst *argv) {
	uint32_t index;
	int32_t code;
	size_t n;
	if (record_fields(argv[0], &index) == NULL || JS_ToInt32(ctx, &code, argv[1]) < 0)
		return JS_EXCEPTION;
	const char *text = JS_ToCStringLen(ctx, &n, argv[2]);
	if (text == NULL)
		return JS_EXCEPTION;
	int32_t result = host_fail(index, code, text, n);
	JS_FreeCString(ctx, text);
	return result < 0 ? throw_errno("fail", NULL, result) : JS_UNDEFINED;
}

static JSValue js_encode(JSContext *ctx, JSValueConst self, int argc, JSValueConst *argv) {
	Bytes b;
	JSValue text = JS_ToString(ctx, argv[0]);
	if (JS_IsException(text) || bytes_key(text, &b, "the text") < 0) {
		JS_FreeValue(ctx, text);
		return JS_EXCEPTION;
	}
	JSValue v = new_bytes(b.p, b.n);
	bytes_free(&b);
	JS_FreeValue(ctx, text);
	return v;
}

static JSValue js_decode(JSContext *ctx, JSValueConst self, int argc, JSValueConst *argv) {
	size_t n;
	const uint8_t *p = JS_GetUint8Array(ctx, &n, argv[0]);
	return p == NULL && JS_HasException(ctx) ? JS_EXCEPTION : new_text(p, n);
}

const JSCFunctionListEntry observe_functions[] = {
	JS_CFUNC_MAGIC_DEF("debug", 1, js_log, LOG_DEBUG),
	JS_CFUNC_MAGIC_DEF("info", 1, js_log, LOG_INFO),
	JS_CFUNC_MAGIC_DEF("warn", 1, js_log, LOG_WARN),
	JS_CFUNC_MAGIC_DEF("error", 1, js_log, LOG_ERROR),
	JS_CGETSET_DEF("debugEnabled", js_debug_enabled, NULL),
	JS_CFUNC_DEF("now", 0, js_now),
	JS_CFUNC_DEF("store", 1, store_open),
};
const int observe_functions_len = sizeof observe_functions / sizeof *observe_functions;

const JSCFunctionListEntry native_functions[] = {
	JS_CFUNC_MAGIC_DEF("debug", 1, js_log, LOG_DEBUG),
	JS_CFUNC_MAGIC_DEF("info", 1, js_log, LOG_INFO),
	JS_CFUNC_MAGIC_DEF("warn", 1, js_log, LOG_WARN),
	JS_CFUNC_MAGIC_DEF("error", 1, js_log, LOG_ERROR),
	JS_CFUNC_DEF("define", 2, js_metric_define),
	JS_CFUNC_DEF("add", 2, js_metric_add),
	JS_CFUNC_DEF("fail", 3, js_fail),
	JS_CFUNC_DEF("encode", 1, js_encode),
	JS_CFUNC_DEF("decode", 1, js_decode),
	JS_CFUNC_DEF("read", 1, read_text),
};
const int native_functions_len = sizeof native_functions / sizeof *native_functions;
