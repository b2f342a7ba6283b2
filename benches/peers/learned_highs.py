"""Learns weighted means and Choquet integrals as the literature does, with HiGHS, on the files that
`cargo bench --bench learned -- files` writes, and with sdcrisk on the same files.

    python learned_highs.py SDCRISK FOLDER [SECONDS] [SUFFIX]

The program is the literature's: all N (N - 1) competitors, one constant for all rows (here the smallest that is valid), rows of at
least 1e-6. What HiGHS says is counted again by plain linkage over all pairs. One thread each; seconds of the processor.
"""

import csv
import json
import os
import resource
import subprocess
import sys
import time

import highspy
import numpy as np
from scipy import sparse

MARGIN = 1e-6
NAMES = ["M4-33", "M4-28", "M4-82", "M5-38", "M6-385", "M6-853", "M7-999"]


def read(path):
    with open(path, newline="") as file:
        records = list(csv.reader(file))
    values = np.array(records[1:], dtype=float)
    return (values - values.mean(0)) / values.std(0, ddof=1)


def features(method, squares):
    """What the parameters multiply: the squares, or for the Choquet integral one number a set of attributes."""
    if method == "wm":
        return squares
    records, n = squares.shape
    order = np.argsort(squares, axis=1, kind="stable")
    found = np.zeros((records, 2**n - 1))
    everywhere = np.arange(records)
    below = np.zeros(records)
    sets = np.full(records, 2**n - 1)
    for place in range(n):
        k = order[:, place]
        value = squares[everywhere, k]
        found[everywhere, sets - 1] += value - below
        below = value
        sets &= ~(1 << k)
    return found


def all_features(method, x, y):
    return [features(method, (record - y) ** 2) for record in x]


def highs(method, x, y, limit):
    """Links found, a bound on them, and the seconds of the solver alone."""
    records, n = x.shape
    blocks = []
    for own, of_record in enumerate(all_features(method, x, y)):
        blocks.append(np.delete(of_record, own, axis=0) - of_record[own])
    rows = np.vstack(blocks)
    parameters = rows.shape[1]
    constant = np.abs(rows).max() * (1 if method == "wm" else n) + MARGIN
    whose = np.repeat(np.arange(records), records - 1)
    given_up = sparse.csr_matrix((np.full(len(rows), constant), (np.arange(len(rows)), whose)))
    matrix = sparse.hstack([sparse.csr_matrix(rows), given_up])
    inf = highspy.kHighsInf
    lower, upper = [np.full(len(rows), MARGIN)], [np.full(len(rows), inf)]
    conditions = []
    if method == "wm":
        conditions.append(np.r_[np.ones(parameters), np.zeros(records)])
        lower.append([1.0])
        upper.append([1.0])
    else:
        for chosen in range(1, 2**n):
            for k in range(n):
                if not chosen >> k & 1:
                    condition = np.zeros(parameters + records)
                    condition[(chosen | 1 << k) - 1] = 1
                    condition[chosen - 1] = -1
                    conditions.append(condition)
        lower.append(np.zeros(len(conditions)))
        upper.append(np.full(len(conditions), inf))
    matrix = sparse.vstack([matrix, sparse.csr_matrix(np.array(conditions))]).tocsc()

    program = highspy.HighsLp()
    program.num_col_ = parameters + records
    program.num_row_ = matrix.shape[0]
    program.col_cost_ = np.r_[np.zeros(parameters), np.ones(records)]
    least = np.zeros(parameters + records)
    if method == "ci":
        least[parameters - 1] = 1  # the whole set
    program.col_lower_ = least
    program.col_upper_ = np.ones(parameters + records)
    program.row_lower_ = np.concatenate(lower)
    program.row_upper_ = np.concatenate(upper)
    program.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    program.a_matrix_.start_ = matrix.indptr
    program.a_matrix_.index_ = matrix.indices
    program.a_matrix_.value_ = matrix.data
    kinds = highspy.HighsVarType
    program.integrality_ = [kinds.kContinuous] * parameters + [kinds.kInteger] * records
    solver = highspy.Highs()
    solver.silent()
    options = {
        "threads": 1,
        "random_seed": 0,
        "time_limit": float(limit),
        "mip_rel_gap": 0.0,
        "mip_abs_gap": 0.99,
        "mip_feasibility_tolerance": 1e-9,
        "primal_feasibility_tolerance": 1e-9,
    }
    for option, value in options.items():
        solver.setOptionValue(option, value)
    before = time.process_time()
    solver.passModel(program)
    solver.run()
    seconds = time.process_time() - before
    dropped = max(0, np.ceil(solver.getInfo().mip_dual_bound - 1e-4))
    solution = np.array(solver.getSolution().col_value[:parameters])
    return linked(method, x, y, solution), records - int(dropped), seconds


def linked(method, x, y, parameters):
    """Records whose own masked record is nearer than all others; equal but for rounding is not nearer."""
    count = 0
    for own, of_record in enumerate(all_features(method, x, y)):
        distances = of_record @ parameters
        others = np.delete(distances, own)
        count += int(others.min() > distances[own] * (1 + 1e-11))
    return count


def sdcrisk(program, method, original, masked, limit):
    """Links found, a bound on them, and the seconds of the whole process."""
    command = [program, "link", "--quiet", "--format", "json", "--method", method]
    command += ["--time-limit", str(limit), original, masked]
    environment = dict(os.environ, RAYON_NUM_THREADS="1")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    output = subprocess.run(command, stdout=subprocess.PIPE, env=environment, check=False)
    if output.returncode not in (0, 4):
        sys.exit(f"sdcrisk ended with {output.returncode}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    (result,) = json.loads(output.stdout)["results"]
    return result["correct"]["strict"], result["bound"], seconds


def main():
    program, folder = sys.argv[1:3]
    limit = float(sys.argv[3]) if len(sys.argv) > 3 else 90.0
    suffix = sys.argv[4] if len(sys.argv) > 4 else "C_400"
    print("| file | method | sdcrisk | s | HiGHS, program of the literature | s | times |")
    print("|---|---|---|---:|---|---:|---:|")
    for name in NAMES:
        original = os.path.join(folder, f"{name}_{suffix}_original.csv")
        masked = os.path.join(folder, f"{name}_{suffix}_masked.csv")
        x, y = read(original), read(masked)
        for method in ("wm", "ci"):
            ours = sdcrisk(program, method, original, masked, limit)
            theirs = highs(method, x, y, limit)
            shown = [
                f"{count}" if count == bound else f"{count} to {bound}: still open"
                for count, bound, _ in (ours, theirs)
            ]
            more = "" if theirs[0] == theirs[1] else "≥ "
            times = f"{more}{theirs[2] / ours[2]:.1f}" if ours[0] == ours[1] else ""
            print(
                f"| {name}_{suffix} | {method} | {shown[0]} | {ours[2]:.2f} | {shown[1]} | {theirs[2]:.2f} | {times} |",
                flush=True,
            )


main()
