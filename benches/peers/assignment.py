"""Compares `sdcrisk link --assign one-to-one` with scipy's linear_sum_assignment, in one run.

Usage: assignment.py SDCRISK FOLDER

FOLDER holds the files that `cargo bench --bench assignment -- files FOLDER` writes. scipy is given the standardised records
in memory; its time is shown for the matrix of distances and for the solution. Ours is the stage "am" of --timings, with
two threads and with one, and the processor time of the whole process. scipy uses one thread.
"""

import json
import os
import resource
import subprocess
import sys
import time

import numpy
import scipy
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

program, folder = sys.argv[1:]


def standardised(name, known):
    values = numpy.loadtxt(os.path.join(folder, name), delimiter=",", skiprows=1)[:, :known]
    return (values - values.mean(axis=0)) / values.std(axis=0, ddof=1)


def ours(name, known, threads):
    command = [program, "link", "--method", "am", "--assign", "one-to-one", "--known", f"first:{known}"]
    command += ["--format", "json", "--quiet", "--timings", "--threads", str(threads)]
    command += [os.path.join(folder, file) for file in ("original.csv", name)]
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    finished = subprocess.run(command, check=True, capture_output=True, text=True)
    cpu = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    stages = map(json.loads, finished.stderr.splitlines())
    seconds = next(stage["seconds"] for stage in stages if stage["stage"] == "am")
    return seconds, cpu, json.loads(finished.stdout)["results"][0]["assignment"]


print(f"scipy {scipy.__version__}")
print("| masked | known | ours, seconds | one thread | cpu | matrix | scipy | cpu/cpu | cost differs by | proof |")
print("|---|---:|---:|---:|---:|---:|---:|---:|---:|---|")
for name in ("swapped-2", "swapped-20", "groups-10", "noise-1"):
    for known in (7, 13):
        both, _, assignment = ours(f"{name}.csv", known, 2)
        one, cpu, _ = ours(f"{name}.csv", known, 1)
        files = [standardised(file, known) for file in ("original.csv", f"{name}.csv")]
        start = time.process_time()
        matrix = cdist(*files, "sqeuclidean")
        built = time.process_time()
        least = matrix[linear_sum_assignment(matrix)].sum()
        solved = time.process_time()
        off = abs(assignment["cost"] - least) / least
        print(
            f"| {name} | {known} | {both:.2f} | {one:.2f} | {cpu:.2f} | {built - start:.2f} | {solved - built:.2f} "
            f"| {(solved - built) / cpu:.1f} | {off:.0e} | {assignment['proof']} |",
            flush=True,
        )
