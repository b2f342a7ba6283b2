"""Writes tests/golden/data/fuzzy-*.csv: fuzzy c-means by scikit-fuzzy 0.5.0 (numpy 2.x), the reference of
fuzzy_c_means.rs.

    pip install scikit-fuzzy packaging && python tests/golden/fuzzy_c_means.py

60 points in four overlapping clouds, numpy.random.default_rng(2015). For each m the call is

    skfuzzy.cluster.cmeans(points.T, 4, m, error=1e-13, maxiter=20000, init=u0)

scikit-fuzzy starts from memberships u0, we start from centres: fuzzy-M-start.csv holds the centres that its first step makes
of u0. fuzzy-M-centres.csv and fuzzy-M-memberships.csv hold what it ends with.
"""

import os

import numpy as np
import skfuzzy

folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")
rng = np.random.default_rng(2015)
means = np.array([[0, 0, 0], [30, 5, 1], [5, 40, 2], [28, 35, 9]])
points = np.round(np.concatenate([rng.normal(mean, [6, 7, 2], (15, 3)) for mean in means]), 2)
u0 = rng.random((4, len(points)))
u0 /= u0.sum(axis=0)


def write(name, header, rows):
    with open(os.path.join(folder, f"fuzzy-{name}.csv"), "w") as file:
        file.write(",".join(header) + "\n")
        for row in rows:
            file.write(",".join(repr(float(value)) for value in row) + "\n")


names = ["a", "b", "c"]
write("points", names, points)
for m in (1.3, 2, 3):
    weights = u0**m
    write(f"{m}-start", names, weights @ points / weights.sum(axis=1, keepdims=True))
    centres, u, _, _, _, iterations, _ = skfuzzy.cluster.cmeans(
        points.T, 4, m, error=1e-13, maxiter=20000, init=u0
    )
    write(f"{m}-centres", names, centres)
    write(f"{m}-memberships", ["1", "2", "3", "4"], u.T)
    print(m, iterations, np.round(centres, 3).tolist())
