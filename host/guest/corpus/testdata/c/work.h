// What the workloads compute of one record: README.md beside this directory.
#pragma once

#include <stdint.h>

#define OFFSET_BASIS 0x811c9dc5u

enum { RECORD_SIZE = 120, RESULT_SIZE = 256 };

// A record of 120 bytes and a zero; number writes the digits of its id.
extern const char template[RECORD_SIZE + 1];
void number(char *record, uint32_t i);

// transform writes what is kept of a record, which ends in a zero, to out, and
// returns its length, -1 if it is not a record.
int transform(const char *record, char out[RESULT_SIZE]);

uint32_t fnv(uint32_t sum, const uint8_t *data, uint32_t len);
uint32_t fnv_word(uint32_t sum, uint32_t word);
uint32_t sort(uint32_t seed);
