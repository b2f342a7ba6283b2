"""Holds what sdcrisk reads of Parquet files, and writes, against pyarrow, pandas and DuckDB.

Files of all types that a table can have are written by pyarrow and DuckDB in the forms that these have (versions, pages, encodings, codecs,
row groups, partitioned folders); sdcrisk writes each as CSV, whose cells must be the values as the documentation spells them, and as Parquet,
which pyarrow and DuckDB must read as the values and types that the file had.

    pip install pyarrow==26.0.1 pandas==3.1.1 duckdb==2.0.0
    python parquet.py target/release/sdcrisk

The program must have the feature parquet, as it has by default. Exit status 1 when a cell differs.
"""

import csv
import datetime
import decimal
import math
import pathlib
import random
import subprocess
import sys
import tempfile

import duckdb
import pandas
import pyarrow
import pyarrow.compute
import pyarrow.dataset
import pyarrow.parquet

PROGRAM = sys.argv[1]
RECORDS = 700
failures = []


def gaps(values, rng, share=0.1):
    return [None if rng.random() < share else value for value in values]


def table(rng):
    """Values of every type, a tenth of them null."""
    n = range(RECORDS)
    day = lambda: datetime.date(1, 1, 1) + datetime.timedelta(days=rng.randrange(3_652_059))
    moment = lambda: datetime.datetime(1970, 1, 1) + datetime.timedelta(
        seconds=rng.randrange(-(10**9), 4 * 10**9), microseconds=rng.choice([0, 0, 250_000, 1])
    )
    words = ["Aachen", "Köln, Stadt", 'say "no"', "two\nlines", "  blanks ", "07", "x" * 300, "’"]
    columns = {
        "i8": pyarrow.array(gaps([rng.randrange(-128, 128) for _ in n], rng), pyarrow.int8()),
        "i16": pyarrow.array(gaps([rng.randrange(-(2**15), 2**15) for _ in n], rng), pyarrow.int16()),
        "i32": pyarrow.array(gaps([rng.randrange(-(2**31), 2**31) for _ in n], rng), pyarrow.int32()),
        "i64": pyarrow.array(gaps([rng.randrange(-(2**63), 2**63) for _ in n], rng), pyarrow.int64()),
        "u8": pyarrow.array(gaps([rng.randrange(2**8) for _ in n], rng), pyarrow.uint8()),
        "u16": pyarrow.array(gaps([rng.randrange(2**16) for _ in n], rng), pyarrow.uint16()),
        "u32": pyarrow.array(gaps([rng.randrange(2**32) for _ in n], rng), pyarrow.uint32()),
        "u64": pyarrow.array(gaps([rng.randrange(2**64) for _ in n], rng), pyarrow.uint64()),
        "f32": pyarrow.array(gaps([rng.gauss(0, 1000) for _ in n], rng), pyarrow.float32()),
        "f64": pyarrow.array(gaps([rng.gauss(0, 1) * 10 ** rng.randrange(-20, 20) for _ in n], rng), pyarrow.float64()),
        "money": pyarrow.array(gaps([decimal.Decimal(rng.randrange(-(10**9), 10**9)).scaleb(-2) for _ in n], rng), pyarrow.decimal128(12, 2)),
        "small": pyarrow.array(gaps([decimal.Decimal(rng.randrange(10**5)).scaleb(-5) for _ in n], rng), pyarrow.decimal128(6, 5)),
        "large": pyarrow.array(gaps([decimal.Decimal(rng.randrange(10**30)).scaleb(-3, decimal.Context(60)) for _ in n], rng), pyarrow.decimal128(38, 3)),
        "flag": pyarrow.array(gaps([rng.random() < 0.5 for _ in n], rng), pyarrow.bool_()),
        "day": pyarrow.array(gaps([day() for _ in n], rng), pyarrow.date32()),
        "ms": pyarrow.array(gaps([moment().replace(microsecond=0) for _ in n], rng), pyarrow.timestamp("ms")),
        "us": pyarrow.array(gaps([moment() for _ in n], rng), pyarrow.timestamp("us")),
        "utc": pyarrow.array(gaps([moment() for _ in n], rng), pyarrow.timestamp("us", tz="UTC")),
        "clock": pyarrow.array(gaps([moment().time() for _ in n], rng), pyarrow.time64("us")),
        "text": pyarrow.array(gaps([rng.choice(words) for _ in n], rng), pyarrow.string()),
        "long": pyarrow.array(gaps([rng.choice(words) for _ in n], rng), pyarrow.large_string()),
        "category": pyarrow.array(gaps([rng.choice(words) for _ in n], rng), pyarrow.string()).dictionary_encode(),
        "code": pyarrow.array(gaps([f"{rng.randrange(100):03}" for _ in n], rng), pyarrow.string()),
        "nothing": pyarrow.array([None for _ in n], pyarrow.string()),
    }
    return pyarrow.table(columns)


