// Exceptions on their way to the host, and promises.
#include <string.h>
#include "engine.h"

// throw_errno throws the SDK's CallError.
JSValue throw_errno(const char *call, const char *on, int32_t result) {
	JSContext *ctx = E.ctx;
	JSValue class = JS_GetPropertyStr(ctx, E.sdk, "CallError");
	JSValueConst args[] = {JS_NewString(ctx, call), JS_NewString(ctx, on == NULL ? "" : on), JS_NewInt32(ctx, -result)};
	JSValue e = JS_CallConstructor(ctx, class, 3, args);
	JS_FreeValue(ctx, args[0]);
	JS_FreeValue(ctx, args[1]);
	JS_FreeValue(ctx, class);
	return JS_IsException(e) ? e : JS_Throw(ctx, e);
}

// Reason is what an exception says.
typedef struct {
	int32_t code, errno_;
	const char *text;
	size_t len;
	bool owned;
} Reason;

// take asks prelude.js about the exception. If even that fails, as with no
// memory left, the text is fixed.
static Reason take(void) {
	JSContext *ctx = E.ctx;
	Reason r = {-1, ABI_EINVAL, "an exception, and another one while its text was made: out of memory?", 0, false};
	JSValue e = JS_GetException(ctx);
	JSValue list = JS_Call(ctx, E.reason, JS_UNDEFINED, 1, &e);
	JS_FreeValue(ctx, e);
	JSValue code = JS_GetPropertyUint32(ctx, list, 0), text = JS_GetPropertyUint32(ctx, list, 1), number = JS_GetPropertyUint32(ctx, list, 2);
	const char *s = NULL;
	if (!JS_IsException(list) && JS_ToInt32(ctx, &r.code, code) == 0 && JS_ToInt32(ctx, &r.errno_, number) == 0)
		s = JS_ToCStringLen(ctx, &r.len, text);
	if (s != NULL) {
		r.text = s;
		r.owned = true;
	} else {
		r.len = strlen(r.text);
		JS_FreeValue(ctx, JS_GetException(ctx));
	}
	JS_FreeValue(ctx, code);
	JS_FreeValue(ctx, text);
	JS_FreeValue(ctx, number);
	JS_FreeValue(ctx, list);
	return r;
}

static void drop(Reason *r) {
	if (r->owned)
		JS_FreeCString(E.ctx, r->text);
}

void fail_record(uint32_t index) {
	Reason r = take();
	int32_t result = host_fail(index, r.code, r.text, r.len);
	if (result < 0 && E.refused == 0)
		E.refused = result;
	drop(&r);
}

int32_t fail_call(void) {
	Reason r = take();
	host_log(LOG_ERROR, r.text, r.len);
	drop(&r);
	return -r.errno_;
}

// Promises that were rejected and that nobody waits for.
static JSValue unheard; // an array of promises and reasons by turns
static bool any;        // it may hold some

static void track(JSContext *ctx, JSValueConst promise, JSValueConst reason, bool handled, void *opaque) {
	int64_t n;
	if (JS_GetLength(ctx, unheard, &n) < 0)
		return;
	if (!handled) {
		any = true;
		JS_SetPropertyInt64(ctx, unheard, n, JS_DupValue(ctx, promise));
		JS_SetPropertyInt64(ctx, unheard, n + 1, JS_DupValue(ctx, reason));
		return;
	}
	for (int64_t i = 0; i < n; i += 2) {
		JSValue v = JS_GetPropertyInt64(ctx, unheard, i);
		bool same = JS_IsStrictEqual(ctx, v, promise);
		JS_FreeValue(ctx, v);
		if (same)
			JS_SetPropertyInt64(ctx, unheard, i, JS_UNDEFINED);
	}
}

int settle_setup(void) {
	unheard = JS_NewArray(E.ctx);
	JS_SetHostPromiseRejectionTracker(JS_GetRuntime(E.ctx), track, NULL);
	return JS_IsException(unheard) ? -1 : 0;
}

static void forget(void) {
	if (any)
		JS_SetLength(E.ctx, unheard, 0);
	any = false;
}

// first_unheard throws the reason of the first such promise, if there is one,
// and forgets them all.
static bool first_unheard(void) {
	JSContext *ctx = E.ctx;
	int64_t n;
	bool found = false;
	if (!any || JS_GetLength(ctx, unheard, &n) < 0)
		return false;
	for (int64_t i = 0; i < n && !found; i += 2) {
		JSValue promise = JS_GetPropertyInt64(ctx, unheard, i);
		found = !JS_IsUndefined(promise);
		JS_FreeValue(ctx, promise);
		if (found)
			JS_Throw(ctx, JS_GetPropertyInt64(ctx, unheard, i + 1));
	}
	JSValue reason = found ? JS_GetException(ctx) : JS_UNDEFINED;
	forget();
	if (found)
		JS_Throw(ctx, reason);
	return found;
}

// jobs runs what promises have to do. An exception ends it when nothing is
// left; the last one stays.
static bool jobs(void) {
	JSRuntime *rt = JS_GetRuntime(E.ctx);
	JSContext *ctx;
	bool failed = false;
	for (int n; (n = JS_ExecutePendingJob(rt, &ctx)) != 0;)
		failed = failed || n < 0;
	return !failed;
}

static JSValue settled(JSValue v) {
	JSContext *ctx = E.ctx;
	JSValue result;
	switch (JS_PromiseState(ctx, v)) {
	case JS_PROMISE_NOT_A_PROMISE:
		return v;
	case JS_PROMISE_FULFILLED:
		result = JS_PromiseResult(ctx, v);
		break;
	case JS_PROMISE_REJECTED:
		JS_PromiseMarkAsHandled(ctx, v);
		track(ctx, v, JS_UNDEFINED, true, NULL);
		result = JS_Throw(ctx, JS_PromiseResult(ctx, v));
		break;
	default:
		result = JS_ThrowTypeError(ctx, "the promise that the function returned is pending, and nothing is left that could settle it");
	}
	JS_FreeValue(ctx, v);
	return result;
}

JSValue settle(JSValue v) {
	JSContext *ctx = E.ctx;
	if (!JS_IsException(v) && !any && !JS_IsJobPending(JS_GetRuntime(ctx)) && !JS_IsObject(v))
		return v;
	JSValue thrown = JS_IsException(v) ? JS_GetException(ctx) : JS_UNINITIALIZED;
	bool ok = jobs();
	if (!JS_IsUninitialized(thrown)) {
		if (!ok)
			JS_FreeValue(ctx, JS_GetException(ctx));
		forget();
		return JS_Throw(ctx, thrown);
	}
	if (!ok) {
		JSValue e = JS_GetException(ctx);
		forget();
		JS_Throw(ctx, e);
		JS_FreeValue(ctx, v);
		return JS_EXCEPTION;
	}
	v = settled(v);
	if (!JS_IsException(v) && first_unheard()) {
		JS_FreeValue(ctx, v);
		return JS_EXCEPTION;
	}
	return v;
}
