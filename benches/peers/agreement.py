"""Beside `agreement.sh`, which says what it is for: agreement.py PROGRAM FOLDER RECORDS"""

import json
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import recordlinkage

WIDTH = 6


def files(folder, records):
    """Categories of 5 to 200 values, and a copy in which one value in ten is another record's."""
    rng = np.random.default_rng(1)
    original = pd.DataFrame(
        {f"x{k}": rng.integers(0, [5, 10, 20, 50, 100, 200][k], records) for k in range(WIDTH)}
    )
    masked = original.copy()
    for name in masked:
        moved = rng.random(records) < 0.1
        masked.loc[moved, name] = rng.permutation(masked.loc[moved, name].to_numpy())
    names = [f"{folder}/original.csv", f"{folder}/masked.csv"]
    for table, name in zip([original, masked], names):
        table.to_csv(name, index=False)
    return original, masked, names


def peer(original, masked):
    start = time.perf_counter()
    pairs = recordlinkage.index.Full().index(original, masked)
    compare = recordlinkage.Compare()
    for name in original:
        compare.exact(name, name)
    vectors = compare.compute(pairs, original, masked)
    fitted = recordlinkage.ECMClassifier(binarize=None)
    fitted.fit(vectors)
    seconds = time.perf_counter() - start
    patterns = vectors.to_numpy().astype(int) @ (1 << np.arange(WIDTH))
    return seconds, np.bincount(patterns, minlength=1 << WIDTH)


def ours(program, names):
    start = time.perf_counter()
    attributes = ",".join(f"x{k}" for k in range(WIDTH))
    call = [program, "link", "--method", "prl", "--agree", "exact", "--known", attributes, "--format", "json", *names]
    report = subprocess.run(call, check=True, capture_output=True).stdout
    seconds = time.perf_counter() - start
    counts = np.zeros(1 << WIDTH, int)
    for row in json.loads(report)["results"][0]["model"]["patterns"]:
        counts[sum(1 << k for k, sign in enumerate(row["pattern"]) if sign == "1")] = row["pairs"]
    return seconds, counts


program, folder, records = sys.argv[1], sys.argv[2], int(sys.argv[3])
original, masked, names = files(folder, records)
our_seconds, our_counts = ours(program, names)
peer_seconds, peer_counts = peer(original, masked)
print(f"{records} records x {WIDTH}, exact, all pairs; whole process of sdcrisk against index, comparison and fit of the peer")
print(f"sdcrisk {our_seconds:.3f} s, recordlinkage {peer_seconds:.1f} s: {peer_seconds / our_seconds:.0f} times")
print("same patterns" if (our_counts == peer_counts).all() else "patterns DIFFER")
