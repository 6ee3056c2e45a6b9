// The reader and the writer of wasmill_json.h.
#include "wasmill_json.h"

#include "wasmill_frame.h" // wasmill_get64
#include "wasmill_libc.h"

#if __STDC_HOSTED__
#include <math.h>
#include <stdio.h>
#endif

// Reading: text.

static const uint64_t ones = 0x0101010101010101u;

// special returns how many bytes at p, of the 8 there, come before the first
// that a string cannot take as it is: a control character, a quote, a backslash
// or a byte of a longer character. Subtracting borrows from higher bytes only,
// so the lowest mark is right.
static unsigned special(const char *p) {
    uint64_t x = wasmill_get64(p);
    uint64_t marks = (x | (x - ones * 0x20) | ((x ^ ones * '"') - ones) | ((x ^ ones * '\\') - ones)) & ones * 0x80;
    return marks == 0 ? 8 : (unsigned)__builtin_ctzll(marks) / 8;
}

// utf8 returns the length of the character at p, longer than one byte, 0 if it
// is none: too long a form, a surrogate, above U+10FFFF.
static unsigned utf8(const char *p, const char *end) {
    const unsigned char *b = (const unsigned char *)p;
    unsigned size = b[0] < 0xc2 ? 0 : b[0] < 0xe0 ? 2 : b[0] < 0xf0 ? 3 : b[0] < 0xf5 ? 4 : 0;
    if (size == 0 || end - p < (ptrdiff_t)size) return 0;
    for (unsigned i = 1; i < size; i++) {
        if ((b[i] & 0xc0) != 0x80) return 0;
    }
    if ((b[0] == 0xe0 && b[1] < 0xa0) || (b[0] == 0xed && b[1] > 0x9f) || (b[0] == 0xf0 && b[1] < 0x90) ||
        (b[0] == 0xf4 && b[1] > 0x8f))
        return 0;
    return size;
}

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// hex4 returns the number of four hexadecimal digits, -1 if they are none.
static int32_t hex4(const char *p, const char *end) {
    int32_t n = 0;
    if (end - p < 4) return -1;
    for (int i = 0; i < 4; i++) {
        int digit = hex_digit(p[i]);
        if (digit < 0) return -1;
        n = n << 4 | digit;
    }
    return n;
}

static bool fail(wasmill_json *json) {
    json->failed = true;
    json->at = json->end;
    return false;
}

