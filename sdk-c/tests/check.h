// What the tests say. CHECK goes on after a failure, so that one run shows all.
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>

static int failures;

#define CHECK(condition)                                                                                                           \
    ((condition) ? (void)0 : (void)(failures++, fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition)))

// CHECK_BYTES compares a wasmill_bytes with a string.
#define CHECK_BYTES(bytes, text)                                                                                                   \
    do {                                                                                                                           \
        wasmill_bytes got_ = (bytes);                                                                                              \
        if (!wasmill_is(got_, text)) {                                                                                             \
            failures++;                                                                                                            \
            fprintf(stderr, "%s:%d: %s is %.*s, want %s\n", __FILE__, __LINE__, #bytes, (int)got_.size,                            \
                    got_.data == NULL ? "" : got_.data, text);                                                                     \
        }                                                                                                                          \
    } while (0)

#endif
