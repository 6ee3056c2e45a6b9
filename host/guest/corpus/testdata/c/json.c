// A record of JSON, read in one pass by hand and written by printf.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "work.h"

const char template[] =
    "{\"id\":1000000,\"user\":\"user-0042\",\"ts\":1700000000123,\"amount\":12.34,"
    "\"currency\":\"EUR\",\"tags\":[\"a\",\"b\",\"c\"],\"note\":\"plain\"}";

void number(char *record, uint32_t i) {
  uint32_t id = 1000000 + i % 9000000;
  for (int at = 12; at >= 6; at--, id /= 10) {
    record[at] = '0' + id % 10;
  }
}

struct text {
  const char *at;
  int len;
};

struct fields {
  unsigned long long id, ts;
  double amount;
  struct text user;
  int tags;
  unsigned seen;  // a bit for each of the five
};

// The functions below take a place in the record and return the next one, or
// a null pointer for what is not JSON.

static const char *space(const char *p) {
  while (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t') p++;
  return p;
}

static const char *string(const char *p, struct text *out) {
  if (*p != '"') return NULL;
  out->at = ++p;
  for (; *p != '"'; p++) {
    if (*p == '\\') p++;
    if (*p == 0) return NULL;
  }
  out->len = p - out->at;
  return p + 1;
}

static const char *value(const char *p, int depth, int *elements);

// list reads what is between brackets; of an object with its names.
static const char *list(const char *p, char end, int depth, int *elements) {
  struct text name;
  *elements = 0;
  if (depth == 0) return NULL;
  if (*(p = space(p + 1)) == end) return p + 1;
  for (;; p = space(p + 1)) {
    int ignored;
    if (end == '}') {
      if (!(p = string(p, &name)) || *(p = space(p)) != ':') return NULL;
      p = space(p + 1);
    }
    if (!(p = value(p, depth - 1, &ignored))) return NULL;
    ++*elements;
    if (*(p = space(p)) == end) return p + 1;
    if (*p != ',') return NULL;
  }
}

static const char *value(const char *p, int depth, int *elements) {
  static const char *const words[] = {"true", "false", "null"};
  struct text ignored;
  char *end;
  switch (*p) {
    case '"': return string(p, &ignored);
    case '[': return list(p, ']', depth, elements);
    case '{': return list(p, '}', depth, elements);
  }
  for (int i = 0; i < 3; i++) {
    size_t n = strlen(words[i]);
    if (strncmp(p, words[i], n) == 0) return p + n;
  }
  strtod(p, &end);
  return end == p ? NULL : end;
}

static int is(struct text name, const char *want) {
  return name.len == (int)strlen(want) && memcmp(name.at, want, name.len) == 0;
}

static const char *field(const char *p, struct text name, struct fields *f) {
  char *end;
  int ignored;
  if (is(name, "id")) {
    f->seen |= 1;
    f->id = strtoull(p, &end, 10);
    return end;
  }
  if (is(name, "ts")) {
    f->seen |= 2;
    f->ts = strtoull(p, &end, 10);
    return end;
  }
  if (is(name, "amount")) {
    f->seen |= 4;
    f->amount = strtod(p, &end);
    return end;
  }
  if (is(name, "user")) {
    f->seen |= 8;
    return string(p, &f->user);
  }
  if (is(name, "tags") && *p == '[') {
    f->seen |= 16;
    return value(p, 64, &f->tags);
  }
  return value(p, 64, &ignored);
}

int transform(const char *p, char out[RESULT_SIZE]) {
  struct fields f = {0};
  struct text name;
  if (*(p = space(p)) != '{') return -1;
  do {
    p = space(p + 1);
    if (!(p = string(p, &name)) || *(p = space(p)) != ':') return -1;
    if (!(p = field(space(p + 1), name, &f))) return -1;
    p = space(p);
  } while (*p == ',');
  if (*p != '}' || *space(p + 1) != 0 || f.seen != 31) return -1;
  int n = snprintf(out, RESULT_SIZE, "{\"id\":%llu,\"by\":\"%.*s\",\"ct\":%lld,\"tags\":%d,\"at\":%llu}", f.id,
                   f.user.len, f.user.at, (long long)floor(f.amount * 100 + 0.5), f.tags, f.ts / 1000);
  return n < RESULT_SIZE ? n : -1;
}
