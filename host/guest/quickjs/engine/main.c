// What the engine exports: the interface of abi/SPEC.md.
#include <stdlib.h>
#include "engine.h"

#define EXPORT(name) __attribute__((export_name(#name))) name

enum { OP_BATCH = 1, OP_END = 3, OP_RESUMED = 4, DONE = 0, MORE = 1 };

// MAX_STACK is how deep JavaScript may go on the C stack, in bytes: as much as
// fits into the host's bound on the stack of its own, see README.md. build.sh
// gives that stack its size.
#define MAX_STACK (320 << 10)

Engine E;

// The step's functions; undefined if it registered none.
static JSValue step, whole, end;

static uint8_t *in; // where the host writes
static uint32_t in_cap;

void EXPORT(wasmill_abi_1)(void) {}

void *EXPORT(wasmill_alloc)(uint32_t n) {
	if (in == NULL || n > in_cap) {
		uint32_t cap = 64 << 10;
		while (cap < n && cap < 1u << 31)
			cap *= 2;
		free(in);
		in = malloc(cap + 8); // a byte behind the payload for JS_ParseJSON
		in_cap = in == NULL ? 0 : cap;
		if (in_cap < n)
			return NULL;
	}
	return in;
}

// begin clears what belongs to one call.
static void begin(bool serving) {
	E.serving = serving;
	E.call++;
	E.cause = CAUSE_BATCH;
	E.cause_time = NO_TIME;
	E.refused = 0;
	emit_begin();
}

static int32_t done(void) {
	emit_flush();
	E.serving = false;
	return E.refused != 0 ? E.refused : DONE;
}

static bool is_function(JSValueConst v) { return JS_IsFunction(E.ctx, v); }

static int32_t initialise(uint8_t *payload, uint32_t len) {
	JSRuntime *rt = JS_NewRuntime();
	if (rt == NULL || (E.ctx = JS_NewContext(rt)) == NULL)
		return -ABI_ENOMEM;
	JS_SetMaxStackSize(rt, MAX_STACK);
	begin(false);
	if (context_setup(payload, len) < 0) {
		static const char text[] = "the engine of JavaScript could not start: is there too little memory?";
		host_log(LOG_ERROR, text, sizeof text - 1);
		return -ABI_ENOMEM;
	}
	if (load_step() < 0)
		return fail_call();
	JSValue init = JS_GetPropertyStr(E.ctx, E.sdk, "init");
	if (is_function(init)) {
		JSValue v = settle(JS_Call(E.ctx, init, JS_UNDEFINED, 1, &E.cx));
		if (JS_IsException(v))
			return fail_call();
		JS_FreeValue(E.ctx, v);
	}
	JS_FreeValue(E.ctx, init);
	step = JS_GetPropertyStr(E.ctx, E.sdk, "step");
	whole = JS_GetPropertyStr(E.ctx, E.sdk, "batch");
	end = JS_GetPropertyStr(E.ctx, E.sdk, "end");
	if (!is_function(step) && !is_function(whole)) {
		JS_ThrowTypeError(E.ctx, "the step registers no function: call step or batch of the package wasmill");
		return fail_call();
	}
	JS_RunGC(rt); // what an image is taken of has no garbage
	return DONE;
}

int32_t EXPORT(wasmill_init)(uint8_t *payload, uint32_t len) {
	payload[len] = 0;
	return initialise(payload, len);
}

// run_each calls the step for each record.
static int32_t run_each(Frame *f, JSValueConst partition) {
	Fields fields;
	while (frame_next(f, &fields)) {
		E.cause = f->index - 1;
		E.cause_time = fields.time;
		JSValue r = record_new(&fields, E.cause, partition), v = JS_EXCEPTION;
		if (!JS_IsException(r)) {
			JSValueConst args[] = {r, E.cx};
			v = settle(JS_Call(E.ctx, step, JS_UNDEFINED, 2, args));
			JS_FreeValue(E.ctx, r);
		}
		if (JS_IsException(v))
			fail_record(E.cause);
		JS_FreeValue(E.ctx, v);
	}
	return frame_over(f) ? DONE : -ABI_EINVAL;
}

// run_whole calls the function of the batch with an array of its records.
static int32_t run_whole(Frame *f, JSValueConst partition) {
	Fields fields;
	JSValue list = JS_NewArray(E.ctx);
	while (!JS_HasException(E.ctx) && frame_next(f, &fields))
		JS_DefinePropertyValueUint32(E.ctx, list, f->index - 1, record_new(&fields, f->index - 1, partition), JS_PROP_C_W_E);
	if (!JS_HasException(E.ctx) && !frame_over(f)) {
		JS_FreeValue(E.ctx, list);
		return -ABI_EINVAL;
	}
	JSValue v = JS_EXCEPTION;
	if (!JS_HasException(E.ctx)) {
		JSValueConst args[] = {list, E.cx};
		v = settle(JS_Call(E.ctx, whole, JS_UNDEFINED, 2, args));
	}
	JS_FreeValue(E.ctx, list);
	if (JS_IsException(v) && f->count == 1) {
		fail_record(0); // so that what the host halved a batch for has its reason
		return DONE;
	}
	if (JS_IsException(v))
		return fail_call();
	JS_FreeValue(E.ctx, v);
	return DONE;
}

static int32_t run_batch(const uint8_t *p, uint32_t n) {
	Frame f;
	if (!frame_open(&f, p, n))
		return -ABI_EINVAL;
	JSValue partition = partition_new(&f);
	if (JS_IsException(partition))
		return fail_call();
	int32_t status = is_function(whole) ? run_whole(&f, partition) : run_each(&f, partition);
	JS_FreeValue(E.ctx, partition);
	E.cause = CAUSE_BATCH;
	return status == DONE ? done() : status;
}

static int32_t run_end(const uint8_t *token, uint32_t n) {
	if (!is_function(end))
		return DONE;
	JSValueConst args[] = {E.cx, n == 0 ? JS_NULL : new_bytes(token, n)};
	JSValue next = JS_IsException(args[1]) ? args[1] : settle(JS_Call(E.ctx, end, JS_UNDEFINED, 2, args));
	JS_FreeValue(E.ctx, args[1]);
	Bytes b;
	if (JS_IsException(next) || bytes_key(next, &b, "the token that the function of onEnd returned") < 0)
		return fail_call();
	JS_FreeValue(E.ctx, next);
	int32_t result = b.n == NO_LENGTH ? DONE : host_resume(b.p, b.n);
	bool more = b.n != NO_LENGTH;
	bytes_free(&b);
	if (result < 0) {
		throw_errno("resume", NULL, result);
		return fail_call();
	}
	result = done();
	return result == DONE && more ? MORE : result;
}

int32_t EXPORT(wasmill_process)(int32_t op, uint8_t *payload, uint32_t len) {
	begin(op == OP_BATCH || op == OP_END);
	switch (op) {
	case OP_BATCH:
		return run_batch(payload, len);
	case OP_END:
		return run_end(payload, len);
	case OP_RESUMED:
		random_seed(payload, len);
		return DONE;
	}
	return -ABI_ENOSYS;
}
