// The class of records: getters on the prototype read the frame where it lies.
// What a getter has made is kept, so that it is the same object each time.
#include <string.h>
#include "engine.h"

typedef struct {
	Fields f;
	uint32_t index, call;
	JSValue partition;
	JSValue kept[4]; // by Lazy
} Record;

enum Lazy { KEY, VALUE, JSON, HEADERS };
enum Plain { KEY_TEXT, TEXT, TIME, POSITION, STREAM, FLAGS, INDEX, PARTITION };

static JSClassID class;

bool is_record(JSValueConst v) { return JS_GetOpaque(v, class) != NULL; }

// live returns the record behind self, NULL with an exception if there is none
// or the frame is gone.
static Record *live(JSValueConst self) {
	Record *r = JS_GetOpaque2(E.ctx, self, class);
	if (r != NULL && r->call != E.call) {
		JS_ThrowTypeError(E.ctx, "the record's batch is over: read what is to be kept while its function runs");
		return NULL;
	}
	return r;
}

const Fields *record_fields(JSValueConst v, uint32_t *index) {
	Record *r = live(v);
	if (r == NULL)
		return NULL;
	*index = r->index;
	return &r->f;
}

// new_json decodes in place: the byte behind the value is lent to the decoder,
// which wants a zero there.
static JSValue new_json(const uint8_t *p, uint32_t n) {
	if (n == NO_LENGTH)
		return JS_NULL;
	uint8_t *end = (uint8_t *)p + n, was = *end;
	*end = 0;
	JSValue v = JS_ParseJSON(E.ctx, (const char *)p, n, "value");
	*end = was;
	return v;
}

// set_name gives a header its name, and its bytes if they are no text.
static void set_name(JSValueConst header, const uint8_t *p, uint32_t n) {
	JSValue name = new_text(p, n);
	Bytes back;
	if (!JS_IsException(name) && bytes_key(name, &back, "the name of a header") == 0) {
		if (back.n != n || memcmp(back.p, p, n) != 0)
			JS_DefinePropertyValueStr(E.ctx, header, "nameBytes", new_bytes(p, n), JS_PROP_C_W_E);
		bytes_free(&back);
	}
	JS_DefinePropertyValueStr(E.ctx, header, "name", name, JS_PROP_C_W_E);
}

static JSValue new_headers(const Fields *f) {
	JSValue list = JS_NewArray(E.ctx);
	const uint8_t *at = f->headers;
	for (uint32_t i = 0; i < f->header_count && !JS_IsException(list); i++) {
		uint32_t name = get32(at), value = get32(at + 4);
		JSValue h = JS_NewObject(E.ctx);
		set_name(h, at + 8, name);
		JS_DefinePropertyValueStr(E.ctx, h, "value", new_bytes(at + 8 + name, value), JS_PROP_C_W_E);
		at += 8 + name + (value == NO_LENGTH ? 0 : value);
		if (JS_IsException(h) || JS_DefinePropertyValueUint32(E.ctx, list, i, h, JS_PROP_C_W_E) < 0 || JS_HasException(E.ctx)) {
			JS_FreeValue(E.ctx, list);
			return JS_EXCEPTION;
		}
	}
	return list;
}

static JSValue lazy(JSContext *ctx, JSValueConst self, int which) {
	Record *r = JS_GetOpaque2(ctx, self, class);
	if (r == NULL)
		return JS_EXCEPTION;
	JSValue v = r->kept[which];
	if (!JS_IsUndefined(v))
		return JS_DupValue(ctx, v);
	if (live(self) == NULL)
		return JS_EXCEPTION;
	switch (which) {
	case KEY:
		v = new_bytes(r->f.key, r->f.key_len);
		break;
	case VALUE:
		v = new_bytes(r->f.value, r->f.value_len);
		break;
	case JSON:
		v = new_json(r->f.value, r->f.value_len);
		break;
	default:
		v = new_headers(&r->f);
	}
	if (!JS_IsException(v))
		r->kept[which] = JS_DupValue(ctx, v);
	return v;
}

