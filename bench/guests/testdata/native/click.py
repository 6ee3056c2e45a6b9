"""CPython's own JSON. README.md says what the process does."""

import json
import sys
import time


def project(value):
    click = json.loads(value)
    user, n = click["user"], click["n"]
    if type(user) is not str or type(n) is not int:
        raise ValueError("not a click")
    return json.dumps({"user": user, "twice": 2 * n}, separators=(",", ":"), ensure_ascii=False)


def main():
    with open(sys.argv[3], "rb") as f:
        values = f.read().splitlines()
    for line in sys.stdin:
        if line == "show\n":
            print(project(values[-1]), flush=True)
            continue
        began = time.perf_counter_ns()
        for _ in range(int(line)):
            for value in values:
                project(value)
        print(time.perf_counter_ns() - began, flush=True)


main()
