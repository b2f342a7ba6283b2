"""A grid of experiments, worked out by an independent program: writes evaluation.json, for the plan evaluation.toml.

Usage: evaluation.py SDCRISK CENSUS.csv > evaluation.json

SDCRISK only masks here, with the seeds that the plan says (11, 12). Losses and interval disclosure are those of loss_and_risk.py; the
attacks are matrices of all pairs:
- dld: squared differences of z-scores, each file by its own mean and sd (n - 1); a person is linked to the nearest masked record, and a tie
  of t records that holds the true one counts 1/t.
- rsld: the same among the masked records that lie, on every known attribute, at most m = floor(p n / 100) places from the person's value.
The rate of an attack is the mean over the first 1, 2, 3 attributes known. Means and intervals over the masked files of a setting: Student's t,
95 %, n - 1 degrees of freedom. Pareto: no other setting is at least as good in mean loss (il) and in the highest mean rate of an attack, and
better in one. Needs numpy, pandas and scipy.
"""

import json
import math
import platform
import subprocess
import sys
import tempfile

import numpy as np
import scipy
from scipy.stats import t as student

import loss_and_risk

SEEDS = [11, 12]
KNOWN = 3
# method, parameter, value, does it draw
SETTINGS = [("rankswap", "p", 4, True), ("rankswap", "p", 20, True), ("microagg", "k", 10, False), ("noise", "level", 0.3, True)]


def rate(distances):
    n = len(distances)
    correct = 0.0
    for i in range(n):
        least = distances[i].min()
        if math.isfinite(least):
            # Distances that are equal but for rounding are tied.
            tied = distances[i] <= least * (1 + 1e-11) + 1e-15
            correct += tied[i] / tied.sum()
    return float(correct / n)


def attacks(x, y, known, window):
    n = len(x)
    scaled = [(file[:, :known] - file[:, :known].mean(axis=0)) / file[:, :known].std(axis=0, ddof=1) for file in (x, y)]
    distances = ((scaled[0][:, None, :] - scaled[1][None, :, :]) ** 2).sum(axis=2)
    rates = {"dld": rate(distances)}
    if window:
        possible = np.ones((n, n), dtype=bool)
        for j in range(known):
            ordered = np.sort(y[:, j])
            for i in range(n):
                first = np.searchsorted(ordered, x[i, j], "left")
                last = np.searchsorted(ordered, x[i, j], "right") - 1
                low, high = ordered[max(0, first - window)], ordered[min(n - 1, last + window)]
                possible[i] &= (low <= y[:, j]) & (y[:, j] <= high)
        rates["rsld"] = rate(np.where(possible, distances, np.inf))
    return rates


def summary(values, most=math.inf):
    middle = loss_and_risk.mean(values)
    if len(values) < 2:
        return {"mean": middle, "interval": None}
    spread = math.sqrt(loss_and_risk.variance(values) / len(values))
    half = float(student.ppf(0.975, len(values) - 1)) * spread
    return {"mean": middle, "interval": [max(middle - half, 0.0), min(middle + half, most)]}


def main(program, census):
    x = loss_and_risk.matrix(census)
    n = len(x)
    rows, settings = [], []
    for number, (method, parameter, value, draws) in enumerate(SETTINGS):
        runs = []
        for seed in SEEDS if draws else [None]:
            call = [program, "--quiet", "mask", method, f"--{parameter}={value}", "--attributes", "1-13"]
            call += ["--seed", str(seed)] if draws else []
            call += ["--decimals", "full"] if method != "rankswap" else []
            with tempfile.TemporaryDirectory() as folder:
                subprocess.run([*call, "-o", f"{folder}/masked.csv", census], check=True)
                y = loss_and_risk.matrix(f"{folder}/masked.csv")
            losses, _, _ = loss_and_risk.loss(x, y)
            window = value * n // 100 if method == "rankswap" else None
            cases = [attacks(x, y, known, window) for known in range(1, KNOWN + 1)]
            by_case = {name: [case[name] for case in cases] for name in cases[0]}
            run = {"setting": number, "seed": seed}
            run["losses"] = {key: losses[key] for key in ("il", "pil", "sse_sst")}
            key = "interval_disclosure_rank"
            run["risks"] = {key: loss_and_risk.interval_disclosure(x, y)[key]}
            run["attacks"] = {name: {"rate": loss_and_risk.mean(rates), "by_case": rates} for name, rates in by_case.items()}
            runs.append(run)
        rows += runs
        measures = {f"attack:{name}": summary([run["attacks"][name]["rate"] for run in runs], 1.0) for name in runs[0]["attacks"]}
        for kind, of, most in (("losses", "loss", math.inf), ("risks", "risk", 1.0)):
            measures |= {f"{of}:{key}": summary([run[kind][key] for run in runs], most) for key in runs[0][kind]}
        settings.append({"setting": number, "measures": measures})
    points = []
    for setting in settings:
        told = setting["measures"]
        points.append((told["loss:il"]["mean"], max(told[key]["mean"] for key in told if key.startswith("attack:"))))
    for setting, a in zip(settings, points):
        setting["pareto"] = not any(b[0] <= a[0] and b[1] <= a[1] and b != a for b in points)
    versions = {"python": platform.python_version(), "numpy": np.__version__, "scipy": scipy.__version__}
    made = {"made_by": "tests/reference/evaluation.py SDCRISK CENSUS.csv", "versions": versions}
    json.dump(made | {"rows": rows, "settings": settings}, sys.stdout, indent=1)
    print()


main(*sys.argv[1:])
