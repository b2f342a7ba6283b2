"""What each peer from Python does: peers.py JOB FILES... prints JSON: its seconds, and its answer.

Imports, warming up of compilers and what a peer is given in memory are not in these seconds. Peers
that read files themselves (pandas, polars) read and write within them.
"""

import json
import os
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

THREADS = int(os.environ["OMP_NUM_THREADS"])
#: Of fuzzy clustering.
FUZZINESS, ITERATIONS, CLUSTERED = 2.0, 20, 8
#: Records whose distances to all are in memory at once.
AT_ONCE = 256

Answer = dict[str, float]
Job = Callable[..., tuple[float, Answer]]
JOBS: dict[str, tuple[Job, tuple[str, ...]]] = {}


def job(*packages: str) -> Callable[[Job], Job]:
    """Lists a job under its name, with the packages whose versions are told."""

    def keep(work: Job) -> Job:
        JOBS[work.__name__] = (work, packages)
        return work

    return keep


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds of some work, and what it came to."""
    begin = time.perf_counter()
    result = work()
    return time.perf_counter() - begin, result


def numbers(path: str, known: int | None = None) -> Any:
    """The first attributes of a file, a row a record."""
    import numpy
    import polars

    return numpy.ascontiguousarray(polars.read_csv(path).to_numpy()[:, :known], dtype=float)


def standardised(values: Any) -> Any:
    """Attributes by their own means and standard deviations."""
    return (values - values.mean(axis=0)) / values.std(axis=0, ddof=1)


def of_own_number(nearest: Any) -> Answer:
    """How many records are nearest to the record of their own number."""
    import numpy

    return {"correct": int((numpy.ravel(nearest) == numpy.arange(len(nearest))).sum())}


@job("pandas")
def read_write_pandas(source: str, target: str) -> tuple[float, Answer]:
    import pandas

    return timed(lambda: pandas.read_csv(source).to_csv(target, index=False))[0], {}


@job("polars")
def read_write_polars(source: str, target: str) -> tuple[float, Answer]:
    import polars

    return timed(lambda: polars.read_csv(source).write_csv(target))[0], {}


@job("polars", "numpy")
def noise_polars(source: str, target: str) -> tuple[float, Answer]:
    """Reads, adds noise of a tenth of each variance, rounds as the program does, and writes."""
    import numpy
    import polars

    def work() -> None:
        table, rng = polars.read_csv(source), numpy.random.default_rng()
        columns = {}
        for name in table.columns:
            values = table[name].to_numpy()
            noise = rng.standard_normal(len(values)) * (values.std(ddof=1) * 0.1**0.5)
            columns[name] = numpy.rint(values + noise).astype(numpy.int64)
        polars.DataFrame(columns).write_csv(target)

    return timed(work)[0], {}


@job("pandas")
def classes_pandas(source: str) -> tuple[float, Answer]:
    import pandas

    def work() -> Any:
        table = pandas.read_csv(source)
        return table.groupby(list(table.columns), sort=False).size().to_numpy()

    return with_classes(*timed(work))


@job("polars")
def classes_polars(source: str) -> tuple[float, Answer]:
    import polars

    def work() -> Any:
        table = polars.read_csv(source)
        return table.group_by(table.columns).len()["len"].to_numpy()

    return with_classes(*timed(work))


def with_classes(seconds: float, sizes: Any) -> tuple[float, Answer]:
    return seconds, {"unique": int((sizes == 1).sum()), "below_k_3": int(sizes[sizes < 3].sum())}


@job("polars")
def il1s_polars(original: str, masked: str) -> tuple[float, Answer]:
    """The mean of |x - x'| / (√2 sd) over all cells."""
    import polars

    def work() -> float:
        x, y = polars.read_csv(original), polars.read_csv(masked)
        means = [(x[k] - y[k]).abs().mean() / (2**0.5 * x[k].std()) for k in x.columns]
        return sum(means) / len(means)

    seconds, loss = timed(work)
    return seconds, {"il1s": loss}


