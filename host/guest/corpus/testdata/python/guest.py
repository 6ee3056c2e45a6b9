# The corpus' guest on CPython. It reads a line `workload rounds` from standard
# input and answers with a line, the checksum, until there is no more.
# README.md beside this directory says what the workloads compute.
import json
import math
import sys

OFFSET, PRIME, MASK = 0x811C9DC5, 0x01000193, 0xFFFFFFFF
TEMPLATE = (
    '{"id":%d,"user":"user-0042","ts":1700000000123,"amount":12.34,'
    '"currency":"EUR","tags":["a","b","c"],"note":"plain"}'
)


def fnv(total, data):
    for b in data:
        total = (total ^ b) * PRIME & MASK
    return total


def transform(text):
    r = json.loads(text)
    kept = {
        "id": r["id"],
        "by": r["user"],
        "ct": math.floor(r["amount"] * 100 + 0.5),
        "tags": len(r["tags"]),
        "at": r["ts"] // 1000,
    }
    return json.dumps(kept, separators=(",", ":"))


def gapped(a, gap):
    for i in range(gap, len(a)):
        v = a[i]
        j = i
        while j >= gap and a[j - gap] > v:
            a[j] = a[j - gap]
            j -= gap
        a[j] = v


def sort(seed):
    x, numbers = seed, []
    for _ in range(64 + 256):
        x = x * 1664525 + 1013904223 & MASK
        numbers.append(x)
    few, many = numbers[:64], numbers[64:]
    gapped(few, 1)
    for gap in (121, 40, 13, 4, 1):
        gapped(many, gap)
    return fnv(OFFSET, few + many)


def bench_json(n):
    total = OFFSET
    for i in range(n):
        total = fnv(total, transform(TEMPLATE % (1000000 + i % 9000000)).encode())
    return total


def bench_hash(n):
    buffer = bytes((i * 7 + 3) & 255 for i in range(100))
    total = OFFSET
    for _ in range(n):
        total = fnv(total, buffer)
    return total


def bench_sort(n):
    total = OFFSET
    for i in range(n):
        total = fnv(total, (sort(i),))
    return total


workloads = {"json": bench_json, "hash": bench_hash, "sort": bench_sort}
while line := sys.stdin.readline():
    name, rounds = line.split()
    print(workloads[name](int(rounds)), flush=True)
