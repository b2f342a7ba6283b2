"""Writes generated files: files.py KIND RECORDS FOLDER. The same bytes for the same kind and size.

near          skewed and correlated amounts, the law of `benches/common/data.rs`
independent   two files of independent normal attributes: nobody can be linked
categories    six attributes of 2 to 40 categories, the first of which are frequent
centres       50 records of the near file, eight attributes: where clusterings start
"""

import sys
from pathlib import Path

import numpy
import polars

WIDTH = 13
CATEGORIES = (2, 5, 8, 10, 20, 40)
CENTRES = 50
CLUSTERED = 8


def correlated(n: int) -> polars.DataFrame:
    """Log-normal amounts: two groups of attributes share a factor and have one of their own."""
    rng = numpy.random.default_rng(1)
    factors = rng.standard_normal((3, n))
    columns = {}
    for place in range(WIDTH):
        step = place / (WIDTH - 1)
        share, spread = 0.995 - 0.145 * step, 0.4 + 0.6 * step
        common = 0.8 * factors[0] + 0.6 * factors[1 + place % 2]
        own = numpy.sqrt(1 - share * share) * rng.standard_normal(n)
        amounts = numpy.exp(13.9 - 3.0 * step + spread * (share * common + own))
        columns[f"X{place + 1}"] = numpy.rint(amounts).astype(numpy.int64)
    return polars.DataFrame(columns)


def independent(n: int, seed: int) -> polars.DataFrame:
    """Thirteen attributes that have nothing to do with each other."""
    rng = numpy.random.default_rng(seed)
    values = numpy.rint(numpy.maximum(500_000 + 100_000 * rng.standard_normal((WIDTH, n)), 0))
    return polars.DataFrame({f"X{k + 1}": row.astype(numpy.int64) for k, row in enumerate(values)})


def categories(n: int) -> polars.DataFrame:
    """Categories are the whole parts of `m u²`, u even on 0 to 1: the first is the commonest."""
    rng = numpy.random.default_rng(1)
    columns = {}
    for place, size in enumerate(CATEGORIES):
        codes = (size * rng.random(n) ** 2).astype(int)
        names = numpy.array([f"c{code}" for code in range(size)])
        columns[f"C{place + 1}"] = names[codes]
    return polars.DataFrame(columns)


def write(kind: str, n: int, folder: Path) -> None:
    """Writes the file or files of a kind."""
    if kind == "near":
        correlated(n).write_csv(folder / f"near-{n}.csv")
    elif kind == "independent":
        independent(n, 1).write_csv(folder / f"independent-{n}.csv")
        independent(n, 2).write_csv(folder / f"other-{n}.csv")
    elif kind == "categories":
        categories(n).write_csv(folder / f"categories-{n}.csv")
    elif kind == "centres":
        near = polars.read_csv(folder / f"near-{n}.csv", n_rows=CENTRES)
        near.select(near.columns[:CLUSTERED]).write_csv(folder / f"centres-{n}.csv")
    else:
        sys.exit(f"there are no files of the kind {kind}")


if __name__ == "__main__":
    write(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]))
