// The least host of a step in C. README.md says what the process does.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "wasmill_frame.h"
#include "wasmill_host.h"

static wasmill_buffer emitted; // the last frame
static bool keep;

int32_t wasmill_host_emit(const void *frame, uint32_t size) {
    if (keep) {
        emitted.size = 0;
        wasmill_append(&emitted, frame, size);
    }
    return 0;
}

int32_t wasmill_host_fail(uint32_t index, int32_t code, const void *text, uint32_t size) {
    fprintf(stderr, "record %u failed with code %d: %.*s\n", index, code, (int)size, (const char *)text);
    exit(1);
}

int32_t wasmill_host_log(int32_t level, const void *text, uint32_t size) {
    fprintf(stderr, "log %d: %.*s\n", level, (int)size, (const char *)text);
    return 0;
}

void wasmill_host_trap(void) { exit(1); }

#define UNUSED(name, parameters) \
    int32_t name parameters { return -WASMILL_ENOSYS; }

UNUSED(wasmill_host_state_get, (uint32_t s, const void *k, uint32_t n, void *r, uint32_t m))
UNUSED(wasmill_host_state_put, (uint32_t s, const void *k, uint32_t n, const void *v, uint32_t m))
UNUSED(wasmill_host_state_delete, (uint32_t s, const void *k, uint32_t n))
UNUSED(wasmill_host_state_scan, (uint32_t s, const void *a, uint32_t n, const void *b, uint32_t m, void *r, uint32_t o))
UNUSED(wasmill_host_state_get_many, (uint32_t s, const void *k, uint32_t n, void *r, uint32_t m))
UNUSED(wasmill_host_resume, (const void *t, uint32_t n))
int32_t wasmill_host_log_enabled(int32_t level) { return level > 0; }
int32_t wasmill_host_metric_define(int32_t kind, const void *name, uint32_t size) { return (void)kind, (void)name, size > 4; }
int32_t wasmill_host_metric_add(int32_t metric, int64_t delta) { return (void)metric, (void)delta, 0; }
int64_t wasmill_host_now(void) { return 0; }

static wasmill_buffer file(const char *path) {
    wasmill_buffer text = {0};
    FILE *f = fopen(path, "rb");
    int c;
    if (!f) {
        perror(path);
        exit(1);
    }
    while ((c = getc(f)) != EOF) wasmill_append(&text, &(char){(char)c}, 1);
    fclose(f);
    return text;
}

static int64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

// batch does what the host does with one: it copies the frame in and calls.
static void batch(const wasmill_buffer *frame) {
    void *at = wasmill_alloc((uint32_t)frame->size);
    memcpy(at, frame->data, frame->size);
    int32_t status = wasmill_process(WASMILL_OP_BATCH, at, (uint32_t)frame->size);
    if (status != 0) {
        fprintf(stderr, "the batch is refused: %d\n", status);
        exit(1);
    }
}

static void show(void) {
    wasmill_frame frame;
    wasmill_record record = {0};
    uint32_t cause;
    wasmill_frame_open(&frame, emitted.data, emitted.size);
    while (wasmill_frame_next(&frame, &record, &cause) > 0) {}
    printf("%.*s\n", (int)record.value.size, record.value.data);
}

int main(int argc, char **argv) {
    char line[32];
    if (argc != 4) return 2;
    wasmill_buffer init = file(argv[1]), frame = file(argv[2]);
    void *at = wasmill_alloc((uint32_t)init.size);
    memcpy(at, init.data, init.size);
    if (wasmill_init(at, (uint32_t)init.size) != 0) return 1;
    while (fgets(line, sizeof line, stdin)) {
        if (strcmp(line, "show\n") == 0) {
            keep = true;
            batch(&frame);
            show();
            keep = false;
        } else {
            long n = strtol(line, NULL, 10);
            int64_t began = now();
            for (long i = 0; i < n; i++) batch(&frame);
            printf("%lld\n", (long long)(now() - began));
        }
        fflush(stdout);
    }
    return 0;
}
