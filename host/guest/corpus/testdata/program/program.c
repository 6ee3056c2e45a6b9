// A program over standard input and output, section 7 of the interface: it
// does with each record of a batch what its value says, and echoes the others.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HEADER = 32, RECORD = 40, CALL = 0x100, RETURN, REQUEST, REPLY };
enum { EMIT = 1, FAIL, STATE_GET, STATE_PUT, STATE_SCAN = 6, NOW = 18 };

static uint32_t u32(const uint8_t *p) { uint32_t v; memcpy(&v, p, 4); return v; }
static void put32(uint8_t *p, uint32_t v) { memcpy(p, &v, 4); }
static void put64(uint8_t *p, int64_t v) { memcpy(p, &v, 8); }
static size_t pad(size_t n) { return (n + 7) & ~(size_t)7; }

static void must_read(uint8_t *p, size_t n) {
	while (n > 0) {
		ssize_t got = read(0, p, n);
		if (got <= 0) exit(got == 0 ? 0 : 9);
		p += got, n -= got;
	}
}

// receive reads a frame, which is the caller's to free.
static uint8_t *receive(void) {
	uint8_t head[HEADER];
	must_read(head, HEADER);
	uint32_t size = u32(head + 12);
	uint8_t *b = malloc(size);
	memcpy(b, head, HEADER);
	must_read(b + HEADER, size - HEADER);
	return b;
}

static void header(uint8_t *b, uint16_t kind, uint32_t count, uint32_t size, uint32_t number, uint32_t length) {
	memset(b, 0, HEADER);
	memcpy(b, "WML1", 4);
	b[4] = 1;
	b[6] = kind & 0xff, b[7] = kind >> 8;
	put32(b + 8, count), put32(b + 12, size), put32(b + 16, number), put32(b + 20, length);
}

// send writes a frame in two pieces.
static void send(uint16_t kind, uint32_t count, uint32_t number, const uint8_t *content, size_t n) {
	uint8_t *b = calloc(1, HEADER + pad(n));
	header(b, kind, count, HEADER + pad(n), number, n);
	if (n) memcpy(b + HEADER, content, n);
	write(1, b, 5);
	write(1, b + 5, HEADER + pad(n) - 5);
	free(b);
}

static uint8_t args[1 << 16];
static size_t used;

static void integer(int64_t v) { put64(args + used, v), used += 8; }
static void bytes(const void *p, size_t n) {
	put64(args + used, 0), put32(args + used, n);
	memset(args + used + 8, 0, pad(n));
	memcpy(args + used + 8, p, n);
	used += 8 + pad(n);
}

// ask makes a request of what is in args and returns the reply, the caller's to free.
static uint8_t *ask(uint32_t function) {
	send(REQUEST, function, 0, args, used);
	used = 0;
	return receive();
}

static void emit(const void *value, size_t n, uint32_t cause) {
	size_t record = RECORD + pad(n);
	uint8_t *b = calloc(1, HEADER + record);
	header(b, 1, 1, HEADER + record, 0, 0);
	uint8_t *r = b + HEADER;
	put64(r, INT64_MIN), put32(r + 16, cause), put32(r + 24, UINT32_MAX), put32(r + 28, n), put32(r + 36, record);
	memcpy(r + RECORD, value, n);
	bytes(b, HEADER + record);
	free(ask(EMIT));
	free(b);
}

static void step(const uint8_t *value, size_t n, uint32_t index) {
	char text[64] = {0};
	memcpy(text, value, n < 63 ? n : 63);
	if (!strcmp(text, "stray")) {
		write(1, "hello, world", 12);
	} else if (!strcmp(text, "fail")) {
		integer(index), integer(7), bytes("no", 2);
		free(ask(FAIL));
	} else if (!strcmp(text, "put")) {
		integer(0), bytes("k", 1), bytes("v", 1);
		free(ask(STATE_PUT));
	} else if (!strcmp(text, "get") || !strcmp(text, "scan")) {
		integer(0);
		if (*text == 'g') bytes("k", 1); else bytes("", 0), bytes("", 0);
		uint8_t *b = ask(*text == 'g' ? STATE_GET : STATE_SCAN);
		if ((int32_t)u32(b + 16) < 0) emit("absent", 6, index);
		else emit(b + HEADER, u32(b + 20), index);
		free(b);
	} else if (!strcmp(text, "now")) {
		uint8_t *b = ask(NOW);
		emit(b + HEADER, u32(b + 20), index);
		free(b);
	} else if (!strcmp(text, "unknown")) {
		free(ask(99));
	} else if (!strcmp(text, "flood")) {
		for (int i = 0; i < 1 << 20; i++) {
			memset(args, 0, 32), used = 32; // scan a store from its start to its end
			send(REQUEST, STATE_SCAN, 0, args, used);
		}
	} else if (!strcmp(text, "short")) {
		send(REQUEST, EMIT, 0, args, 3);
		free(receive());
	} else if (!strcmp(text, "read")) {
		uint8_t b;
		emit(read(0, &b, 1) == 0 ? "end" : "more", read(0, &b, 1) == 0 ? 3 : 4, index);
	} else if (!strcmp(text, "exit")) {
		exit(3);
	} else if (!strcmp(text, "loop")) {
		for (volatile int i = 0;; i++) {}
	} else if (!strcmp(text, "log")) {
		fprintf(stderr, "said\n");
	} else if (!strcmp(text, "twice")) {
		send(RETURN, 1, 0, 0, 0);
	} else {
		emit(value, n, index);
	}
}

int main(void) {
	for (;;) {
		uint8_t *b = receive();
		uint32_t op = u32(b + 8);
		const uint8_t *frame = b + HEADER;
		int silent = 0;
		if (op == 1) {
			const uint8_t *r = frame + HEADER + pad(u32(frame + 20));
			for (uint32_t i = 0; i < u32(frame + 8); i++, r += u32(r + 36)) {
				uint32_t key = u32(r + 24), value = u32(r + 28);
				if (key == UINT32_MAX) key = 0;
				silent |= value == 6 && !memcmp(r + RECORD + key, "silent", 6);
				step(r + RECORD + key, value, i);
			}
		}
		free(b);
		if (!silent) send(RETURN, op, op > 3 ? -38 : 0, 0, 0);
	}
}
