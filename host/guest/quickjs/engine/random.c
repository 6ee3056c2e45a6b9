// Math.random: xoshiro256**, seeded by the host, so that instances that
// replace each other draw the same numbers.
#include <string.h>
#include "engine.h"

static uint64_t state[4] = {0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9, 0x94d049bb133111eb, 0x2545f4914f6cdd1d};

void random_seed(const uint8_t *seed, uint32_t n) {
	if (n != sizeof state)
		return;
	memcpy(state, seed, sizeof state);
	state[0] |= 1; // it must not be all zeros
}

static uint64_t rotate(uint64_t x, int k) { return x << k | x >> (64 - k); }

JSValue random_next(JSContext *ctx, JSValueConst self, int argc, JSValueConst *argv) {
	uint64_t result = rotate(state[1] * 5, 7) * 9, t = state[1] << 17;
	state[2] ^= state[0];
	state[3] ^= state[1];
	state[1] ^= state[2];
	state[0] ^= state[3];
	state[2] ^= t;
	state[3] = rotate(state[3], 45);
	return JS_NewFloat64(ctx, (double)(result >> 11) * 0x1p-53);
}
