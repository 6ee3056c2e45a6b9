// The codec of frames over the golden vectors, whose directory is the argument.
#define _POSIX_C_SOURCE 200809L // strdup
#include "../wasmill_frame.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"

void wasmill_abort(const char *text, const char *file, int line) {
    fprintf(stderr, "%s:%d: %s\n", file, line, text);
    exit(2);
}

enum { MOST = 64 };

// A vector of a file: its lines before the bytes, and those.
typedef struct vector {
    char kind[16], name[64];
    char *lines[MOST];
    int count;
    wasmill_buffer bytes;
} vector;

static void text_of(const char *line, wasmill_buffer *to, const char **rest, bool *null) {
    to->size = 0;
    *null = strncmp(line, "null", 4) == 0;
    if (*null) {
        *rest = line + 4;
        return;
    }
    for (line++; *line != '"'; line++) {
        char c = *line;
        if (c == '\\') {
            char digits[3] = {line[2], line[3], 0};
            c = (char)strtol(digits, NULL, 16);
            line += 3;
        }
        wasmill_append(to, &c, 1);
    }
    *rest = line + 1;
}

static bool same(wasmill_bytes got, const char *want, const char **rest) {
    static wasmill_buffer text;
    bool null;
    text_of(want, &text, rest, &null);
    if (null) return got.data == NULL;
    return wasmill_equal(got, wasmill_view(&text));
}

static int64_t number(const char **at, const char *word, int64_t stands_for) {
    while (**at == ' ') ++*at;
    if (strncmp(*at, word, strlen(word)) == 0) {
        *at += strlen(word);
        return stands_for;
    }
    char *end;
    int64_t n = strtoll(*at, &end, 10);
    *at = end;
    return n;
}

// check_frame decodes a frame, compares it with its lines and encodes it again.
static void check_frame(const vector *v) {
    wasmill_frame frame;
    wasmill_record record;
    wasmill_buffer again = {0};
    wasmill_header header;
    uint32_t cause;
    size_t at = 0;
    const char *p = v->lines[0] + strlen("partition");
    bool ok = wasmill_frame_open(&frame, v->bytes.data, v->bytes.size);
    CHECK(ok);
    if (!ok) return;
    CHECK(frame.partition_number == number(&p, "?", 0));
    CHECK(same(frame.partition_name, p + 1, &p));
    wasmill_frame_begin(&again, frame.partition_name, frame.partition_number);
    uint32_t records = 0;
    memset(&record, 0, sizeof record);
    for (int i = 1; i < v->count; i++) {
        if (strncmp(v->lines[i], "header", 6) == 0) {
            CHECK(wasmill_header_next(&record.headers, &at, &header));
            CHECK(same(header.name, v->lines[i] + 7, &p));
            CHECK(same(header.value, p + 1, &p));
            continue;
        }
        CHECK(!wasmill_header_next(&record.headers, &at, &header));
        at = 0;
        CHECK(wasmill_frame_next(&frame, &record, &cause) == 1);
        p = v->lines[i] + strlen("record");
        CHECK(record.time == number(&p, "none", WASMILL_NO_TIME));
        CHECK(record.position == number(&p, "?", 0));
        CHECK(cause == (uint32_t)number(&p, "batch", WASMILL_CAUSE_BATCH));
        CHECK(record.stream == number(&p, "?", 0));
        CHECK(record.flags == number(&p, "?", 0));
        CHECK(same(record.key, p + 1, &p));
        CHECK(same(record.value, p + 1, &p));
        CHECK(record.index == records);
        wasmill_frame_add(&again, &record, cause);
        records++;
    }
    CHECK(wasmill_frame_next(&frame, &record, &cause) == 0);
    wasmill_frame_end(&again, records);
    CHECK(wasmill_equal(wasmill_view(&again), wasmill_view(&v->bytes)));
    wasmill_release(&again);
}

static void check_fault(const vector *v) {
    wasmill_frame frame;
    wasmill_record record;
    uint32_t cause;
    int rc = -1;
    if (wasmill_frame_open(&frame, v->bytes.data == NULL ? "" : v->bytes.data, v->bytes.size)) {
        while ((rc = wasmill_frame_next(&frame, &record, &cause)) > 0) {}
    }
    if (rc == 0) failures++, fprintf(stderr, "fault %s is accepted\n", v->name);
}

// read_vectors calls check for each vector of a file and returns how many there are.
static int read_vectors(const char *dir, const char *file, void (*check)(const vector *)) {
    char path[1024], line[4096];
    snprintf(path, sizeof path, "%s/%s", dir, file);
    FILE *in = fopen(path, "r");
    if (in == NULL) {
        perror(path);
        exit(2);
    }
    int vectors = 0;
    bool bytes = false;
    vector v;
    memset(&v, 0, sizeof v);
    for (;;) {
        bool more = fgets(line, sizeof line, in) != NULL;
        if (!more || line[0] == '\n') {
            if (v.kind[0] != 0) {
                int before = failures;
                // The bytes lie alone at the end of memory of their own, where
                // reading on is found.
                size_t size = v.bytes.size;
                char *exact = (char *)malloc(size + 1);
                if (size > 0) memcpy(exact + 1, v.bytes.data, size);
                wasmill_release(&v.bytes);
                v.bytes.data = exact + 1;
                v.bytes.size = size;
                check(&v);
                if (failures != before) fprintf(stderr, "in %s %s\n", v.kind, v.name);
                free(exact);
                for (int i = 0; i < v.count; i++) free(v.lines[i]);
                vectors++;
            }
            memset(&v, 0, sizeof v);
            bytes = false;
            if (!more) break;
            continue;
        }
        line[strcspn(line, "\n")] = 0;
        if (line[0] == '#') continue;
        if (bytes) {
            for (char *p = line, *end; *p != 0; p = end) {
                char byte = (char)strtol(p, &end, 16);
                wasmill_append(&v.bytes, &byte, 1);
            }
        } else if (v.kind[0] == 0) {
            sscanf(line, "%15s %63s", v.kind, v.name);
        } else if (strcmp(line, "bytes") == 0) {
            bytes = true;
        } else if (v.count < MOST) {
            v.lines[v.count++] = strdup(line);
        }
    }
    fclose(in);
    return vectors;
}

int main(int argc, char **argv) {
    const char *dir = argc > 1 ? argv[1] : "../abi/testdata";
    CHECK(read_vectors(dir, "frames.txt", check_frame) >= 10);
    CHECK(read_vectors(dir, "faults.txt", check_fault) >= 20);
    return failures != 0;
}
