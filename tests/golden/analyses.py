"""Writes tests/golden/data/analyses-{original,masked}.csv and analyses.json: what scikit-learn and statsmodels find in a small
pair of files, the reference of analyses.rs.

    pip install scikit-learn==1.9.1 statsmodels==0.15.0 pandas numpy
    python tests/golden/analyses.py

150 records of three groups, numpy.random.default_rng(2006), rounded to 4 places, so that no distances tie; the masked file has
noise added. Standard deviations have divisor n - 1 throughout, as in the program.
"""

import json
import os

import numpy as np
import pandas as pd
import sklearn
import statsmodels
import statsmodels.api as sm
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score, rand_score
from sklearn.metrics.cluster import pair_confusion_matrix
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")
rng = np.random.default_rng(2006)
names = ["a", "b", "c", "d", "y"]
group = rng.integers(0, 3, 150)
x = rng.normal(size=(150, 4)) @ np.array([[1, 0.3, 0, 0], [0, 1, 0.5, 0], [0, 0, 30, 0], [0.2, 0, 0, 0.01]])
x += np.array([[0, 0, 0, 0], [3, 1, 40, 0.02], [-2, 3, -60, 0.05]])[group]
y = 1000 + 5 * x[:, 0] - 2 * x[:, 1] + 0.05 * x[:, 2] + 3 * rng.normal(size=150)
original = pd.DataFrame(np.round(np.column_stack([x, y]), 4), columns=names)
noise = rng.normal(size=(150, 5)) * original.std(ddof=1).to_numpy() * np.sqrt(0.2)
masked = (original + noise).round(4)
original.to_csv(os.path.join(folder, "analyses-original.csv"), index=False)
masked.to_csv(os.path.join(folder, "analyses-masked.csv"), index=False)


def z(frame, by):
    return (frame - by.mean()) / by.std(ddof=1)


def indices(a, b):
    (_, only_second), (only_first, both) = pair_confusion_matrix(a, b)
    return {
        "rand": rand_score(a, b),
        "adjusted_rand": adjusted_rand_score(a, b),
        "jaccard": both / (both + only_first + only_second),
    }


def ols(frame):
    fit = sm.OLS(frame["y"], sm.add_constant(frame[["a", "b", "c", "d"]])).fit()
    return {
        "estimates": fit.params.tolist(),
        "errors": fit.bse.tolist(),
        "intervals": fit.conf_int().to_numpy().tolist(),
        "r_squared": fit.rsquared,
    }


def leave_one_out(make, training):
    above = original["y"] > original["y"].median()
    class_of = {"original": above, "masked": masked["y"] > original["y"].median()}[training]
    source = {"original": original, "masked": masked}[training]
    columns = ["a", "b", "c", "d"]
    hits = 0
    for record in range(len(original)):
        rest = source.drop(index=record)[columns]
        model = make().fit(z(rest, rest).to_numpy(), class_of.drop(index=record))
        hits += model.predict(z(original.loc[[record], columns], rest).to_numpy())[0] == above[record]
    return int(hits)


first, second = ols(original), ols(masked)
overlaps = []
for (l, u), (m, v) in zip(first["intervals"], second["intervals"]):
    common = max(0.0, min(u, v) - max(l, m))
    overlaps.append((common / (u - l) + common / (v - m)) / 2)
labels = rng.integers(0, 4, (2, 60))
labels[1, :30] = labels[0, :30]
clusters = [KMeans(3, n_init=100, tol=0, random_state=0).fit(z(f, f)) for f in (original, masked)]
result = {
    "tools": f"scikit-learn {sklearn.__version__}, statsmodels {statsmodels.__version__}",
    "labels": labels.tolist(),
    "indices": indices(*labels),
    "k_means": indices(clusters[0].labels_, clusters[1].labels_) | {"within": [c.inertia_ for c in clusters]},
    "regression": {
        "original": first,
        "masked": second,
        "overlaps": overlaps,
        "differences": [abs(b - a) / e for a, b, e in zip(first["estimates"], second["estimates"], first["errors"])],
    },
    "leave_one_out": {
        "knn": [leave_one_out(lambda: KNeighborsClassifier(5), t) for t in ("original", "masked")],
        "bayes": [leave_one_out(GaussianNB, t) for t in ("original", "masked")],
    },
}
with open(os.path.join(folder, "analyses.json"), "w") as file:
    json.dump(result, file, indent=1)
    file.write("\n")
