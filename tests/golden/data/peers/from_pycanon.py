"""What pyCANON says of reference files: writes pycanon.json.

    pip install pycanon==1.3.6
    python from_pycanon.py PROJECT REFERENCE_FILES > pycanon.json

PROJECT is the folder of the project (synthetic-census.csv is in its data/), REFERENCE_FILES the folder of testdata.csv and francdat.csv (from
the R package sdcMicro). A sensitive attribute named in `nominal`
is given to pyCANON as text, so that it takes the equal distance; else as numbers, so that it takes the ordered distance.

Differences of definition, as far as read in the program:
- entropy l-diversity is cut to a whole number (int(exp(entropy))), and so is at most the figure, possibly one less by rounding; the
  figure itself is computed here, from pyCANON's own equivalence classes, as `entropy_l_exact`.
- recursive (c, l): pyCANON sorts the counts of a class ascending and divides the *smallest* by the sum from the l-th on, while the
  definition (Machanavajjhala et al. 2007) divides the largest; c is the next whole number above. It is recorded, not comparable.
  `recursive_c_exact` is the least upper end of c by the definition: the greatest r_1 / (r_l + ... + r_m) over pyCANON's classes, for pyCANON's
  l; the file is recursively (c, l)-diverse for every c above it.
- a missing quasi-identifier (rent and interest of synthetic-census.csv) is a value of its own: it matches missing ones only.
"""

import json
import math
import os
import platform
import sys
from importlib.metadata import version

import numpy
import pandas
from pycanon import anonymity
from pycanon.anonymity.utils.aux_anonymity import get_equiv_class
from pycanon.metrics import average_rir, max_rir

SEVEN = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]
# file, quasi-identifiers, sensitive attribute, is it nominal
CASES = [
    ("testdata.csv", SEVEN, "hhcivil", True),
    ("testdata.csv", SEVEN + ["age"], "hhcivil", True),
    ("testdata.csv", SEVEN, "age", False),
    ("testdata.csv", ["urbrur", "sex"], "hhcivil", True),
    ("testdata.csv", ["urbrur", "sex"], "age", False),
    ("testdata.csv", ["urbrur", "sex"], "water", False),
    ("testdata.csv", ["sex", "hhcivil"], "roof", True),
    ("testdata.csv", ["roof", "sex"], "age", False),
    ("francdat.csv", ["Key1", "Key2", "Key3", "Key4"], "Num3", False),
    ("francdat.csv", ["Key2"], "Key3", True),
    ("francdat.csv", ["Key3"], "Key4", False),
    ("francdat.csv", ["Key2", "Key3"], "Num1", False),
    ("synthetic-census.csv", ["sex", "education", "interest", "rent"], "region", True),
    ("synthetic-census.csv", ["sex", "rent"], "education", False),
]


def exact(data, keys, sensitive, l):
    least, most = math.inf, 0.0
    for records in get_equiv_class(data, keys):
        counts = sorted(data.iloc[records][sensitive].value_counts(), reverse=True)
        shares = [count / sum(counts) for count in counts]
        least = min(least, math.exp(-math.fsum(p * math.log(p) for p in shares)))
        if l > 1:
            most = max(most, counts[0] / sum(counts[l - 1 :]))
    return least, most if l > 1 else None


cases = []
for file, keys, sensitive, nominal in CASES:
    bundled = os.path.join(sys.argv[1], "data", file)
    data = pandas.read_csv(bundled if os.path.exists(bundled) else os.path.join(sys.argv[2], file))
    if nominal:
        data[sensitive] = data[sensitive].astype(str)
    sizes = pandas.Series([len(records) for records in get_equiv_class(data, keys)])
    c, l = anonymity.recursive_c_l_diversity(data, keys, [sensitive])
    entropy, recursive = exact(data, keys, sensitive, l)
    cases.append(
        {
            "file": file,
            "quasi_identifiers": keys,
            "sensitive": sensitive,
            "distance": "equal" if nominal else "ordered",
            "k_anonymity": int(anonymity.k_anonymity(data, keys)),
            "classes": len(sizes),
            "unique": int((sizes == 1).sum()),
            "below_k_2": int(sizes[sizes < 2].sum()),
            "below_k_3": int(sizes[sizes < 3].sum()),
            "below_k_5": int(sizes[sizes < 5].sum()),
            "average_class_risk": float(average_rir(data, keys)),
            "max_risk": float(max_rir(data, keys)),
            "l_diversity": int(anonymity.l_diversity(data, keys, [sensitive])),
            "entropy_l_diversity": int(anonymity.entropy_l_diversity(data, keys, [sensitive])),
            "entropy_l_exact": entropy,
            "recursive_c_pycanon": None if math.isnan(c) else int(c),
            "recursive_l": int(l),
            "recursive_c_exact": recursive,
            "t_closeness": float(anonymity.t_closeness(data, keys, [sensitive])),
        }
    )
document = {
    "tool": "pyCANON",
    "version": version("pycanon"),
    "call": "pycanon.anonymity.{k_anonymity, l_diversity, entropy_l_diversity, recursive_c_l_diversity, t_closeness}(data, quasi_identifiers, [sensitive])",
    "made_by": "from_pycanon.py PROJECT REFERENCE_FILES",
    "python": platform.python_version(),
    "numpy": numpy.__version__,
    "pandas": pandas.__version__,
    "cases": cases,
}
print(json.dumps(document, indent=1))
