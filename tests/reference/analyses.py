"""Prints what statsmodels and scikit-learn find in Census and in Census with all values cut to whole thousands below: the
figures of analyses.rs.

    pip install scikit-learn==1.9.1 statsmodels==0.15.0 pandas numpy
    python tests/reference/analyses.py ../shared/data/census.csv
"""

import sys

import numpy as np
import pandas as pd
import statsmodels.api as sm
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score, rand_score
from sklearn.metrics.cluster import pair_confusion_matrix

original = pd.read_csv(sys.argv[1]).astype(float)
masked = np.floor(original / 1000) * 1000
intervals = []
for frame in (original, masked):
    fit = sm.OLS(frame["AGI"], sm.add_constant(frame[["EMCONTRB", "FEDTAX", "PTOTVAL", "INTVAL"]])).fit()
    for estimate, (low, high) in zip(fit.params, fit.conf_int().to_numpy()):
        print(f"({estimate!r}, {low!r}, {high!r}),".replace("np.float64(", "").replace("),", ",").replace(")", ""))
    print("R2", float(fit.rsquared))
    intervals.append(fit.conf_int().to_numpy())
overlaps = [
    (max(0, min(u, v) - max(l, m)) / (u - l) + max(0, min(u, v) - max(l, m)) / (v - m)) / 2
    for (l, u), (m, v) in zip(*intervals)
]
print("overlap", float(np.mean(overlaps)))
for k in (3, 6):
    fits = []
    for frame in (original, masked):
        fits.append(KMeans(k, n_init=200, tol=0, random_state=0).fit((frame - frame.mean()) / frame.std(ddof=1)))
    (_, b), (c, d) = pair_confusion_matrix(fits[0].labels_, fits[1].labels_)
    print(k, [f.inertia_ for f in fits], rand_score(fits[0].labels_, fits[1].labels_), adjusted_rand_score(fits[0].labels_, fits[1].labels_), d / (b + c + d))
