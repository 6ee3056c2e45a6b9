// The functions of the C library that the SDK needs. A freestanding build has
// no headers for them; wasmill_freestanding.c defines them there.
#ifndef WASMILL_LIBC_H
#define WASMILL_LIBC_H

#if __STDC_HOSTED__
#include <stdlib.h>
#include <string.h>
#else
#include <stddef.h>
void *malloc(size_t size);
void *realloc(void *old, size_t size);
void free(void *block);
void *memcpy(void *to, const void *from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
void *memchr(const void *in, int byte, size_t size);
int memcmp(const void *a, const void *b, size_t size);
int strcmp(const char *a, const char *b);
size_t strlen(const char *text);
#endif

#endif