@job("scipy")
def ckdtree(original: str, masked: str) -> tuple[float, Answer]:
    from scipy.spatial import cKDTree

    x, y = numbers(original), numbers(masked)

    def work() -> Any:
        return cKDTree(standardised(y)).query(standardised(x), workers=THREADS)[1]

    seconds, found = timed(work)
    return seconds, of_own_number(found)


@job("scipy")
def ckdtree_md0(original: str, masked: str) -> tuple[float, Answer]:
    """Both files whitened by the sum of their covariances."""
    import numpy
    from scipy.spatial import cKDTree

    x, y = numbers(original), numbers(masked)

    def work() -> Any:
        inverse = numpy.linalg.inv(numpy.cov(x, rowvar=False) + numpy.cov(y, rowvar=False))
        root = numpy.linalg.cholesky(inverse)
        return cKDTree(y @ root).query(x @ root, workers=THREADS)[1]

    seconds, found = timed(work)
    return seconds, of_own_number(found)


@job("scipy")
def ckdtree_gower(original: str, masked: str) -> tuple[float, Answer]:
    """Of amounts without gaps Gower's distance is that of city blocks, in units of the ranges."""
    import numpy
    from scipy.spatial import cKDTree

    x, y = numbers(original), numbers(masked)

    def work() -> Any:
        ranges = numpy.maximum(x.max(0), y.max(0)) - numpy.minimum(x.min(0), y.min(0))
        return cKDTree(y / ranges).query(x / ranges, p=1, workers=THREADS)[1]

    seconds, found = timed(work)
    return seconds, of_own_number(found)


@job("anonymeter")
def anonymeter_gower(original: str, masked: str) -> tuple[float, Answer]:
    import anonymeter.evaluators  # noqa: F401  (first: its modules import each other)
    import pandas
    from anonymeter.neighbors.mixed_types_kneighbors import MixedTypeKNeighbors

    x, y = pandas.read_csv(original), pandas.read_csv(masked)

    def search(n: int) -> Any:
        types = {"num": list(x.columns), "cat": []}
        found = MixedTypeKNeighbors(n_neighbors=1, n_jobs=THREADS).fit(y, types)
        return found.kneighbors(x[:n])

    search(2)  # compiles
    seconds, found = timed(lambda: search(len(x)))
    return seconds, of_own_number(found)


@job("scikit-learn")
def sklearn_tree(original: str, masked: str) -> tuple[float, Answer]:
    from sklearn.neighbors import NearestNeighbors

    x, y = numbers(original), numbers(masked)

    def work() -> Any:
        tree = NearestNeighbors(n_neighbors=1, algorithm="kd_tree", n_jobs=THREADS)
        tree.fit(standardised(y))
        return tree.kneighbors(standardised(x), return_distance=False)

    seconds, found = timed(work)
    return seconds, of_own_number(found)


@job("faiss-cpu")
def faiss_flat(original: str, masked: str) -> tuple[float, Answer]:
    """Single precision, one neighbour."""
    import faiss

    x, y = numbers(original), numbers(masked)
    faiss.omp_set_num_threads(THREADS)

    def work() -> Any:
        index = faiss.IndexFlatL2(y.shape[1])
        index.add(standardised(y).astype("float32"))
        return index.search(standardised(x).astype("float32"), 1)[1]

    seconds, found = timed(work)
    return seconds, of_own_number(found)


