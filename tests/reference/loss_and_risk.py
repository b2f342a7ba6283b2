"""Information loss and interval disclosure of masked reference files, worked out from the definitions: an independent program.

Usage: loss_and_risk.py SDCRISK PROJECT REFERENCE_FILES > loss_and_risk.json

SDCRISK is the program, which only masks here (fixed seeds); PROJECT the folder that holds data/, REFERENCE_FILES that of census.csv,
eia10.csv and tarragona.csv. Every figure is computed from the two CSV files by plain loops over numpy arrays, slowly, with sums by
math.fsum. Needs numpy, pandas and scipy.

Readings, where the definitions leave something open:
- A cell counts where it is present in both files. Means, variances, quantiles, covariances and correlations of a file are taken over
  what is present in that file; those of a pair of attributes over the records in which it has both.
- The cells of `mean_square_data` and its like are all cells of all attributes together, not attribute by attribute.
- n in the window of `interval_disclosure_rank` is the number of masked values of the attribute that are present.
- A record counts for `interval_disclosure_records_sd` if none of its cells (present in both files) lies outside: a missing cell does not.
- Categories: a missing cell of the masked file is a value of its own, a record whose original cell is missing tells nothing of the
  entropy; a suppressed cell differs from what it was.
- The correlations whose matrix is inverted are taken over the records without gaps, or it might be no matrix of correlations. One
  whose condition number is above 1e12 has no inverse.
"""

import json
import math
import os
import platform
import subprocess
import sys
import tempfile

import numpy as np
import pandas as pd
import scipy
from scipy.stats import norm

SHARES = [0.05 * i for i in range(1, 20)]

# name, file, is it bundled, attributes (from 1), how it is masked
CASES = [
    ("census rankswap", "census.csv", False, "1-13", "rankswap --p 10 --seed 1"),
    ("census mdav", "census.csv", False, "1-13", "microagg --decimals full --k 5"),
    ("census noise", "census.csv", False, "1-13", "noise --decimals full --level 0.1 --seed 1"),
    # Without PTOTVAL, which is the sum of two others, the correlations have an inverse.
    ("census noise without PTOTVAL", "census.csv", False, "1-4,6-13", "noise --decimals full --level 0.1 --seed 1"),
    ("eia10 rankswap", "eia10.csv", False, "1-10", "rankswap --p 10 --seed 1"),
    ("tarragona mdav", "tarragona.csv", False, "1-13", "microagg --decimals full --k 5"),
    # With gaps: interest and rent have missing values.
    ("synthetic noise", "synthetic-census.csv", True, "4,6-13", "noise --decimals full --level 0.1 --seed 1"),
    ("synthetic mdav", "synthetic-census.csv", True, "4,6-13", "microagg --decimals full --k 5"),
]

# Attributes of categories: name, file, masking (none: the masked file is bundled), attributes
CATEGORY_CASES = [
    ("recoding", "recoding-original.csv", None, ["malaltia", "sexe", "estat_civil", "ciutat"]),
    ("modes", "synthetic-census.csv", "microagg --decimals full --k 7 --attributes 2,4,10", ["region"]),
]


def places(attributes):
    ends = [[int(end) - 1 for end in part.split("-")] for part in attributes.split(",")]
    return [place for end in ends for place in range(end[0], end[-1] + 1)]


def mean(values):
    return math.fsum(values) / len(values)


def central(values, power):
    m = mean(values)
    return mean([(v - m) ** power for v in values])


def variance(values):
    return central(values, 2) * len(values) / (len(values) - 1)


def cross(a, b, i, j):
    """The mixed central moment mu_ij, divisor n."""
    ma, mb = mean(a), mean(b)
    return mean([(u - ma) ** i * (v - mb) ** j for u, v in zip(a, b)])


def present(values):
    return [float(v) for v in values if not math.isnan(v)]


def both(a, b):
    pairs = [(float(u), float(v)) for u, v in zip(a, b) if not (math.isnan(u) or math.isnan(v))]
    return [u for u, _ in pairs], [v for _, v in pairs]