static JSValue plain(JSContext *ctx, JSValueConst self, int which) {
	Record *r = which < TIME ? live(self) : JS_GetOpaque2(ctx, self, class);
	if (r == NULL)
		return JS_EXCEPTION;
	switch (which) {
	case KEY_TEXT:
		return new_text(r->f.key, r->f.key_len);
	case TEXT:
		return new_text(r->f.value, r->f.value_len);
	case TIME:
		return r->f.time == NO_TIME ? JS_NULL : JS_NewInt64(ctx, r->f.time);
	case POSITION:
		return JS_NewInt64(ctx, r->f.position);
	case STREAM:
		return JS_NewInt32(ctx, r->f.stream);
	case FLAGS:
		return JS_NewInt32(ctx, r->f.flags);
	case INDEX:
		return JS_NewUint32(ctx, r->index);
	}
	return JS_DupValue(ctx, r->partition);
}

static void finalise(JSRuntime *rt, JSValueConst v) {
	Record *r = JS_GetOpaque(v, class);
	if (r == NULL)
		return;
	for (int i = 0; i < 4; i++)
		JS_FreeValueRT(rt, r->kept[i]);
	JS_FreeValueRT(rt, r->partition);
	js_free_rt(rt, r);
}

static void mark(JSRuntime *rt, JSValueConst v, JS_MarkFunc *f) {
	Record *r = JS_GetOpaque(v, class);
	if (r == NULL)
		return;
	for (int i = 0; i < 4; i++)
		JS_MarkValue(rt, r->kept[i], f);
	JS_MarkValue(rt, r->partition, f);
}

static const JSClassDef definition = {"Record", .finalizer = finalise, .gc_mark = mark};

static const JSCFunctionListEntry getters[] = {
	JS_CGETSET_MAGIC_DEF("key", lazy, NULL, KEY),
	JS_CGETSET_MAGIC_DEF("value", lazy, NULL, VALUE),
	JS_CGETSET_MAGIC_DEF("json", lazy, NULL, JSON),
	JS_CGETSET_MAGIC_DEF("headers", lazy, NULL, HEADERS),
	JS_CGETSET_MAGIC_DEF("keyText", plain, NULL, KEY_TEXT),
	JS_CGETSET_MAGIC_DEF("text", plain, NULL, TEXT),
	JS_CGETSET_MAGIC_DEF("time", plain, NULL, TIME),
	JS_CGETSET_MAGIC_DEF("position", plain, NULL, POSITION),
	JS_CGETSET_MAGIC_DEF("stream", plain, NULL, STREAM),
	JS_CGETSET_MAGIC_DEF("flags", plain, NULL, FLAGS),
	JS_CGETSET_MAGIC_DEF("index", plain, NULL, INDEX),
	JS_CGETSET_MAGIC_DEF("partition", plain, NULL, PARTITION),
};

int record_setup(void) {
	JSRuntime *rt = JS_GetRuntime(E.ctx);
	JS_NewClassID(rt, &class);
	if (JS_NewClass(rt, class, &definition) < 0)
		return -1;
	JSValue proto = JS_NewObject(E.ctx);
	JS_SetClassProto(E.ctx, class, proto);
	return JS_SetPropertyFunctionList(E.ctx, proto, getters, sizeof getters / sizeof *getters);
}

JSValue record_new(const Fields *fields, uint32_t index, JSValueConst partition) {
	JSValue v = JS_NewObjectClass(E.ctx, class);
	if (JS_IsException(v))
		return v;
	Record *r = js_malloc(E.ctx, sizeof *r);
	if (r == NULL) {
		JS_FreeValue(E.ctx, v);
		return JS_EXCEPTION;
	}
	*r = (Record){*fields, index, E.call, JS_DupValue(E.ctx, partition), {JS_UNDEFINED, JS_UNDEFINED, JS_UNDEFINED, JS_UNDEFINED}};
	JS_SetOpaque(v, r);
	return v;
}

JSValue partition_new(const Frame *f) {
	JSValue v = JS_NewObject(E.ctx);
	JS_DefinePropertyValueStr(E.ctx, v, "number", JS_NewUint32(E.ctx, f->partition), JS_PROP_ENUMERABLE);
	JS_DefinePropertyValueStr(E.ctx, v, "name", new_text(f->name, f->name_len), JS_PROP_ENUMERABLE);
	JS_DefinePropertyValueStr(E.ctx, v, "bytes", new_bytes(f->name, f->name_len), JS_PROP_ENUMERABLE);
	if (JS_HasException(E.ctx)) {
		JS_FreeValue(E.ctx, v);
		return JS_EXCEPTION;
	}
	return v;
}
