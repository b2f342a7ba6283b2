"""Reads the CSV files of other projects' tests with sdcrisk, pandas and DuckDB, and compares.

Where pandas and DuckDB read the same table, sdcrisk must read it too, cell for cell, or refuse it with a reason; and it must never end by a
panic. Files of others are not part of the project: clone the repositories below into a folder, and name it. Each file is read as `describe`
reads it; its cells are then seen by writing each attribute alone (`mask sample` of all records). Where the first line may be a record,
sdcrisk asks, and the comparison says `--header`, as pandas and DuckDB assume.

    pip install pandas==3.1.1 duckdb==2.0.0
    for of in duckdb/duckdb wireservice/csvkit frictionlessdata/frictionless-py tidyverse/readr \\
              mafintosh/csv-parser max-mapper/csv-spectrum alan-turing-institute/CleverCSV; do
        git clone --depth 1 https://github.com/$of clones/$of
    done
    python public_csv.py target/release/sdcrisk clones

Exit status 1 when a file is misread or ends by a panic.
"""

import collections
import csv
import io
import json
import pathlib
import subprocess
import sys

import duckdb
import pandas

#: Larger files are left out, and of wide ones so many attributes are looked at: each is a run.
LARGEST = 300_000
ATTRIBUTES = 100

csv.field_size_limit(10**9)


def run(*words):
    return subprocess.run(words, capture_output=True, timeout=120)


def by_pandas(path, encoding, delimiter):
    """The cells as text, or None where pandas refuses or takes the first column for an index."""
    try:
        read = pandas.read_csv(
            path,
            sep=delimiter,
            engine="python" if delimiter is None else "c",
            dtype=str,
            keep_default_na=False,
            na_filter=False,
            encoding=encoding,
        )
    except Exception:
        return None
    if not isinstance(read.index, pandas.RangeIndex):
        return None
    return [list(record) for record in read.itertuples(index=False, name=None)]


def by_duckdb(path, encoding):
    """The cells as text, by DuckDB's own guess of the dialect, or None where it refuses."""
    try:
        found = duckdb.connect().execute(
            "select * from read_csv(?, all_varchar = true, header = true, encoding = ?)",
            [str(path), "utf-8" if encoding == "utf-8" else "latin-1"],
        )
        return [["" if cell is None else cell for cell in record] for record in found.fetchall()]
    except Exception:
        return None


def agreed(path, encoding):
    """What both read, or None."""
    second = by_duckdb(path, encoding)
    if second:
        for delimiter in (None, ","):
            if by_pandas(path, encoding, delimiter) == second:
                return second
    return None


def written(program, path, header, described, place):
    """The cells of an attribute as sdcrisk writes them, or what it says instead."""
    names = [attribute["name"] for attribute in described["attributes"]]
    # A name can be a number, which is then not a place.
    by_name = len(set(names)) == len(names) and not any(set(name) & set(',"\n') for name in names)
    if not by_name and any(name.isdigit() for name in names):
        return None, "names that are numbers, twice or with commas: no list can say which are dropped"
    others = names if by_name else [str(other + 1) for other in range(len(names))]
    drop = ",".join(other for at, other in enumerate(others) if at != place)
    out = run(
        program, "mask", "sample", "--n", str(described["records"]), "--keep-identifiers", "--quiet",
        *header, *(["--drop", drop] if drop else []), "--output", "-", str(path),
    )
    if out.returncode:
        return None, out.stderr.decode(errors="replace")
    encoding = described["dialect"]["encoding"]
    text = out.stdout.decode("utf-8" if encoding == "utf-16" else encoding, errors="replace")
    # One attribute has no delimiter; lines above the table stay blank.
    lines = io.StringIO(text.removeprefix("\ufeff").lstrip("\r\n"), newline="")
    rows = csv.reader(lines, delimiter="\x1f")
    return [row[0] if row else "" for row in rows][1:], ""


def compare(program, path):
    """One word for what happened, and more about it."""
    header = []
    out = run(program, "describe", "--format", "json", str(path))
    if out.returncode < 0 or out.returncode == 101 or b"panicked" in out.stderr:
        return "panic", out.stderr.decode(errors="replace")
    encoding = "utf-8"
    if out.returncode == 0:
        encoding = json.loads(out.stdout)["dialect"]["encoding"].replace("windows-1252", "cp1252")
    table = agreed(path, encoding)
    if table is None:
        return "pandas and DuckDB do not agree", ""
    if out.returncode:
        return "refused", out.stderr.decode(errors="replace").splitlines()[0]
    described = json.loads(out.stdout)
    if not described["dialect"]["header"] or b"may hold names or a record" in run(
        program, "mask", "sample", "--n", "1", "--output", "-", str(path)
    ).stderr:
        header = ["--header"]
        described = json.loads(run(program, "describe", "--header", "--format", "json", str(path)).stdout)
    shape = [described["records"], len(described["attributes"])]
    if shape != [len(table), len(table[0])]:
        return "misread", f"{shape} where pandas and DuckDB see {[len(table), len(table[0])]}"
    for place in range(0, shape[1], -(-shape[1] // ATTRIBUTES)):
        cells, refusal = written(program, path, header, described, place)
        if cells is None:
            return "not written", refusal.splitlines()[0]
        wanted = [record[place] for record in table]
        if [cell.strip() for cell in cells] != [cell.strip() for cell in wanted]:
            return "misread", f"attribute {place + 1}"
    return "asked for the header, then the same" if header else "the same", ""


def main():
    program, folder = sys.argv[1:]
    found = collections.Counter()
    for path in sorted(pathlib.Path(folder).rglob("*")):
        if not path.is_file() or path.suffix.lower() not in (".csv", ".tsv"):
            continue
        if not 0 < path.stat().st_size <= LARGEST:
            continue
        word, more = compare(program, path)
        found[word] += 1
        if more:
            print(f"{word}: {path.name}: {more}")
    print(dict(found))
    sys.exit(bool(found["misread"] or found["panic"]))


if __name__ == "__main__":
    main()