def seconds(value):
    text = value.strftime("%H:%M:%S")
    if value.microsecond:
        micros = f"{value.microsecond:06}"
        text += "." + (micros[:3] if micros.endswith("000") else micros)
    return text


def spelled(value, kind):
    """A value as docs/roles-and-rules.md has it; numbers with a fraction are compared as numbers."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime.datetime):
        return f"{value.date().isoformat()}T{seconds(value)}" + ("Z" if value.tzinfo else "")
    if isinstance(value, datetime.time):
        return seconds(value)
    if isinstance(value, decimal.Decimal):
        return f"{value:f}"
    return str(value)


def same_cell(cell, value, kind):
    if not isinstance(value, float):
        return cell == spelled(value, kind)
    if math.isnan(value):
        return cell == ""
    # The digits that Python and numpy need to tell it from its neighbours, wherever the point stands.
    is_float = kind == pyarrow.float32()
    shortest = str(pandas.Series([value], dtype="float32").to_numpy()[0]) if is_float else repr(value)
    return decimal.Decimal(cell) == decimal.Decimal(shortest) and not cell.endswith(".0")


def written(source, target):
    words = [PROGRAM, "mask", "sample", "--fraction", "1", "--seed", "1", "--keep-identifiers", "-q", "-o", target, source]
    ran = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if ran.returncode != 0:
        failures.append(f"{source}: {ran.stderr}")
    return ran.returncode == 0


def check(name, path, expected, folder, types=True):
    """What sdcrisk makes of the file at this path is this table."""
    text = folder / f"{name}.csv"
    if not written(path, text):
        return
    with open(text, newline="", encoding="utf-8") as file:
        read = list(csv.reader(file))
    if read[0] != expected.column_names or len(read) != expected.num_rows + 1:
        failures.append(f"{name}: names or records differ: {read[0]} {len(read) - 1}")
        return
    for place, column in enumerate(expected.column_names):
        kind, values = expected.schema.field(column).type, expected[column].to_pylist()
        for record, value in enumerate(values):
            cell = read[record + 1][place]
            if not same_cell(cell, value, kind):
                failures.append(f"{name}, {column}, record {record + 1}: {cell!r} for {value!r}")
                break
    again = folder / f"{name}.out.parquet"
    if not written(path, again):
        return
    # A file of one row group or of many is one table to both readers.
    by_arrow = pyarrow.parquet.read_table(again)
    by_duckdb = duckdb.sql(f"select * from read_parquet('{again}')").to_arrow_table()
    missing = lambda value: None if value == "" or isinstance(value, float) and math.isnan(value) else value
    for column in expected.column_names:
        kind = expected.schema.field(column).type
        values = [missing(value) for value in expected[column].to_pylist()]
        if by_arrow[column].to_pylist() != values:
            failures.append(f"{name}, {column}: pyarrow reads other values of what was written")
        if by_duckdb[column].to_pylist() != values:
            failures.append(f"{name}, {column}: DuckDB reads other values of what was written")
        plain = kind.value_type if pyarrow.types.is_dictionary(kind) else kind
        plain = pyarrow.string() if pyarrow.types.is_large_string(plain) else plain
        if types and by_arrow.schema.field(column).type != plain:
            failures.append(f"{name}, {column}: {plain} became {by_arrow.schema.field(column).type}")
    if by_arrow.schema.metadata:
        failures.append(f"{name}: metadata was written: {by_arrow.schema.metadata}")


def main():
    rng = random.Random(18)
    plain = table(rng)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        forms = {
            "default": {},
            "pages-2": dict(data_page_version="2.0", compression="zstd"),
            "checksums": dict(write_page_checksum=True, compression="none", use_dictionary=False),
            "version-1": dict(version="2.4", compression="gzip", row_group_size=100),
            "no-dictionary": dict(use_dictionary=False, compression="lz4", data_page_size=500),
            "differences": dict(
                use_dictionary=False,
                compression="none",
                column_encoding={
                    "text": "DELTA_BYTE_ARRAY",
                    "long": "DELTA_LENGTH_BYTE_ARRAY",
                    "i32": "DELTA_BINARY_PACKED",
                    "i64": "DELTA_BINARY_PACKED",
                    "f64": "BYTE_STREAM_SPLIT",
                    "f32": "BYTE_STREAM_SPLIT",
                },
            ),
            "differences-2": dict(
                use_dictionary=False,
                data_page_version="2.0",
                row_group_size=300,
                column_encoding={"text": "DELTA_BYTE_ARRAY", "long": "DELTA_LENGTH_BYTE_ARRAY", "u64": "DELTA_BINARY_PACKED"},
            ),
        }
        for form, options in forms.items():
            path = folder / f"{form}.parquet"
            pyarrow.parquet.write_table(plain, path, **options)
            check(form, path, plain, folder)
        damaged(folder / "checksums.parquet", folder)
        legacy = plain.select(["us", "ms", "i8"])
        path = folder / "int96.parquet"
        pyarrow.parquet.write_table(legacy, path, use_deprecated_int96_timestamps=True)
        check("int96", path, legacy, folder, types=False)
        path = folder / "pandas.parquet"
        frame = plain.select(["i32", "f64", "text", "flag", "category"]).to_pandas()
        frame.to_parquet(path)
        check("pandas", path, pyarrow.parquet.read_table(path), folder, types=False)
        connection = duckdb.connect()
        # Differences of whole numbers of 32 bits that need 33 are written by DuckDB 2.0 in a way that pyarrow cannot read either.
        for column in ["i32", "u32"]:
            quarter = pyarrow.compute.divide(plain[column], 4)
            plain = plain.set_column(plain.schema.get_field_index(column), column, quarter)
        connection.register("plain", plain)
        for codec in ["snappy", "zstd", "gzip", "lz4_raw", "uncompressed"]:
            for version in ["v1", "v2"]:
                path = folder / f"duckdb-{codec}-{version}.parquet"
                connection.execute(
                    f"copy plain to '{path}' (format parquet, codec {codec}, parquet_version {version}, row_group_size 2048)"
                )
                there = connection.sql(f"select * from '{path}'").to_arrow_table()
                check(f"duckdb-{codec}-{version}", path, there, folder, types=False)
        partitioned(plain, connection, folder, rng)
    for failure in failures:
        print(failure)
    if failures:
        sys.exit(1)
    print("all cells are the same")


def damaged(path, folder):
    """A value that was changed is found out by the checksum of its page."""
    content = bytearray(path.read_bytes())
    at = content.index("Köln".encode())
    content[at] ^= 1
    changed = folder / "changed.parquet"
    changed.write_bytes(content)
    ran = subprocess.run([PROGRAM, "describe", str(changed)], capture_output=True, text=True)
    if ran.returncode != 3 or "is damaged" not in ran.stderr:
        failures.append(f"changed: not refused: {ran.returncode} {ran.stderr}")


def partitioned(plain, connection, folder, rng):
    """Folders as pyarrow and DuckDB write them: the records of the parts, whose paths say one attribute."""
    regions = [rng.choice(["03", "a/b", "x=y", "é", None]) for _ in range(RECORDS)]
    parts = plain.select(["i32", "text", "code"]).append_column("region", pyarrow.array(regions, pyarrow.string()))
    by_arrow = folder / "arrow"
    pyarrow.dataset.write_dataset(
        parts,
        by_arrow,
        format="parquet",
        partitioning=pyarrow.dataset.partitioning(pyarrow.schema([("region", pyarrow.string())]), flavor="hive"),
        max_rows_per_file=100,
        max_rows_per_group=50,
    )
    by_duckdb = folder / "duckdb"
    connection.register("parts", parts)
    connection.execute(f"copy parts to '{by_duckdb}' (format parquet, partition_by (region))")
    key = lambda record: tuple("" if value is None else str(value) for value in record)
    wanted = sorted(map(key, zip(*(parts[column].to_pylist() for column in parts.column_names))))
    for path in (by_arrow, by_duckdb):
        (path / "_SUCCESS").write_text("")
        text = folder / f"{path.name}.csv"
        if not written(path, text):
            continue
        with open(text, newline="", encoding="utf-8") as file:
            names, *records = csv.reader(file)
        if names != parts.column_names:
            failures.append(f"{path.name}: the names are {names}")
        if sorted(map(tuple, records)) != wanted:
            failures.append(f"{path.name}: other records")


if __name__ == "__main__":
    main()
