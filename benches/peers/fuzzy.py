"""The peer of fuzzy.sh: PROGRAM FOLDER ROUNDS."""

import json
import os
import resource
import statistics
import subprocess
import sys
import time

import numpy
import skfuzzy

ITERATIONS = 20


def processor():
    """Processor seconds of this process and of its children so far."""
    times = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return [time.ru_utime + time.ru_stime for time in times]


class Files:
    def __init__(self, folder):
        self.points, self.start, self.centres, self.masked = (
            os.path.join(folder, name) for name in ("fuzzy.csv", "fuzzy-centres.csv", "out.csv", "masked.csv")
        )
        points = numpy.loadtxt(self.points, delimiter=",", skiprows=1)
        self.mean, self.sd = points.mean(axis=0), points.std(axis=0, ddof=1)
        self.standardised = (points - self.mean) / self.sd

    def read(self, path):
        return (numpy.loadtxt(path, delimiter=",", skiprows=1) - self.mean) / self.sd


def ours(program, files, m, threads):
    """Seconds of the stage, processor seconds of the whole process, centres."""
    command = [program, "mask", "fuzzy", "--seed", "1", "--quiet", "--timings", "--threads", str(threads)]
    command += ["--m1", str(m), "--m2", str(m), "--tolerance", "0", "--max-iterations", str(ITERATIONS)]
    command += ["--init-centres", files.start, "--centres", files.centres, "-o", files.masked, files.points]
    before = processor()[1]
    finished = subprocess.run(command, check=True, capture_output=True, text=True)
    stages = map(json.loads, finished.stderr.splitlines())
    seconds = next(stage["seconds"] for stage in stages if stage["stage"] == "fuzzy")
    return seconds, processor()[1] - before, files.read(files.centres)


def theirs(files, m):
    """The first memberships are those of the starting centres: their first step makes new centres, as our first does."""
    start, x = files.read(files.start), files.standardised
    squared = numpy.maximum(((x[None] - start[:, None]) ** 2).sum(axis=2), 1e-30)
    shares = (squared / squared.min(axis=0)) ** (-1 / (m - 1))
    init = shares / shares.sum(axis=0)
    begin, before = time.perf_counter(), processor()[0]
    centres = skfuzzy.cluster.cmeans(x.T, len(start), m, error=0, maxiter=ITERATIONS, init=init)[0]
    return time.perf_counter() - begin, processor()[0] - before, centres


def main():
    program, folder, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
    files = Files(folder)
    n, d = files.standardised.shape
    print(f"scikit-fuzzy {skfuzzy.__version__}, numpy {numpy.__version__}; {n} x {d}, {ITERATIONS} iterations, medians of {rounds} rounds")
    print(f"{'m':>4} {'ours s':>8} {'1 thread':>9} {'cpu s':>7} {'peer s':>8} {'cpu s':>7} {'peer/ours':>10} {'peer/1 thread':>14} {'cpu/cpu':>8} {'centres differ by':>18}")
    for m in (2.0, 1.5, 1.3):
        rows = []
        for _ in range(rounds):
            both, _, _ = ours(program, files, m, 2)
            one, cpu, centres = ours(program, files, m, 1)
            peer, peer_cpu, expected = theirs(files, m)
            rows.append((both, one, cpu, peer, peer_cpu, peer / both, peer / one, peer_cpu / cpu))
        median = [statistics.median(column) for column in zip(*rows)]
        difference = numpy.abs(centres - expected).max()
        print(f"{m:4} {median[0]:8.3f} {median[1]:9.3f} {median[2]:7.3f} {median[3]:8.3f} {median[4]:7.3f} {median[5]:10.1f} {median[6]:14.1f} {median[7]:8.1f} {difference:18.1e}")


if __name__ == "__main__":
    main()
