"""An independent fit of the model of Fellegi and Sunter to pattern counts, with numpy.

    python3 expectation_maximisation.py > data/expectation-maximisation.csv

Each line: number of steps, then m of four attributes, u of four attributes, the share of matches. The counts are those of
COUNTS, whose place is the pattern (bit k of the place: agreement on attribute k). Every step is written out on the full
table of 16 cells, in linear space; the program under test works with logarithms on the patterns that occur.
"""

import numpy as np

COUNTS = np.array([812345, 40321, 61234, 9876, 70123, 5432, 8765, 4321, 33333, 2222, 4444, 1357, 2468, 900, 1100, 5000])
LEVELS = np.array([[place >> k & 1 for k in range(4)] for place in range(16)])


def cells(shares):
    return np.prod(np.where(LEVELS == 1, shares, 1 - shares), axis=1)


m, u, prior = np.full(4, 0.9), np.full(4, 0.1), 0.001
print("steps,m0,m1,m2,m3,u0,u1,u2,u3,prior")
for step in range(1, 101):
    of_match, of_other = prior * cells(m), (1 - prior) * cells(u)
    posterior = of_match / (of_match + of_other)
    matches, others = COUNTS * posterior, COUNTS * (1 - posterior)
    m = matches @ LEVELS / matches.sum()
    u = others @ LEVELS / others.sum()
    prior = matches.sum() / COUNTS.sum()
    if step in (1, 10, 100):
        print(",".join([str(step)] + [repr(float(x)) for x in [*m, *u, prior]]))