static void space(wasmill_json *json) {
    const char *p = json->at;
    while (p < json->end && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t')) p++;
    json->at = p;
}

// look passes over white space and returns the byte there, 0 at the end.
static char look(wasmill_json *json) {
    if (json->at < json->end && (unsigned char)*json->at > ' ') return *json->at;
    space(json);
    return json->at < json->end ? *json->at : 0;
}

// string_end passes over a string, whose quote is at json->at, and checks it.
// raw is what stands between the quotes, escaped whether it has escapes.
static bool string_end(wasmill_json *json, wasmill_bytes *raw, bool *escaped) {
    const char *p = json->at + 1, *end = json->end;
    raw->data = p;
    *escaped = false;
    for (;;) {
        while (end - p >= 8) {
            unsigned n = special(p);
            p += n;
            if (n < 8) break;
        }
        if (p == end) return fail(json);
        unsigned char c = (unsigned char)*p;
        if (c == '"') {
            raw->size = (size_t)(p - raw->data);
            json->at = p + 1;
            return true;
        }
        if (c == '\\') {
            *escaped = true;
            if (end - p < 2 || memchr("\"\\/bfnrtu", p[1], 9) == NULL) return fail(json);
            if (p[1] == 'u' && hex4(p + 2, end) < 0) return fail(json);
            p += 2; // digits that follow a u are characters like others
        } else if (c >= 0x80) {
            unsigned n = utf8(p, end);
            if (n == 0) return fail(json);
            p += n;
        } else if (c < 0x20) {
            return fail(json);
        } else {
            p++;
        }
    }
}

static char *put_utf8(char *out, uint32_t c) {
    if (c < 0x80) {
        *out++ = (char)c;
    } else if (c < 0x800) {
        *out++ = (char)(0xc0 | c >> 6);
        *out++ = (char)(0x80 | (c & 0x3f));
    } else if (c < 0x10000) {
        *out++ = (char)(0xe0 | c >> 12);
        *out++ = (char)(0x80 | (c >> 6 & 0x3f));
        *out++ = (char)(0x80 | (c & 0x3f));
    } else {
        *out++ = (char)(0xf0 | c >> 18);
        *out++ = (char)(0x80 | (c >> 12 & 0x3f));
        *out++ = (char)(0x80 | (c >> 6 & 0x3f));
        *out++ = (char)(0x80 | (c & 0x3f));
    }
    return out;
}

// unicode decodes the escape behind whose u *p is, and a second one if the two
// are a pair of surrogates.
static uint32_t unicode(const char **p, const char *end) {
    uint32_t c = (uint32_t)hex4(*p, end);
    *p += 4;
    if (c < 0xd800 || c > 0xdfff) return c;
    if (c < 0xdc00 && end - *p >= 6 && (*p)[0] == '\\' && (*p)[1] == 'u') {
        uint32_t low = (uint32_t)hex4(*p + 2, end);
        if (low >= 0xdc00 && low <= 0xdfff) {
            *p += 6;
            return 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
        }
    }
    return 0xfffd;
}

// unescape decodes a string that string_end has checked. The scratch gets room
// for all that is left of the text the first time, so it does not move later:
// a string decoded is no longer than written.
static wasmill_bytes unescape(wasmill_json *json, wasmill_bytes raw) {
    const char *p = raw.data, *end = p + raw.size;
    wasmill_buffer *scratch = json->scratch;
    wasmill_reserve(scratch, (size_t)(json->end - raw.data));
    char *start = scratch->data + scratch->size, *out = start;
    while (p < end) {
        char c = *p++;
        if (c == '\\') {
            c = *p++;
            switch (c) {
            case 'b': c = '\b'; break;
            case 'f': c = '\f'; break;
            case 'n': c = '\n'; break;
            case 'r': c = '\r'; break;
            case 't': c = '\t'; break;
            case 'u': out = put_utf8(out, unicode(&p, end)); continue;
            default: break;
            }
        }
        *out++ = c;
    }
    wasmill_bytes text = {start, (size_t)(out - start)};
    scratch->size += text.size;
    return text;
}

static bool string(wasmill_json *json, wasmill_bytes *value) {
    wasmill_bytes raw;
    bool escaped;
    if (!string_end(json, &raw, &escaped)) return false;
    *value = escaped ? unescape(json, raw) : raw;
    return true;
}

static const char *digits(const char *p, const char *end) {
    while (p < end && *p >= '0' && *p <= '9') p++;
    return p;
}

// number_end passes over a number and checks it.
static bool number_end(wasmill_json *json, bool *integer) {
    const char *p = json->at, *end = json->end;
    if (p < end && *p == '-') p++;
    const char *first = p;
    p = digits(p, end);
    if (p == first || (*first == '0' && p - first > 1)) return fail(json);
    *integer = true;
    if (p < end && *p == '.') {
        const char *fraction = ++p;
        p = digits(p, end);
        if (p == fraction) return fail(json);
        *integer = false;
    }
    if (p < end && (*p == 'e' || *p == 'E')) {
        p++;
        if (p < end && (*p == '+' || *p == '-')) p++;
        const char *exponent = p;
        p = digits(p, end);
        if (p == exponent) return fail(json);
        *integer = false;
    }
    json->at = p;
    return true;
}

static bool word(wasmill_json *json, const char *text, size_t size) {
    if ((size_t)(json->end - json->at) < size || memcmp(json->at, text, size) != 0) return fail(json);
    json->at += size;
    return true;
}

// scalar passes over a value that is neither object nor array.
static bool scalar(wasmill_json *json) {
    wasmill_bytes raw;
    bool ignored;
    switch (wasmill_json_next(json)) {
    case WASMILL_JSON_STRING: return string_end(json, &raw, &ignored);
    case WASMILL_JSON_NUMBER: return number_end(json, &ignored);
    case WASMILL_JSON_NULL: return word(json, "null", 4);
    case WASMILL_JSON_BOOL: return *json->at == 't' ? word(json, "true", 4) : word(json, "false", 5);
    default: return fail(json);
    }
}

// Reading: values.

void wasmill_json_open(wasmill_json *json, wasmill_bytes text, wasmill_buffer *scratch) {
    json->at = text.data == NULL ? "" : text.data;
    json->end = json->at + text.size;
    json->scratch = scratch;
    json->failed = json->first = false;
    scratch->size = 0;
}

wasmill_json_type wasmill_json_next(wasmill_json *json) {
    char c = look(json);
    switch (c) {
    case '"': return WASMILL_JSON_STRING;
    case '{': return WASMILL_JSON_OBJECT;
    case '[': return WASMILL_JSON_ARRAY;
    case 't':
    case 'f': return WASMILL_JSON_BOOL;
    case 'n': return WASMILL_JSON_NULL;
    default: return c == '-' || (c >= '0' && c <= '9') ? WASMILL_JSON_NUMBER : WASMILL_JSON_NONE;
    }
}

bool wasmill_json_string(wasmill_json *json, wasmill_bytes *value) {
    if (look(json) == '"') return string(json, value);
    wasmill_json_skip(json);
    return false;
}

bool wasmill_json_int(wasmill_json *json, int64_t *value) {
    bool integer;
    if (wasmill_json_next(json) != WASMILL_JSON_NUMBER) {
        wasmill_json_skip(json);
        return false;
    }
    const char *p = json->at;
    if (!number_end(json, &integer) || !integer) return false;
    bool negative = *p == '-';
    uint64_t n = 0, most = negative ? (uint64_t)1 << 63 : (uint64_t)INT64_MAX;
    for (p += negative; p < json->at; p++) {
        unsigned digit = (unsigned)(*p - '0');
        if (n > (most - digit) / 10) return false;
        n = n * 10 + digit;
    }
    *value = negative ? (int64_t)(0 - n) : (int64_t)n;
    return true;
}

bool wasmill_json_bool(wasmill_json *json, bool *value) {
    bool is = wasmill_json_next(json) == WASMILL_JSON_BOOL, yes = is && *json->at == 't';
    if (!wasmill_json_skip(json) || !is) return false;
    *value = yes;
    return true;
}

bool wasmill_json_null(wasmill_json *json) {
    bool is = wasmill_json_next(json) == WASMILL_JSON_NULL;
    return wasmill_json_skip(json) && is;
}

bool wasmill_json_raw(wasmill_json *json, wasmill_bytes *text) {
    look(json);
    const char *start = json->at;
    if (!wasmill_json_skip(json)) return false;
    text->data = start;
    text->size = (size_t)(json->at - start);
    return true;
}

#if __STDC_HOSTED__
bool wasmill_json_double(wasmill_json *json, double *value) {
    bool is = wasmill_json_next(json) == WASMILL_JSON_NUMBER;
    wasmill_bytes raw;
    if (!wasmill_json_raw(json, &raw) || !is) return false;
    wasmill_buffer copy = {NULL, 0, 0}; // strtod wants a zero at the end
    wasmill_append(&copy, raw.data, raw.size);
    wasmill_append(&copy, "", 1);
    double number = strtod(copy.data, NULL);
    wasmill_release(&copy);
    if (!isfinite(number)) return false;
    *value = number;
    return true;
}
#endif

enum { DEPTH = 1024 };

// wasmill_json_skip keeps one bit for each level: whether it is an object.
bool wasmill_json_skip(wasmill_json *json) {
    uint64_t objects[DEPTH / 64];
    unsigned depth = 0;
    for (;;) {
        char c = look(json);
        bool opened = c == '{' || c == '[';
        if (opened) {
            if (depth == DEPTH) return fail(json);
            uint64_t bit = (uint64_t)1 << depth % 64;
            objects[depth / 64] = c == '{' ? objects[depth / 64] | bit : objects[depth / 64] & ~bit;
            depth++;
            json->at++;
        } else if (!scalar(json)) {
            return false;
        }
        for (;; opened = false) { // what ends here, and the comma before the next value
            if (depth == 0) return true;
            bool object = objects[(depth - 1) / 64] >> (depth - 1) % 64 & 1;
            c = look(json);
            if (c == (object ? '}' : ']')) {
                json->at++;
                depth--;
                continue;
            }
            if (!opened) {
                if (c != ',') return fail(json);
                json->at++;
            }
            if (object) {
                wasmill_bytes key;
                bool escaped;
                if (look(json) != '"' || !string_end(json, &key, &escaped) || look(json) != ':') return fail(json);
                json->at++;
            }
            break;
        }
    }
}

static bool enter(wasmill_json *json, char open) {
    if (look(json) != open) {
        wasmill_json_skip(json);
        return false;
    }
    json->at++;
    return json->first = true;
}

// more reports whether another value comes before the end of what was entered.
static bool more(wasmill_json *json, char close) {
    char c = look(json);
    bool first = json->first;
    json->first = false;
    if (json->failed) return false;
    if (c == close) {
        json->at++;
        return false;
    }
    if (first) return true;
    if (c != ',') return fail(json);
    json->at++;
    return true;
}

bool wasmill_json_object(wasmill_json *json) { return enter(json, '{'); }

bool wasmill_json_member(wasmill_json *json, wasmill_bytes *key) {
    if (!more(json, '}')) return false;
    if (look(json) != '"' || !string(json, key)) return fail(json);
    if (look(json) != ':') return fail(json);
    json->at++;
    return true;
}

bool wasmill_json_array(wasmill_json *json) { return enter(json, '['); }

bool wasmill_json_element(wasmill_json *json) { return more(json, ']'); }

bool wasmill_json_end(wasmill_json *json) { return look(json) == 0 && json->at == json->end && !json->failed; }

// step_into finds the value of one token of a pointer in the value at json.
static bool step_into(wasmill_json *json, wasmill_bytes token, wasmill_bytes *value) {
    wasmill_bytes key, raw;
    bool found = false;
    if (wasmill_json_next(json) == WASMILL_JSON_OBJECT) {
        wasmill_json_object(json);
        while (wasmill_json_member(json, &key)) {
            bool same = wasmill_equal(key, token);
            if (wasmill_json_raw(json, &raw) && same) {
                *value = raw;
                found = true;
            }
        }
        return found && !json->failed;
    }
    if (!wasmill_json_array(json)) return false;
    wasmill_buffer index = {NULL, 0, 0};
    for (int64_t i = 0; wasmill_json_element(json); i++) {
        index.size = 0;
        wasmill_append_int(&index, i);
        if (wasmill_json_raw(json, &raw) && wasmill_equal(wasmill_view(&index), token)) {
            *value = raw;
            found = true;
        }
    }
    wasmill_release(&index);
    return found && !json->failed;
}

bool wasmill_json_find(wasmill_bytes text, const char *pointer, wasmill_bytes *value) {
    wasmill_buffer scratch = {NULL, 0, 0}, token = {NULL, 0, 0};
    wasmill_json json;
    wasmill_bytes at = text;
    wasmill_json_open(&json, at, &scratch);
    bool found = wasmill_json_raw(&json, &at);
    while (found && *pointer == '/') {
        token.size = 0;
        for (pointer++; *pointer != '/' && *pointer != 0; pointer++) {
            char c = *pointer;
            if (c == '~' && (pointer[1] == '0' || pointer[1] == '1')) c = *++pointer == '0' ? '~' : '/';
            wasmill_append(&token, &c, 1);
        }
        wasmill_json_open(&json, at, &scratch);
        found = step_into(&json, wasmill_view(&token), &at);
    }
    wasmill_release(&scratch);
    wasmill_release(&token);
    if (found && *pointer == 0) {
        *value = at;
        return true;
    }
    return false;
}

// Writing.

static void value_next(wasmill_json_writer *json) {
    if (json->comma) wasmill_append(json->out, ",", 1);
    json->comma = true;
}

static void opening(wasmill_json_writer *json, const char *bracket) {
    value_next(json);
    wasmill_append(json->out, bracket, 1);
    json->comma = false;
}

static void closing(wasmill_json_writer *json, const char *bracket) {
    wasmill_append(json->out, bracket, 1);
    json->comma = true;
}

void wasmill_write_object(wasmill_json_writer *json) { opening(json, "{"); }
void wasmill_write_object_end(wasmill_json_writer *json) { closing(json, "}"); }
void wasmill_write_array(wasmill_json_writer *json) { opening(json, "["); }
void wasmill_write_array_end(wasmill_json_writer *json) { closing(json, "]"); }

// plain returns how many bytes at p need no escape.
static size_t plain(const char *p, const char *end) {
    const char *start = p;
    while (end - p >= 8) {
        uint64_t x = wasmill_get64(p), high = x & ones * 0x80;
        // Bytes above 0x7f stay as they are: the marks are taken of the low
        // seven bits, and count only where the eighth is not set.
        uint64_t low = x & ones * 0x7f;
        uint64_t ok = ((low + ones * 0x60) & ((low ^ ones * '"') + ones * 0x7f) & ((low ^ ones * '\\') + ones * 0x7f)) | high;
        uint64_t marks = ~ok & ones * 0x80;
        if (marks != 0) return (size_t)(p - start) + (size_t)__builtin_ctzll(marks) / 8;
        p += 8;
    }
    while (p < end && (unsigned char)*p >= 0x20 && *p != '"' && *p != '\\') p++;
    return (size_t)(p - start);
}

static void quoted(wasmill_buffer *out, wasmill_bytes text) {
    static const char hex[] = "0123456789abcdef", shorts[] = "btn?fr"; // from 8 on
    const char *p = text.data, *end = p + text.size;
    wasmill_reserve(out, text.size + 2);
    out->data[out->size++] = '"';
    for (;;) {
        size_t n = plain(p, end);
        wasmill_append(out, p, n);
        p += n;
        if (p == end) break;
        char escape[6] = {'\\', *p, '0', '0', 0, 0};
        unsigned char c = (unsigned char)*p++;
        size_t size = 2;
        if (c >= 8 && c <= 13 && c != 11) {
            escape[1] = shorts[c - 8];
        } else if (c < 0x20) {
            escape[1] = 'u';
            escape[4] = hex[c >> 4];
            escape[5] = hex[c & 15];
            size = 6;
        }
        wasmill_append(out, escape, size);
    }
    wasmill_append(out, "\"", 1);
}

void wasmill_write_key(wasmill_json_writer *json, const char *key) { wasmill_write_key_bytes(json, wasmill_text(key)); }

void wasmill_write_key_bytes(wasmill_json_writer *json, wasmill_bytes key) {
    value_next(json);
    quoted(json->out, key);
    wasmill_append(json->out, ":", 1);
    json->comma = false;
}

void wasmill_write_string(wasmill_json_writer *json, wasmill_bytes value) {
    if (value.data == NULL) {
        wasmill_write_null(json);
        return;
    }
    value_next(json);
    quoted(json->out, value);
}

void wasmill_write_int(wasmill_json_writer *json, int64_t value) {
    value_next(json);
    wasmill_append_int(json->out, value);
}

void wasmill_write_bool(wasmill_json_writer *json, bool value) {
    value_next(json);
    wasmill_append_text(json->out, value ? "true" : "false");
}

void wasmill_write_null(wasmill_json_writer *json) {
    value_next(json);
    wasmill_append(json->out, "null", 4);
}

void wasmill_write_raw(wasmill_json_writer *json, wasmill_bytes text) {
    value_next(json);
    wasmill_append(json->out, text.data, text.size);
}

#if __STDC_HOSTED__
void wasmill_write_double(wasmill_json_writer *json, double value) {
    char text[32];
    if (!isfinite(value)) {
        wasmill_write_null(json);
        return;
    }
    for (int digits = 15; digits <= 17; digits++) { // the fewest that read back the same
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    value_next(json);
    wasmill_append_text(json->out, text);
}
#endif
