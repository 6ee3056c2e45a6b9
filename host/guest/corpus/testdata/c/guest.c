// The corpus' guest in C: three workloads over the wasmill ABI (abi/SPEC.md),
// and as plain exports. README.md beside this directory says what they compute.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "work.h"

#define EXPORT(name) __attribute__((export_name(#name))) name
#define HOST(name) __attribute__((import_module("wasmill_v1"), import_name(name)))

enum { OP_BATCH = 1, EINVAL_ = 22, ENOMEM_ = 12, ENOSYS_ = 38, HEADER = 32, RECORD = 40, ABSENT = 0xffffffff };
enum { JSON, HASH, SORT };

HOST("emit") int host_emit(const void *ptr, uint32_t len);
HOST("fail") int host_fail(uint32_t index, int code, const char *ptr, uint32_t len);

static int workload;
static struct buffer {
  char *at;
  uint32_t len, size;
} in, out;

// room makes a buffer have at least size bytes, 0 if there is no memory.
static int room(struct buffer *b, uint32_t size) {
  if (size > b->size) {
    char *grown = realloc(b->at, size * 2);
    if (!grown) return 0;
    b->at = grown;
    b->size = size * 2;
  }
  return 1;
}

void EXPORT(wasmill_abi_1)(void) {}

// A byte more than asked for lets a text in it end in a zero.
void *EXPORT(wasmill_alloc)(uint32_t size) { return room(&in, size + 1) ? in.at : NULL; }

int EXPORT(wasmill_init)(char *ptr, uint32_t len) {
  ptr[len] = 0;
  static const char *const names[] = {"\"workload\":\"json\"", "\"workload\":\"hash\"", "\"workload\":\"sort\""};
  for (workload = JSON; workload <= SORT; workload++) {
    if (strstr(ptr, names[workload])) return 0;
  }
  return -EINVAL_;
}

static uint32_t word(const char *p) {
  uint32_t n;
  memcpy(&n, p, 4);
  return n;
}

static uint32_t padded(uint32_t n) { return (n + 7) & ~7u; }

// add puts a record without key and time into the frame to come.
static int add(uint32_t cause, const char *value, uint32_t len) {
  uint32_t size = padded(RECORD + len);
  if (!room(&out, out.len + size)) return 0;
  char *r = out.at + out.len;
  uint32_t head[10] = {0, 0x80000000, 0, 0, cause, 1 << 16, ABSENT, len, 0, size};
  memcpy(r, head, RECORD);
  memcpy(r + RECORD, value, len);
  memset(r + RECORD + len, 0, size - RECORD - len);
  out.len += size;
  return 1;
}

// result computes the workload of one value, which is followed by a byte that
// can be written to.
static int result(char *value, uint32_t len, char text[RESULT_SIZE]) {
  uint32_t sum = OFFSET_BASIS;
  char after = value[len];
  int n;
  switch (workload) {
    case JSON:
      value[len] = 0;
      n = transform(value, text);
      value[len] = after;
      return n;
    case HASH:
      for (int i = 0; i < 8; i++) sum = fnv(sum, (uint8_t *)value, len);
      break;
    case SORT:
      sum = sort(fnv(sum, (uint8_t *)value, len));
      break;
  }
  return snprintf(text, RESULT_SIZE, "%08x", sum);
}

int EXPORT(wasmill_process)(int op, char *frame, uint32_t len) {
  char text[RESULT_SIZE];
  (void)len;  // the header says it too
  if (op != OP_BATCH) return -ENOSYS_;
  if (!room(&out, HEADER)) return -ENOMEM_;
  uint32_t count = word(frame + 8), added = 0;
  char *r = frame + HEADER + padded(word(frame + 20));
  out.len = HEADER;
  for (uint32_t i = 0; i < count; i++, r += word(r + 36)) {
    uint32_t key = word(r + 24), n = word(r + 28);
    int made = result(r + RECORD + (key == ABSENT ? 0 : key), n == ABSENT ? 0 : n, text);
    if (made < 0) {
      host_fail(i, 0, "not a record", 12);
      continue;
    }
    if (!add(i, text, made)) return -ENOMEM_;
    added++;
  }
  uint32_t head[8] = {0x314c4d57, 1 | 1 << 16, added, out.len};
  memcpy(out.at, head, HEADER);
  host_emit(out.at, out.len);
  return 0;
}

long long EXPORT(bench_json)(int n) {
  char record[RECORD_SIZE + 1], text[RESULT_SIZE];
  uint32_t sum = OFFSET_BASIS;
  memcpy(record, template, sizeof record);
  for (int i = 0; i < n; i++) {
    number(record, i);
    int made = transform(record, text);
    if (made > 0) sum = fnv(sum, (uint8_t *)text, made);
  }
  return sum;
}

long long EXPORT(bench_hash)(int n) {
  uint8_t buffer[100];
  uint32_t sum = OFFSET_BASIS;
  for (int i = 0; i < 100; i++) buffer[i] = i * 7 + 3;
  for (int i = 0; i < n; i++) sum = fnv(sum, buffer, 100);
  return sum;
}

long long EXPORT(bench_sort)(int n) {
  uint32_t sum = OFFSET_BASIS;
  for (int i = 0; i < n; i++) sum = fnv_word(sum, sort(i));
  return sum;
}
