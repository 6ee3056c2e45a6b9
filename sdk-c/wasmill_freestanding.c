// As much of a C library as the SDK needs, for modules that are built without
// one (-ffreestanding -nostdlib): memory and strings. Nothing is ever given
// back to malloc but the last block, which grows and shrinks in place.
#include <stddef.h>
#include <stdint.h>

#include "wasmill_libc.h"

#if !__STDC_HOSTED__ // elsewhere the C library has all of it

enum { PAGE = 64 << 10, ALIGN = 16 };

// __heap_base is where the linker's own data ends.
extern unsigned char __heap_base;
static uintptr_t top;

// A block is preceded by its size.
static size_t *head(void *block) { return (size_t *)((uintptr_t)block - ALIGN); }

static void *place(uintptr_t at, size_t size) {
    if (size > SIZE_MAX - ALIGN || at > SIZE_MAX - ALIGN - size) return NULL;
    uintptr_t end = (at + size + ALIGN - 1) & ~(uintptr_t)(ALIGN - 1);
    size_t have = (size_t)__builtin_wasm_memory_size(0) * PAGE;
    if (end > have && __builtin_wasm_memory_grow(0, (end - have + PAGE - 1) / PAGE) == SIZE_MAX) return NULL;
    top = end;
    *head((void *)at) = size;
    return (void *)at;
}

void *malloc(size_t size) {
    if (top == 0) top = ((uintptr_t)&__heap_base + ALIGN - 1) & ~(uintptr_t)(ALIGN - 1);
    return place(top + ALIGN, size);
}

static int is_last(void *block) { return (((uintptr_t)block + *head(block) + ALIGN - 1) & ~(uintptr_t)(ALIGN - 1)) == top; }

void *realloc(void *old, size_t size) {
    if (old == NULL) return malloc(size);
    if (size <= *head(old)) return old;
    if (is_last(old)) return place((uintptr_t)old, size);
    void *block = malloc(size);
    if (block != NULL) memcpy(block, old, *head(old));
    return block;
}

void free(void *block) {
    if (block != NULL && is_last(block)) top = (uintptr_t)block - ALIGN;
}

// The loops are not to be made calls of themselves.
#define PLAIN __attribute__((no_builtin))

PLAIN void *memcpy(void *to, const void *from, size_t size) { return memmove(to, from, size); }

PLAIN void *memmove(void *to, const void *from, size_t size) {
    unsigned char *t = (unsigned char *)to;
    const unsigned char *f = (const unsigned char *)from;
    if (t < f) {
        for (size_t i = 0; i < size; i++) t[i] = f[i];
    } else {
        while (size-- > 0) t[size] = f[size];
    }
    return to;
}

PLAIN void *memset(void *to, int byte, size_t size) {
    unsigned char *t = (unsigned char *)to;
    for (size_t i = 0; i < size; i++) t[i] = (unsigned char)byte;
    return to;
}

PLAIN void *memchr(const void *in, int byte, size_t size) {
    const unsigned char *p = (const unsigned char *)in;
    for (size_t i = 0; i < size; i++) {
        if (p[i] == (unsigned char)byte) return (void *)(uintptr_t)(p + i);
    }
    return NULL;
}

PLAIN int memcmp(const void *a, const void *b, size_t size) {
    const unsigned char *p = (const unsigned char *)a, *q = (const unsigned char *)b;
    for (size_t i = 0; i < size; i++) {
        if (p[i] != q[i]) return p[i] < q[i] ? -1 : 1;
    }
    return 0;
}

PLAIN int strcmp(const char *a, const char *b) {
    while (*a != 0 && *a == *b) a++, b++;
    return (unsigned char)*a - (unsigned char)*b;
}

PLAIN size_t strlen(const char *text) {
    size_t size = 0;
    while (text[size] != 0) size++;
    return size;
}

#endif
