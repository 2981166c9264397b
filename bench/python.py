# SPDX-License-Identifier: Apache-2.0
"""What a call from Python costs beside the C call: products of n by n terms, interleaved, the least and the median of the
rounds; and python-flint's, where it is installed.  Use: PYTHONPATH=python MMM_LIBRARY=build/libmmm.so python3 bench/python.py"""
import ctypes
import statistics
import time

import numpy as np

import mmm
from mmm._library import lib

P, ROUNDS = 2013265921, 15

try:
    import flint
except ImportError:
    flint = None


def measure(n: int) -> None:
    a, b = (np.random.default_rng(i).integers(0, P, n, dtype=np.uint64) for i in range(2))
    out, terms, machine = np.empty(2 * n - 1, np.uint64), ctypes.c_int64(), mmm.Machine("cpu")
    arguments = (machine._handle, P, a.ctypes.data, n, b.ctypes.data, n, out.ctypes.data, ctypes.byref(terms))
    calls = {
        "C": lambda: lib.mmm_multiply(*arguments),
        "mmm.multiply, out=": lambda: mmm.multiply(a, b, P, machine=machine, out=out),
        "mmm.multiply": lambda: mmm.multiply(a, b, P, machine=machine),
    }
    if flint:
        x, y = (flint.nmod_poly([int(c) for c in v], P) for v in (a, b))
        calls["python-flint"] = lambda: x * y
    times = {name: [] for name in calls}
    for round_number in range(ROUNDS + 1):
        for name, call in calls.items():
            repeats = max(1, 4096 // n)
            start = time.perf_counter()
            for _ in range(repeats):
                call()
            if round_number:
                times[name].append((time.perf_counter() - start) / repeats)
    for name, found in times.items():
        print("%8d x %-8d %-20s least %10.1f us, median %10.1f us, %5.2f of C" % (
            n, n, name, 1e6 * min(found), 1e6 * statistics.median(found), min(found) / min(times["C"])))


for size in (64, 4096, 1 << 16, 1 << 20):
    measure(size)