def covariance(a, b):
    a, b = both(a, b)
    return cross(a, b, 1, 1) * len(a) / (len(a) - 1)


def correlation(a, b):
    a, b = both(a, b)
    return cross(a, b, 1, 1) / math.sqrt(central(a, 2) * central(b, 2))


def quantile(values, share):
    """Type 7: position (n - 1) q among the order statistics, linear between."""
    return float(np.quantile(np.array(values), share))


def statistics(x):
    """Each family of statistics of a file, in a fixed order."""
    p = x.shape[1]
    columns = [x[:, j] for j in range(p)]
    some = [present(column) for column in columns]
    return {
        "means": [mean(values) for values in some],
        "variances": [variance(values) for values in some],
        "covariances": [covariance(columns[j], columns[k]) for j in range(p) for k in range(j, p)],
        "correlations": [correlation(columns[j], columns[k]) for j in range(p) for k in range(j + 1, p)],
        "quantiles": [quantile(values, share) for values in some for share in SHARES],
    }


def discrepancies(family, before, after):
    square = mean([(m - n) ** 2 for m, n in zip(before, after)])
    absolute = mean([abs(m - n) for m, n in zip(before, after)])
    relative = [abs(m - n) / abs(m) for m, n in zip(before, after) if m != 0]
    return {
        f"mean_square_{family}": square,
        f"mean_absolute_{family}": absolute,
        f"mean_variation_{family}": mean(relative),
    }, len(before) - len(relative)


def sampling_variances(x):
    """The variances of the statistics, in the order of `statistics`, from the original file."""
    p = x.shape[1]
    columns = [x[:, j] for j in range(p)]
    means, variances, quantiles = [], [], []
    for column in columns:
        values = present(column)
        n, mu2, mu4 = len(values), central(values, 2), central(values, 4)
        means.append(mu2 / n)
        variances.append((mu4 - mu2**2) / n)
        sd, iqr = math.sqrt(variance(values)), quantile(values, 0.75) - quantile(values, 0.25)
        spread = min(sd, iqr / 1.34) if iqr > 0 else sd
        width = 0.9 * spread * n**-0.2
        for share in SHARES:
            at = quantile(values, share)
            density = math.fsum(norm.pdf((at - np.array(values)) / width)) / (n * width)
            quantiles.append(share * (1 - share) / (n * density**2))
    covariances, correlations = [], []
    for j in range(p):
        for k in range(j, p):
            a, b = both(columns[j], columns[k])
            n = len(a)
            mu = {(s, t): cross(a, b, s, t) for s, t in [(1, 1), (2, 0), (0, 2), (2, 2), (4, 0), (0, 4), (3, 1), (1, 3)]}
            covariances.append((mu[2, 2] - mu[1, 1] ** 2) / n)
            if k > j:
                rho = mu[1, 1] / math.sqrt(mu[2, 0] * mu[0, 2])
                bracket = (
                    mu[2, 2] / mu[1, 1] ** 2
                    + (mu[4, 0] / mu[2, 0] ** 2 + mu[0, 4] / mu[0, 2] ** 2 + 2 * mu[2, 2] / (mu[2, 0] * mu[0, 2])) / 4
                    - (mu[3, 1] / (mu[1, 1] * mu[2, 0]) + mu[1, 3] / (mu[1, 1] * mu[0, 2]))
                )
                correlations.append(rho**2 / n * bracket)
    return {"means": means, "variances": variances, "covariances": covariances, "correlations": correlations, "quantiles": quantiles}


def probabilistic(before, after, variances):
    """The mean of 2 P(0 <= Z <= |difference| / sd)."""
    parts, skipped = [], 0
    for theta, there, spread in zip(before, after, variances):
        if spread > 0:
            parts.append(math.erf(abs(there - theta) / math.sqrt(2 * spread)))
        elif there == theta:
            parts.append(0.0)
        else:
            skipped += 1
    return mean(parts), skipped


