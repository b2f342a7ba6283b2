"""Least costs of one-to-one assignments on the Census file, by scipy.

Usage: one_to_one.py SDCRISK CENSUS.csv

Masks the file with the program (fixed seeds), standardises both files (sd with divisor n - 1), makes the dense matrix of squared
distances for the first 1, 2, 3, 6 and 13 attributes, and solves it with scipy.optimize.linear_sum_assignment. Prints what
tests/reference/one_to_one.rs holds. Needs numpy and scipy.
"""

import io
import subprocess
import sys

import numpy
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

MASKINGS = [
    "rankswap --p 2 --seed 1",
    "rankswap --p 20 --seed 1",
    "microagg --decimals full --k 10",
    "noise --decimals full --level 1 --seed 1",
]


def standardised(text):
    values = numpy.loadtxt(io.StringIO(text), delimiter=",", skiprows=1)
    return (values - values.mean(axis=0)) / values.std(axis=0, ddof=1)


program, census = sys.argv[1:]
with open(census) as file:
    original = standardised(file.read())
for masking in MASKINGS:
    command = [program, "--quiet", "mask", *masking.split(), census]
    masked = standardised(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    costs = []
    for known in (1, 2, 3, 6, 13):
        matrix = cdist(original[:, :known], masked[:, :known], "sqeuclidean")
        costs.append(float(matrix[linear_sum_assignment(matrix)].sum()))
    print(f'    ("{masking}", {costs}),')
