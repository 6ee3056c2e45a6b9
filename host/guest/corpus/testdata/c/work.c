#include "work.h"

// FNV-1a of 32 bits, by Fowler, Noll and Vo.
uint32_t fnv(uint32_t sum, const uint8_t *data, uint32_t len) {
  for (uint32_t i = 0; i < len; i++) sum = (sum ^ data[i]) * 0x01000193;
  return sum;
}

uint32_t fnv_word(uint32_t sum, uint32_t word) { return (sum ^ word) * 0x01000193; }

static void gapped(uint32_t *a, int n, int gap) {
  for (int i = gap; i < n; i++) {
    uint32_t v = a[i];
    int j = i;
    for (; j >= gap && a[j - gap] > v; j -= gap) a[j] = a[j - gap];
    a[j] = v;
  }
}

// sort sorts 64 numbers by insertion and 256 by Shell's method, and returns a
// checksum of the order.
uint32_t sort(uint32_t seed) {
  static uint32_t few[64], many[256];
  static const int gaps[] = {121, 40, 13, 4, 1};
  uint32_t x = seed, sum = OFFSET_BASIS;
  for (int i = 0; i < 64; i++) few[i] = x = x * 1664525 + 1013904223;
  for (int i = 0; i < 256; i++) many[i] = x = x * 1664525 + 1013904223;
  gapped(few, 64, 1);
  for (int g = 0; g < 5; g++) gapped(many, 256, gaps[g]);
  for (int i = 0; i < 64; i++) sum = fnv_word(sum, few[i]);
  for (int i = 0; i < 256; i++) sum = fnv_word(sum, many[i]);
  return sum;
}