def mlodak(x, y):
    unit = []
    for values in (x, y):
        values = values[~np.isnan(values).any(axis=1)]
        p = values.shape[1]
        matrix = np.eye(p)
        for j in range(p):
            for k in range(j + 1, p):
                matrix[j, k] = matrix[k, j] = correlation(values[:, j], values[:, k])
        if np.linalg.cond(matrix) > 1e12:
            return None
        diagonal = np.diag(np.linalg.inv(matrix))
        unit.append(diagonal / math.sqrt(math.fsum(diagonal**2)))
    return math.sqrt(math.fsum((unit[0] - unit[1]) ** 2)) / math.sqrt(2)


def loss(x, y):
    n, p = x.shape
    cells = [(float(x[i, j]), float(y[i, j]), j) for j in range(p) for i in range(n) if not (np.isnan(x[i, j]) or np.isnan(y[i, j]))]
    figures, skipped = {}, {}
    found, left_out = discrepancies("data", [c[0] for c in cells], [c[1] for c in cells])
    figures |= found
    skipped["mean_variation_data"] = left_out
    before, after = statistics(x), statistics(y)
    for family in before:
        found, left_out = discrepancies(family, before[family], after[family])
        figures |= found
        skipped[f"mean_variation_{family}"] = left_out
    figures["il1"] = figures["mean_variation_data"]
    sds = [math.sqrt(v) for v in before["variances"]]
    figures["il1s"] = mean([abs(a - b) / (math.sqrt(2) * sds[j]) for a, b, j in cells])
    sse = math.fsum((a - b) ** 2 / before["variances"][j] for a, b, j in cells)
    figures["sse_sst"] = sse / sum(len(present(x[:, j])) - 1 for j in range(p))
    figures["il"] = mean(
        [figures[f"mean_variation_{family}"] for family in ("data", "means", "covariances", "variances")]
        + [figures["mean_absolute_correlations"]]
    )
    spreads = sampling_variances(x)
    for family in before:
        figures[f"pil_{family}"], skipped[f"pil_{family}"] = probabilistic(before[family], after[family], spreads[family])
    figures["pil"] = mean([figures[f"pil_{family}"] for family in before])
    figures["mlodak"] = mlodak(x, y)
    return figures, skipped, rounding(x, before)


def rounding(x, before):
    """What rounding alone can make of figures that are 0 by the method (the means after microaggregation): 2^-46 of the sizes."""
    unit = 2.0**-46
    p = x.shape[1]
    sds = [math.sqrt(v) for v in before["variances"]]
    sizes = {
        "means": [mean([abs(v) for v in present(x[:, j])]) for j in range(p)],
        "variances": before["variances"],
        "covariances": [sds[j] * sds[k] for j in range(p) for k in range(j, p)],
        "correlations": [1.0] * len(before["correlations"]),
        "quantiles": [abs(q) for q in before["quantiles"]],
    }
    spreads = sampling_variances(x)
    allowed = {}
    for family, size in sizes.items():
        allowed[f"mean_square_{family}"] = unit**2 * mean([s * s for s in size])
        allowed[f"mean_absolute_{family}"] = unit * mean(size)
        allowed[f"mean_variation_{family}"] = unit * mean([s / abs(m) for s, m in zip(size, before[family]) if m != 0])
        allowed[f"pil_{family}"] = unit * mean([s / math.sqrt(v) for s, v in zip(size, spreads[family]) if v > 0])
    return allowed


def entropy(counts):
    total = sum(counts)
    return -math.fsum(c / total * math.log(c / total) for c in counts)


def categories(before, after):
    """Loss of attributes of categories; None is missing."""
    lost = []
    for original, masked in zip(before, after):
        seen = [(a, b) for a, b in zip(original, masked) if a is not None]
        together, apart = {}, {}
        for a, b in seen:
            together[a, b] = together.get((a, b), 0) + 1
            apart[b] = apart.get(b, 0) + 1
        plain = {}
        for a, _ in seen:
            plain[a] = plain.get(a, 0) + 1
        # H(original | masked) = H(original, masked) - H(masked)
        lost.append((entropy(together.values()) - entropy(apart.values())) / entropy(plain.values()))
    cells = [(a, b) for original, masked in zip(before, after) for a, b in zip(original, masked)]
    return {
        "entropy_loss": mean(lost),
        "changed": mean([a != b for a, b in cells]),
        "suppressed": mean([a is not None and b is None for a, b in cells]),
    }


