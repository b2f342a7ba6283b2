"""Weighted means and Choquet integrals learned as the literature does, with HiGHS.

All N (N - 1) competitors, one constant for all rows (the smallest that is valid), rows of at least
1e-6. One thread.
"""

import time
from typing import Any

import highspy
import numpy as np
from scipy import sparse

MARGIN = 1e-6


def features(method: str, squares: Any) -> Any:
    """What the parameters multiply: squares, or of the Choquet integral a number for each set."""
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


def all_features(method: str, x: Any, y: Any) -> list[Any]:
    return [features(method, (record - y) ** 2) for record in x]


def monotone(n: int) -> Any:
    """A row for each set and each attribute that it lacks: the larger set weighs no less."""
    rows = []
    for chosen in range(1, 2**n):
        for k in range(n):
            if not chosen >> k & 1:
                row = np.zeros(2**n - 1)
                row[(chosen | 1 << k) - 1], row[chosen - 1] = 1, -1
                rows.append(row)
    return np.array(rows)


def program(method: str, x: Any, y: Any) -> tuple[Any, int]:
    """The mixed integer program, and how many parameters it has."""
    records, n = x.shape
    blocks = []
    for own, of_record in enumerate(all_features(method, x, y)):
        blocks.append(np.delete(of_record, own, axis=0) - of_record[own])
    rows = np.vstack(blocks)
    parameters = rows.shape[1]
    constant = np.abs(rows).max() * (1 if method == "wm" else n) + MARGIN
    whose = np.repeat(np.arange(records), records - 1)
    given_up = sparse.csr_matrix((np.full(len(rows), constant), (np.arange(len(rows)), whose)))
    inf = highspy.kHighsInf
    if method == "wm":
        conditions, least, most = np.ones((1, parameters)), 1.0, 1.0
    else:
        conditions, least, most = monotone(n), 0.0, inf
    beside = sparse.csr_matrix((len(conditions), records))
    matrix = sparse.vstack(
        [
            sparse.hstack([sparse.csr_matrix(rows), given_up]),
            sparse.hstack([sparse.csr_matrix(conditions), beside]),
        ]
    ).tocsc()

    made = highspy.HighsLp()
    made.num_col_ = parameters + records
    made.num_row_ = matrix.shape[0]
    made.col_cost_ = np.r_[np.zeros(parameters), np.ones(records)]
    lower = np.zeros(parameters + records)
    if method == "ci":
        lower[parameters - 1] = 1  # the whole set
    made.col_lower_ = lower
    made.col_upper_ = np.ones(parameters + records)
    made.row_lower_ = np.r_[np.full(len(rows), MARGIN), np.full(len(conditions), least)]
    made.row_upper_ = np.r_[np.full(len(rows), inf), np.full(len(conditions), most)]
    made.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    made.a_matrix_.start_ = matrix.indptr
    made.a_matrix_.index_ = matrix.indices
    made.a_matrix_.value_ = matrix.data
    kinds = highspy.HighsVarType
    made.integrality_ = [kinds.kContinuous] * parameters + [kinds.kInteger] * records
    return made, parameters


def linked(method: str, x: Any, y: Any, parameters: Any) -> int:
    """Records whose own masked record is nearest; equal but for rounding is not nearer."""
    count = 0
    for own, of_record in enumerate(all_features(method, x, y)):
        distances = of_record @ parameters
        others = np.delete(distances, own)
        count += int(others.min() > distances[own] * (1 + 1e-11))
    return count


def learn(method: str, x: Any, y: Any) -> tuple[float, int]:
    """Seconds of the solver alone, to the proof, and the links of its solution, counted again."""
    solver = highspy.Highs()
    solver.silent()
    options = {
        "threads": 1,
        "random_seed": 0,
        "mip_rel_gap": 0.0,
        "mip_abs_gap": 0.99,
        "mip_feasibility_tolerance": 1e-9,
        "primal_feasibility_tolerance": 1e-9,
    }
    for option, value in options.items():
        solver.setOptionValue(option, value)
    made, parameters = program(method, x, y)
    begin = time.perf_counter()
    solver.passModel(made)
    solver.run()
    seconds = time.perf_counter() - begin
    return seconds, linked(method, x, y, np.array(solver.getSolution().col_value[:parameters]))
