// What an instance begins with: the context, the code of prelude.js, the step.
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "engine.h"
#include "prelude.h"

#define STEP "/app/step.js"

// read_file returns a file of the step with a zero behind it, to be freed;
// NULL if it cannot be read.
static char *read_file(const char *path, size_t *len) {
	int fd = open(path, O_RDONLY);
	if (fd < 0)
		return NULL;
	size_t n = 0, cap = 64 << 10;
	char *text = malloc(cap);
	for (ssize_t got = 1; text != NULL && got > 0; n += got) {
		if (cap - n < 2) {
			char *more = realloc(text, cap * 2);
			if (more == NULL)
				break;
			text = more;
			cap *= 2;
		}
		if ((got = read(fd, text + n, cap - n - 1)) <= 0) {
			close(fd);
			if (got == 0) {
				text[n] = 0;
				*len = n;
				return text;
			}
			free(text);
			return NULL;
		}
	}
	close(fd);
	free(text);
	return NULL;
}

// read_text is native.read of prelude.js: undefined if there is no such file.
JSValue read_text(JSContext *ctx, JSValueConst self, int argc, JSValueConst *argv) {
	const char *path = JS_ToCString(ctx, argv[0]);
	if (path == NULL)
		return JS_EXCEPTION;
	size_t n;
	char *text = read_file(path, &n);
	JS_FreeCString(ctx, path);
	JSValue v = text == NULL ? JS_UNDEFINED : JS_NewStringLen(ctx, text, n);
	free(text);
	return v;
}

static JSValue take(JSValueConst from, const char *name) { return JS_GetPropertyStr(E.ctx, from, name); }

// limits applies what the payload says under limits.
static int limits(JSValueConst info) {
	JSValue l = take(info, "limits"), record = take(l, "record"), memory = take(l, "memory");
	int64_t bytes = 0;
	int result = JS_ToUint32(E.ctx, &E.limit, record) < 0 || JS_ToInt64(E.ctx, &bytes, memory) < 0 ? -1 : 0;
	if (E.limit == 0)
		E.limit = NO_LENGTH - 64;
	// An eighth is left to what is not JavaScript's: stack, batch and frame. So
	// a step without memory gets an exception, not a trap.
	if (bytes > 0)
		JS_SetMemoryLimit(JS_GetRuntime(E.ctx), bytes - bytes / 8);
	JS_FreeValue(E.ctx, memory);
	JS_FreeValue(E.ctx, record);
	JS_FreeValue(E.ctx, l);
	return result;
}

static int run_prelude(void) {
	JSContext *ctx = E.ctx;
	JSValue f = JS_Eval(ctx, prelude, sizeof prelude - 1, "wasmill", JS_EVAL_TYPE_GLOBAL | JS_EVAL_FLAG_STRICT);
	JSValue native = JS_NewObject(ctx), global = JS_GetGlobalObject(ctx), math = take(global, "Math");
	JS_SetPropertyFunctionList(ctx, native, native_functions, native_functions_len);
	JS_SetPropertyStr(ctx, native, "cx", JS_DupValue(ctx, E.cx));
	JS_SetPropertyStr(ctx, native, "Store", store_proto());
	JS_SetPropertyStr(ctx, math, "random", JS_NewCFunction(ctx, random_next, "random", 0));
	JSValueConst args[] = {native, E.sdk};
	E.reason = JS_IsException(f) ? f : JS_Call(ctx, f, JS_UNDEFINED, 2, args);
	JS_FreeValue(ctx, f);
	JS_FreeValue(ctx, native);
	JS_SetPropertyStr(ctx, global, "__wasmill", JS_DupValue(ctx, E.sdk));
	JS_FreeValue(ctx, math);
	JS_FreeValue(ctx, global);
	return JS_IsException(E.reason) ? -1 : 0;
}

int context_setup(const uint8_t *payload, uint32_t len) {
	static const char *const fields[] = {"job", "step", "tenant", "task", "partitions", "config"};
	JSContext *ctx = E.ctx;
	E.cx = JS_NewObject(ctx);
	E.sdk = JS_NewObject(ctx);
	JSValue info = JS_ParseJSON(ctx, (const char *)payload, len, "init");
	if (JS_IsException(info) || record_setup() < 0 || store_setup() < 0 || emit_setup() < 0 || json_setup() < 0 || settle_setup() < 0 || limits(info) < 0)
		return -1;
	JSValue proto = JS_NewObject(ctx);
	JS_SetPropertyFunctionList(ctx, proto, emit_functions, emit_functions_len);
	JS_SetPropertyFunctionList(ctx, proto, observe_functions, observe_functions_len);
	JS_SetPrototype(ctx, E.cx, proto);
	JS_FreeValue(ctx, proto);
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
		JS_SetPropertyStr(ctx, E.cx, fields[i], take(info, fields[i]));
	E.outputs = take(info, "outputs");
	E.stores = take(info, "stores");
	JSValue inputs = take(info, "inputs");
	JS_FreezeObject(ctx, E.outputs);
	JS_FreezeObject(ctx, inputs);
	JS_SetPropertyStr(ctx, E.cx, "outputs", JS_DupValue(ctx, E.outputs));
	JS_SetPropertyStr(ctx, E.cx, "inputs", inputs);
	JS_FreeValue(ctx, info);
	return JS_HasException(ctx) ? -1 : run_prelude();
}

int load_step(void) {
	size_t n;
	char *text = read_file(STEP, &n);
	if (text == NULL) {
		JS_ThrowPlainError(E.ctx, "%s cannot be read: the archive has no step in JavaScript", STEP);
		return -1;
	}
	JSValue v = settle(JS_Eval(E.ctx, text, n, "step.js", JS_EVAL_TYPE_MODULE));
	free(text);
	JS_FreeValue(E.ctx, v);
	return JS_IsException(v) ? -1 : 0;
}
