// A host for native builds, so that a step's unit test is an ordinary program:
//
//     wasmill_native_options options = {0};
//     options.config = "{\"match\": \"fox\"}";
//     assert(wasmill_native_open(&options) == 0);
//     wasmill_record in[2] = {0};
//     in[0].value = wasmill_text("the quick fox");
//     in[1].value = wasmill_text("the lazy dog");
//     const wasmill_native_result *got = wasmill_native_batch(in, 2);
//     assert(got->emitted_count == 1);
//     wasmill_native_close();
//
// It is built together with the step and the SDK:
//
//     cc -I SDK step.c step_test.c SDK/wasmill.c SDK/wasmill_frame.c SDK/wasmill_json.c SDK/wasmill_native.c -lm
//
// It is as strict as the host of modules: limits hold, malformed frames are
// refused, a batch with failed records is undone and the others run again, and
// what the step keeps of a batch after its function has returned is
// overwritten. What differs: variables of the step outlive WASMILL_ABORT, and
// abort and assert of the C library end the test. There is one step, and one
// host of it at a time.
#ifndef WASMILL_NATIVE_H
#define WASMILL_NATIVE_H

#include "wasmill.h"

#ifdef __cplusplus
extern "C" {
#endif

// What the job file would say of the step. Lists end in NULL.
typedef struct wasmill_native_options {
    const char *config;         // JSON; NULL = none
    const char *const *inputs;  // default: in
    const char *const *outputs; // default: out
    const char *const *stores;  // default: none
    size_t max_record;          // bytes, default 1 MiB
} wasmill_native_options;

typedef struct wasmill_native_emitted {
    const char *output;
    int64_t cause; // index of the record of the batch that caused it, -1 for the batch
    wasmill_record record;
} wasmill_native_emitted;

typedef struct wasmill_native_failed {
    uint32_t index; // in the batch
    int32_t code;
    const char *text;
} wasmill_native_failed;

// What came of a call; good until the next one.
typedef struct wasmill_native_result {
    const wasmill_native_emitted *emitted;
    size_t emitted_count;
    const wasmill_native_failed *failed;
    size_t failed_count;
    int32_t status;      // 0, or the error number of a call that the step refused: nothing of it counts
    const char *message; // the last line that was logged, "" if there is none
} wasmill_native_result;

// wasmill_native_open starts the step and returns 0, or the negative status of
// its start. Another open or wasmill_native_close ends it.
int32_t wasmill_native_open(const wasmill_native_options *options);
void wasmill_native_close(void);

// wasmill_native_batch runs one batch of partition 0, which is called "test"; a
// record's index does not count. wasmill_native_batch_of says the partition.
// wasmill_native_end tells the step that its input is over, and calls it again
// as long as it has more to do.
const wasmill_native_result *wasmill_native_batch(const wasmill_record *records, size_t count);
const wasmill_native_result *wasmill_native_batch_of(const char *partition, uint32_t number, const wasmill_record *records,
                                                     size_t count);
const wasmill_native_result *wasmill_native_end(void);

// wasmill_native_state returns a value of a store, null if there is none; a
// view that is good until the next batch. wasmill_native_set changes it, by
// null for deleting; false if there is no such store.
wasmill_bytes wasmill_native_state(const char *store, const char *key);
bool wasmill_native_set(const char *store, wasmill_bytes key, wasmill_bytes value);

// wasmill_native_log returns what was logged since the step started, a line for
// each with its level before it: "warn: low on foxes\n".
const char *wasmill_native_log(void);

// wasmill_native_metric returns the value of a metric, 0 if there is none.
int64_t wasmill_native_metric(const char *name);

#ifdef __cplusplus
}
#endif

#endif