@job("faiss-cpu")
def faiss_places(original: str, masked: str) -> tuple[float, Answer]:
    """The nearest record, and how many are nearer than the one of the own number: a search does not
    give that, so distances to all, some records at a time."""
    import faiss
    import numpy

    x, y = numbers(original), numbers(masked)
    faiss.omp_set_num_threads(THREADS)

    def work() -> Any:
        seekers, sought = (standardised(file).astype("float32") for file in (x, y))
        nearest, places = [], []
        for start in range(0, len(seekers), AT_ONCE):
            distances = faiss.pairwise_distances(seekers[start : start + AT_ONCE], sought)
            records = numpy.arange(len(distances))
            own = distances[records, start + records]
            nearest.append(distances.argmin(axis=1))
            places.append((distances < own[:, None]).sum(axis=1))
        return numpy.concatenate(nearest), numpy.concatenate(places)

    seconds, (nearest, _) = timed(work)
    return seconds, of_own_number(nearest)


@job("scipy")
def assignment(original: str, masked: str, known: str) -> tuple[float, Answer]:
    """The matrix of squared distances, and the solution."""
    from scipy.optimize import linear_sum_assignment
    from scipy.spatial.distance import cdist

    x, y = numbers(original, int(known)), numbers(masked, int(known))

    def work() -> tuple[Any, float]:
        matrix = cdist(standardised(x), standardised(y), "sqeuclidean")
        rows, found = linear_sum_assignment(matrix)
        return found, matrix[rows, found].sum()

    seconds, (found, cost) = timed(work)
    return seconds, {"cost": cost, **of_own_number(found)}


@job("microagg1d")
def univariate(source: str, k: str) -> tuple[float, Answer]:
    """All attributes, one after the other: groups, and their averages."""
    import numpy
    from microagg1d import univariate_microaggregation

    columns = numbers(source).T.copy()
    univariate_microaggregation(columns[0][: 10 * int(k)], int(k))  # compiles

    def aggregate(values: Any) -> Any:
        groups = univariate_microaggregation(values, int(k))
        return (numpy.bincount(groups, values) / numpy.bincount(groups))[groups]

    seconds, masked = timed(lambda: [aggregate(values) for values in columns])
    lost = [((a - b) ** 2).sum() / ((a - a.mean()) ** 2).sum() for a, b in zip(columns, masked)]
    return seconds, {"sse_sst": float(numpy.mean(lost))}


@job("scikit-fuzzy")
def fuzzy(source: str, centres: str, found_by_us: str) -> tuple[float, Answer]:
    """c-means from the same centres, as many iterations; their first makes memberships of ours."""
    import numpy
    import skfuzzy

    points, start = numbers(source, CLUSTERED), numbers(centres)
    mean, sd = points.mean(axis=0), points.std(axis=0, ddof=1)
    x, start = (points - mean) / sd, (start - mean) / sd
    squared = numpy.stack([((x - centre) ** 2).sum(axis=1) for centre in start])
    shares = numpy.maximum(squared, 1e-30) ** (-1 / (FUZZINESS - 1))
    init = shares / shares.sum(axis=0)
    seconds, (ends, *_) = timed(
        lambda: skfuzzy.cluster.cmeans(
            x.T, len(start), FUZZINESS, error=0, maxiter=ITERATIONS, init=init
        )
    )
    ours = (numbers(found_by_us) - mean) / sd
    return seconds, {"centres differ by": float(numpy.abs(ours - ends).max())}


@job("recordlinkage")
def recordlinkage_ecm(original: str, masked: str) -> tuple[float, Answer]:
    """Every pair compared attribute by attribute, and m, u and the share of matches by EM."""
    import numpy
    import pandas
    import recordlinkage

    x, y = pandas.read_csv(original), pandas.read_csv(masked)

    def work() -> Any:
        pairs = recordlinkage.index.Full().index(x, y)
        compare = recordlinkage.Compare()
        for name in x:
            compare.exact(name, name)
        vectors = compare.compute(pairs, x, y)
        recordlinkage.ECMClassifier(binarize=None).fit(vectors)
        return vectors

    seconds, vectors = timed(work)
    agreeing = numpy.bincount(vectors.to_numpy().astype(int).sum(axis=1), minlength=x.shape[1] + 1)
    return seconds, {"agree in all": int(agreeing[-1]), "in none": int(agreeing[0])}


