#pragma once
#include <stdint.h>

// look does not bear three marks in a row.
static inline __attribute__((always_inline)) void look(int marks) {
  if (marks > 2)
    __builtin_trap();
}
