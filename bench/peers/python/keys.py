"""NumPy's sorts, which have one thread. README.md has the protocol."""

import sys
import time

import numpy as np

TYPES = {"u16": np.uint16, "u32": np.uint32, "u64": np.uint64, "f32": np.float32, "f64": np.float64}


def key_sum(keys):
    words = keys.view("u%d" % keys.itemsize).astype(np.uint64)
    return int((words * np.arange(1, 2 * len(keys), 2, dtype=np.uint64)).sum(dtype=np.uint64))


def timed(lists, f):
    cpu, start = time.process_time_ns(), time.perf_counter_ns()
    results = [f(one) for one in lists]
    wall = time.perf_counter_ns() - start
    return wall, time.process_time_ns() - cpu, results


def top(one):
    k = len(one) // 100
    one.partition(k)
    one[:k].sort()
    return one[:k]


def nth(one):
    k = len(one) // 2
    one.partition(k)
    return one[k : k + 1]


def answer(op, keys, n):
    lists = np.split(keys.copy(), len(keys) // n)
    if op == "order":
        wall, cpu, orders = timed(lists, np.argsort)
        sums = [key_sum(np.concatenate([one[order] for one, order in zip(lists, orders)]))]
        sums.append(int((np.concatenate(orders).astype(np.uint64) ** 2).sum(dtype=np.uint64)))
        return wall, cpu, sum(sums) % 2**64
    f = {"sort": lambda one: one.sort() or one, "top": top, "nth": nth}[op]
    wall, cpu, results = timed(lists, f)
    return wall, cpu, key_sum(np.concatenate(results))


print("version NumPy", np.__version__, "Python", sys.version.split()[0])
for kind in TYPES:
    for op in ("sort",) if kind == "u16" else ("sort", "order", "top", "nth"):
        print("offer numpy", op, kind)
print("ready", flush=True)
for line in sys.stdin:
    _, op, kind, n, path = line.split()
    print(*answer(op, np.fromfile(path, TYPES[kind]), int(n)), flush=True)