def splink(
    api: Any, original: str, masked: str, within: float | None = None
) -> tuple[float, Answer]:
    """m by EM over all pairs, u over all pairs; the probabilities of all pairs. Values agree that are
    equal, or `within` so many standard deviations of the original file."""
    import pandas
    import splink.comparison_level_library as levels
    import splink.comparison_library as library
    from splink import Linker, SettingsCreator

    tables = [pandas.read_csv(path) for path in (original, masked)]
    names, n = list(tables[0].columns), len(tables[0])

    def comparison(name: str) -> Any:
        if within is None:
            return library.ExactMatch(name)
        near = levels.AbsoluteDifferenceLevel(name, within * float(tables[0][name].std()))
        return library.CustomComparison([levels.NullLevel(name), near, levels.ElseLevel()], name)

    comparisons = [comparison(name) for name in names]
    for table in tables:
        table.insert(0, "unique_id", range(n))
    settings = SettingsCreator(
        link_type="link_only",
        comparisons=comparisons,
        blocking_rules_to_generate_predictions=["1=1"],
        probability_two_random_records_match=1 / n,
    )

    def work() -> Any:
        linker = Linker([api.register(table) for table in tables], settings, log_level="ERROR")
        linker.training.estimate_u_using_random_sampling(max_pairs=n * n, min_count_per_level=None)
        linker.training.estimate_parameters_using_expectation_maximisation(
            "1=1",
            estimate_without_term_frequencies=True,  # counts patterns once: faster
            fix_probability_two_random_records_match=True,
            max_pairs=n * n,
        )
        linker.inference.predict(threshold_match_probability=0.5)
        return linker

    seconds, linker = timed(work)
    comparisons = linker.misc.save_model_to_json()["comparisons"]
    m = [level["m_probability"] for of in comparisons for level in of["comparison_levels"][1:2]]
    return seconds, {"mean m": sum(m) / len(m)}


def duckdb_api() -> Any:
    import duckdb
    from splink import DuckDBAPI

    connection = duckdb.connect(config={"threads": THREADS})
    connection.execute("SET enable_progress_bar = false")
    return DuckDBAPI(connection)


@job("splink", "duckdb")
def splink_duckdb(original: str, masked: str) -> tuple[float, Answer]:
    return splink(duckdb_api(), original, masked)


@job("splink", "duckdb")
def splink_duckdb_numbers(original: str, masked: str) -> tuple[float, Answer]:
    return splink(duckdb_api(), original, masked, within=0.1)


@job("splink", "pyspark")
def splink_spark(original: str, masked: str) -> tuple[float, Answer]:
    """The session is there before the clock starts."""
    from pyspark.sql import SparkSession
    from splink import SparkAPI

    builder = SparkSession.builder.master(f"local[{THREADS}]")
    builder = builder.config("spark.sql.shuffle.partitions", THREADS)
    builder = builder.config("spark.default.parallelism", THREADS)
    builder = builder.config("spark.driver.memory", "8g").config("spark.ui.enabled", "false")
    session = builder.config("spark.driver.bindAddress", "127.0.0.1").getOrCreate()
    api = SparkAPI(
        spark_session=session, register_udfs_automatically=False, break_lineage_method="persist"
    )
    return splink(api, original, masked)


@job("highspy")
def highs(method: str, original: str, masked: str) -> tuple[float, Answer]:
    import naive

    x, y = standardised(numbers(original)), standardised(numbers(masked))
    seconds, linked = naive.learn(method, x, y)
    return seconds, {"linked": linked}


def main() -> None:
    work, packages = JOBS[sys.argv[1]]
    seconds, answer = work(*sys.argv[2:])
    versions = ", ".join(f"{package} {version(package)}" for package in packages)
    print("\n" + json.dumps({"seconds": seconds, "answer": answer, "version": versions}))


if __name__ == "__main__":
    main()
