// The smallest step. It is good C and good C++, and needs no C library.
#include "../wasmill.h"

int wasmill_step(wasmill_context *cx, const wasmill_record *record) { return wasmill_emit(cx, record); }
