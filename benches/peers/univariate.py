"""Times microagg1d on the values that `cargo bench --bench univariate -- files` writes."""

import statistics
import sys
import time

import numpy as np
from microagg1d import univariate_microaggregation

ROUNDS = 5


def main():
    values = np.fromfile(sys.argv[1], dtype="<f8")
    print("| k | microagg1d, total |\n|---:|---:|")
    for k in (3, 10, 1000):
        univariate_microaggregation(values[: 10 * k], k)  # compiles
        seconds = []
        for _ in range(ROUNDS):
            start = time.perf_counter()
            univariate_microaggregation(values, k)
            seconds.append(time.perf_counter() - start)
        print(f"| {k} | {statistics.median(seconds):.3f} |")


main()
