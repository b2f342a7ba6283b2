"""Compares `sdcrisk link --method am` with scipy's cKDTree and FAISS's flat exact search, in one run.

Usage: link_peers.py SDCRISK FOLDER ROUNDS

FOLDER holds the files that `cargo bench --bench link -- files FOLDER` writes. Peers are given the standardised records
in memory, as double (scipy) or single precision (FAISS): reading and standardising is not in their time. It is in ours
where a line says "process"; "attack" is the stage "am" of --timings, which standardises. Everything runs on two threads.
"""

import json
import os
import statistics
import subprocess
import sys
import time

import faiss
import numpy
import scipy
from scipy.spatial import cKDTree

THREADS = 2
QUERIES_OF_A_MILLION = 100_000


def standardised(path):
    values = numpy.loadtxt(path, delimiter=",", skiprows=1)
    return (values - values.mean(axis=0)) / values.std(axis=0, ddof=1)


def timed(work):
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


class Pair:
    """An original and a masked file: where they lie, and their standardised records."""

    def __init__(self, folder, name):
        self.files = [os.path.join(folder, f"{name}-{role}.csv") for role in ("original", "masked")]
        self.original, self.masked = map(standardised, self.files)

    def ours(self, program, *options):
        """Seconds of the attack alone and of the whole process, and the correct links."""
        command = [program, "link", "--method", "am", "--format", "json", "--quiet", "--timings"]
        command += ["--threads", str(THREADS), *options, *self.files]
        run = lambda: subprocess.run(command, check=True, capture_output=True, text=True)
        process, finished = timed(run)
        stages = map(json.loads, finished.stderr.splitlines())
        attack = next(stage["seconds"] for stage in stages if stage["stage"] == "am")
        return attack, process, json.loads(finished.stdout)["results"][0]["correct"]["fair"]

    def ckdtree(self, n_queries):
        """Seconds to build and to query, and the correct links."""
        build, tree = timed(lambda: cKDTree(self.masked))
        query, (_, nearest) = timed(
            lambda: tree.query(self.original[:n_queries], k=1, workers=THREADS)
        )
        return build, query, count_correct(nearest)

    def faiss_flat(self):
        """Seconds to fill the index and to query it, and the correct links."""
        masked, original = self.masked.astype("float32"), self.original.astype("float32")

        def search():
            index = faiss.IndexFlatL2(masked.shape[1])
            index.add(masked)
            return index.search(original, 1)

        seconds, (_, nearest) = timed(search)
        return seconds, count_correct(nearest[:, 0])


def count_correct(nearest):
    return int((nearest == numpy.arange(len(nearest))).sum())


class Table:
    """Lines of our seconds beside a peer's; each figure is the median of the rounds."""

    def __init__(self):
        self.lines = []

    def add(self, what, ours, peer, theirs, target):
        """Times of the same round are compared; a target is a least ratio of the peer's time to ours."""
        ratio = statistics.median(b / a for a, b in zip(ours, theirs))
        verdict = "" if target is None else ("met" if ratio >= target else "MISSED")
        self.lines.append(
            (what, statistics.median(ours), peer, statistics.median(theirs), ratio, target, verdict)
        )

    def show(self):
        print(f"{'sdcrisk link --method am':44} {'s':>8}   {'peer':32} {'s':>8} {'peer/ours':>9}  target")
        for what, ours, peer, theirs, ratio, target, verdict in self.lines:
            aim = "" if target is None else f">= {target:g} {verdict}"
            print(f"{what:44} {ours:8.3f}   {peer:32} {theirs:8.3f} {ratio:9.2f}  {aim}")


def column(rows, place):
    return [row[place] for row in rows]


def near_100000(table, program, folder, rounds):
    pair = Pair(folder, "near-100000")
    ours, peer = [], []
    for _ in range(rounds):
        ours.append(pair.ours(program))
        peer.append(pair.ckdtree(None))
    theirs = [build + query for build, query, _ in peer]
    table.add("near 100,000, attack", column(ours, 0), "cKDTree build + query", theirs, 4)
    table.add("near 100,000, process", column(ours, 1), "cKDTree build + query", theirs, 1)
    return f"near 100,000: correct links: sdcrisk {ours[0][2]:g}, cKDTree {peer[0][2]}"


def near_1000000(table, program, folder, rounds):
    pair = Pair(folder, "near-1000000")
    ours, peer = [], []
    for _ in range(rounds):
        ours.append(pair.ours(program))
        peer.append(pair.ckdtree(QUERIES_OF_A_MILLION))
    query = column(peer, 1)
    theirs = [build + query for build, query, _ in peer]
    table.add("near 1,000,000, attack", column(ours, 0), "cKDTree 100,000 queries", query, 1)
    table.add("near 1,000,000, attack", column(ours, 0), "cKDTree build + 100,000 queries", theirs, None)
    everybody = [build + query * len(pair.masked) / QUERIES_OF_A_MILLION for build, query, _ in peer]
    table.add("near 1,000,000, attack", column(ours, 0), "cKDTree build + all, scaled up", everybody, None)
    return f"near 1,000,000: correct links: sdcrisk {ours[0][2]:g} of all, cKDTree {peer[0][2]} of 100,000"


def independent_100000(table, program, folder, rounds):
    pair = Pair(folder, "independent-100000")
    links = os.path.join(folder, "links.csv")
    counting, linking, peer = [], [], []
    for _ in range(rounds):
        counting.append(pair.ours(program))
        linking.append(pair.ours(program, "--links", links))
        peer.append(pair.faiss_flat())
    theirs = column(peer, 0)
    table.add("independent 100,000, attack, counting", column(counting, 0), "FAISS flat", theirs, 2)
    table.add("independent 100,000, attack, --links", column(linking, 0), "FAISS flat", theirs, 1)
    table.add("independent 100,000, process, counting", column(counting, 1), "FAISS flat", theirs, None)
    table.add("independent 100,000, process, --links", column(linking, 1), "FAISS flat", theirs, None)
    return f"independent 100,000: correct links: sdcrisk {counting[0][2]:g}, FAISS {peer[0][1]}"


def main():
    program, folder, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
    faiss.omp_set_num_threads(THREADS)
    print(f"numpy {numpy.__version__}, scipy {scipy.__version__}, faiss {faiss.__version__}; ", end="")
    print(f"{THREADS} threads, medians of {rounds} rounds in turns (near 1,000,000: of 3)\n", flush=True)
    table = Table()
    notes = [
        near_100000(table, program, folder, rounds),
        independent_100000(table, program, folder, rounds),
        near_1000000(table, program, folder, 3),
    ]
    table.show()
    print("\n" + "\n".join(notes))


if __name__ == "__main__":
    main()