def interval_disclosure(x, y):
    n, p = x.shape
    by_sd, by_rank = [], []
    inside = [True] * n
    for j in range(p):
        cells = [(float(a), float(b)) for a, b in zip(x[:, j], y[:, j]) if not (math.isnan(a) or math.isnan(b))]
        sd = math.sqrt(variance(present(x[:, j])))
        by_sd.append(mean([mean([abs(a - b) <= percent / 100 * sd for a, b in cells]) for percent in range(1, 11)]))
        ordered = sorted(present(y[:, j]))
        lowest, highest = {}, {}
        for place, value in enumerate(ordered):
            lowest.setdefault(value, place)
            highest[value] = place
        hits = []
        for percent in range(1, 11):
            reach = percent * len(ordered) // 200
            for a, b in cells:
                low = ordered[max(0, lowest[b] - reach)]
                high = ordered[min(len(ordered) - 1, highest[b] + reach)]
                hits.append(low <= a <= high)
        by_rank.append(mean(hits))
        reach = 0.05 * math.sqrt(variance(present(y[:, j])))
        for i in range(n):
            if abs(x[i, j] - y[i, j]) > reach:
                inside[i] = False
    return {
        "interval_disclosure_sd": mean(by_sd),
        "interval_disclosure_rank": mean(by_rank),
        "interval_disclosure_records_sd": mean(inside),
    }


def matrix(path, names=None):
    table = pd.read_csv(path, dtype=str, keep_default_na=False).replace({"": "nan", "NA": "nan"})
    names = names or list(table.columns)
    return table[names].to_numpy(dtype=float)


def texts(path, names):
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    return [[None if cell == "" else cell for cell in table[name]] for name in names]


def main(program, project, references):
    cases, cases_of_names = [], []
    for name, file, bundled, attributes, masking in CASES:
        path = os.path.join(project, "data", file) if bundled else os.path.join(references, file)
        call = ["mask", *masking.split(), "--attributes", attributes]
        names = [list(pd.read_csv(path, nrows=0).columns)[place] for place in places(attributes)]
        with tempfile.TemporaryDirectory() as folder:
            masked = os.path.join(folder, "masked.csv")
            subprocess.run([program, "--quiet", *call, "-o", masked, path], check=True)
            x, y = matrix(path, names), matrix(masked, names)
        assert x.shape == y.shape
        measures, skipped, allowed = loss(x, y)
        case = {
            "name": name,
            "file": file,
            "bundled": bundled,
            "attributes": names,
            "call": f"sdcrisk {' '.join(call)} {file}",
            "loss": measures,
            "skipped": skipped,
            "rounding": allowed,
            "risk": interval_disclosure(x, y),
        }
        cases.append(case)
        print(name, case["loss"]["il"], case["loss"]["pil"], case["risk"], file=sys.stderr)
    for name, original, masking, names in CATEGORY_CASES:
        path = os.path.join(project, "data", original)
        if masking is None:
            there = os.path.join(project, "data", original.replace("original", "masked"))
            before, after = texts(path, names), texts(there, names)
        else:
            with tempfile.TemporaryDirectory() as folder:
                there = os.path.join(folder, "masked.csv")
                subprocess.run([program, "--quiet", "mask", *masking.split(), "-o", there, path], check=True)
                before, after = texts(path, names), texts(there, names)
        made = f"sdcrisk mask {masking} {original}" if masking else "bundled"
        cases_of_names.append({"name": name, "file": original, "attributes": names, "call": made, "loss": categories(before, after)})
        print(cases_of_names[-1], file=sys.stderr)
    versions = {"python": platform.python_version(), "numpy": np.__version__, "scipy": scipy.__version__, "pandas": pd.__version__}
    document = {"made_by": "tests/reference/loss_and_risk.py SDCRISK PROJECT REFERENCE_FILES", "versions": versions, "cases": cases, "categories": cases_of_names}
    json.dump(document, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main(*sys.argv[1:])
