"""Writes tests/golden/data/density-*.csv: Gaussian kernel densities by scipy.stats.gaussian_kde (scipy 1.x), the reference of
kernel_density.rs.

    python tests/golden/kernel_density.py

60 numbers with a point mass: 15 zeros, 45 from a log-normal distribution, numpy.random.default_rng(1986), rounded to 3 places.
scipy's bandwidth is a factor of the sd (n - 1): bw_method = h / sd.
"""

import os

import numpy as np
from scipy.stats import gaussian_kde

folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")
rng = np.random.default_rng(1986)
values = np.round(np.concatenate([np.zeros(15), rng.lognormal(0, 1, 45)]), 3)
at = np.arange(-16, 65) / 8
sd = values.std(ddof=1)
iqr = np.subtract(*np.percentile(values, [75, 25]))
silverman = 0.9 * min(sd, iqr / 1.34) * len(values) ** -0.2
with open(os.path.join(folder, "density-values.csv"), "w") as file:
    file.write("value\n" + "".join(f"{value!r}\n" for value in values.tolist()))
with open(os.path.join(folder, "density-at.csv"), "w") as file:
    file.write("x,silverman,wide\n")
    narrow = gaussian_kde(values, bw_method=silverman / sd)(at)
    wide = gaussian_kde(values, bw_method=1.5 / sd)(at)
    for x, f, g in zip(at.tolist(), narrow.tolist(), wide.tolist()):
        file.write(f"{x!r},{f!r},{g!r}\n")
print(silverman)
