"""The rows of the table: what the project does, on which files, and what each peer does."""

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
#: Attributes of `near` that clusterings and groups of several attributes see.
CLUSTERED, GROUPED = "1-8", "1-6"

Figures = dict[str, float]


@dataclass(frozen=True)
class Peer:
    """Another program: a job of `peers.py`, `sdcmicro.R` or `Arx.java`, and its files."""

    name: str
    language: str
    job: str
    words: str
    #: It writes what it made of the file to {theirs}.
    masks: bool = False

    def command(self, python: str) -> list[str]:
        """The words before the files."""
        if self.language == "R":
            return ["Rscript", str(HERE / "sdcmicro.R"), self.job]
        if self.language == "Java":
            libraries = os.environ["ARX_CLASSPATH"]
            return ["java", "-cp", libraries, str(HERE / "Arx.java"), self.job]
        return [python, str(HERE / "peers.py"), self.job]

    def missing(self) -> str | None:
        """Why it cannot be had here, as far as that can be told without starting it."""
        if self.language == "R" and not shutil.which("Rscript"):
            return "not available here: no Rscript"
        if self.language == "Java" and not shutil.which("java"):
            return "not available here: no java"
        if self.language == "Java" and "ARX_CLASSPATH" not in os.environ:
            return "not available here: ARX_CLASSPATH is not set"
        return None


@dataclass(frozen=True)
class Job:
    """A row, or as many as it has peers."""

    part: str
    name: str
    #: The call of the program; {near} and the like are files of the size in question.
    words: str
    #: The stage of `--timings` that counts; without one it is the whole process.
    stage: str | None
    peers: tuple[Peer, ...] = ()
    #: What the report on standard output says that peers say, too.
    answer: Callable[[Any], Figures] | None = None
    #: For maskings: what both masked files are compared by, a measure of `loss`, and the original.
    loss: tuple[str, str] | None = None
    #: The same file whatever the size: shown in the first column.
    only_once: bool = False


def python(name: str, job: str, words: str, masks: bool = False) -> Peer:
    return Peer(name, "Python", job, words, masks)


def sdcmicro(function: str, job: str, words: str, masks: bool = False) -> Peer:
    return Peer(f"sdcMicro {function}", "R", job, words, masks)


def first(report: Any) -> Any:
    return report["results"][0]


def correct(report: Any) -> Figures:
    return {"correct": first(report)["correct"]["fair"]}


def assigned(report: Any) -> Figures:
    return {"cost": first(report)["assignment"]["cost"], **correct(report)}


def patterns(report: Any) -> Figures:
    """Pairs that agree in all attributes, and in none."""
    pairs = {row["pattern"]: row["pairs"] for row in first(report)["model"]["patterns"]}
    return {
        "agree in all": sum(n for pattern, n in pairs.items() if "0" not in pattern),
        "in none": sum(n for pattern, n in pairs.items() if "1" not in pattern),
    }


def mean_m(report: Any) -> Figures:
    m = first(report)["model"]["m"].values()
    return {"mean m": sum(m) / len(m)}


def linked(report: Any) -> Figures:
    return {"linked": first(report)["correct"]["strict"]}


def measures(*keys: str) -> Callable[[Any], Figures]:
    return lambda report: {key: report["measures"][key] for key in keys}


def masking(name: str, words: str, *peers: Peer, loss: str = "sse_sst", of: str = "near") -> Job:
    """A masking as a whole process, from file to file."""
    call = f"mask {words} --seed 1 -o {{ours}} {{{of}}}"
    return Job("Masking (whole process)", name, call, None, peers, loss=(loss, of))


def attack(name: str, words: str, *peers: Peer, **more: Any) -> Job:
    """An attack without reading: what peers are given in memory."""
    method = words.split()[0]
    files = more.pop("files", "{near} {swapped}")
    more.setdefault("answer", correct)
    call = f"link --format json --method {words} {files}"
    return Job("Attacks (the stage)", name, call, method, peers, **more)


NEAR, OTHER = "{near} {swapped}", "{independent} {other}"
CATEGORIES, LEARNED = "{categories} {pram}", "{learned} {averaged}"
AVERAGES = "{near} {groups_of_ten}"

JOBS = (
    Job(
        "Reading and writing (whole process)",
        "read, check, write 13 attributes",
        "mask recode --rules {rules} -o {ours} {near}",
        None,
        (
            python("polars", "read_write_polars", "{near} {theirs}"),
            python("pandas", "read_write_pandas", "{near} {theirs}"),
        ),
    ),
    masking(
        "rankswap, p = 2",
        "rankswap --p 2",
        sdcmicro("rankSwap", "rankswap", "{near} {theirs}", True),
    ),
    masking("pdistribution, p = 2", "pdistribution --p 2"),
    masking("pbuckets, p = 50", "pbuckets --p 50"),
    masking(
        "noise, level 0.1",
        "noise --level 0.1",
        sdcmicro("addNoise", "noise", "{near} {theirs}", True),
        python("polars and numpy", "noise_polars", "{near} {theirs}", True),
    ),
    masking(
        "microagg, MDAV, 6 attributes, k = 3",
        f"microagg --k 3 --attributes {GROUPED}",
        sdcmicro("mdav", "mdav", "{near} {theirs}", True),
    ),
    masking("copula, mu 3", "copula --mu 3"),
    masking(
        # sdcMicro draws the shares that are kept from 0.8 to 1.
        "pram, 6 attributes, keep 90 %, invariant",
        "pram --keep 0.9 --invariant",
        sdcmicro("pram", "pram", "{categories} {theirs}", True),
        loss="changed",
        of="categories",
    ),
    masking(
        "suppress, key of 6, k = 3",
        "suppress --k 3 --key 1-6",
        sdcmicro("localSuppression", "suppress", "{categories} {theirs}", True),
        Peer("ARX, local recoding", "Java", "suppress", "{categories} {theirs}", True),
        loss="suppressed",
        of="categories",
    ),
    Job(
        "Masking (the stage)",
        "microagg, each of 13 attributes optimally, k = 3",
        "mask microagg --k 3 --algorithm individual-ranking --decimals full -o {ours} {near}",
        "microagg",
        (python("microagg1d", "univariate", "{near} 3"),),
        loss=("sse_sst", "near"),
    ),
    Job(
        "Masking (the stage)",
        "fuzzy, 8 attributes, 50 clusters, 20 iterations",
        "mask fuzzy --m1 2 --m2 2 --tolerance 0 --max-iterations 20 --seed 1 "
        f"--attributes {CLUSTERED} --init-centres {{centres}} --centres {{ends}} "
        "-o {ours} {near}",
        "fuzzy",
        (python("scikit-fuzzy", "fuzzy", "{near} {centres} {ends}"),),
    ),
    attack(
        "am, 13 known",
        "am",
        python("scipy cKDTree", "ckdtree", NEAR),
        python("scikit-learn NearestNeighbors, k-d tree", "sklearn_tree", NEAR),
        python("FAISS flat", "faiss_flat", NEAR),
    ),
    attack(
        "am, independent files",
        "am",
        python("FAISS flat", "faiss_flat", OTHER),
        files=OTHER,
    ),
    attack(
        "am, independent files, --links with the partner's place",
        "am --links {links}",
        python("FAISS, distances to all", "faiss_places", OTHER),
        files=OTHER,
    ),
    attack("md0, 13 known", "md0", python("scipy cKDTree, whitened", "ckdtree_md0", NEAR)),
    attack(
        "gower, 13 known",
        "gower",
        python("scipy cKDTree, city blocks", "ckdtree_gower", NEAR),
        python("anonymeter", "anonymeter_gower", NEAR),
    ),
    attack("kernel poly, 13 known", "kernel"),
    attack("rsld, 7 known", "rsld --p 2 --known first:7"),
    attack("likelihood, 7 known", "likelihood --p 2 --known first:7"),
    attack("involution, 7 known", "involution --p 2 --known first:7"),
    attack("kernel poly, 6 categories", "kernel", files=CATEGORIES),
    attack(
        "likelihood, 6 categories",
        "likelihood --statement {pram_statement}",
        files=CATEGORIES,
    ),
    attack(
        "prl, 6 categories, m, u and share by EM",
        "prl --agree exact --fit em",
        python("recordlinkage ECM", "recordlinkage_ecm", CATEGORIES),
        files=CATEGORIES,
        answer=patterns,
    ),
    attack(
        "prl, 6 categories, m by EM",
        "prl --agree exact",
        python("Splink, DuckDB", "splink_duckdb", CATEGORIES),
        python("Splink, Spark", "splink_spark", CATEGORIES),
        files=CATEGORIES,
        answer=mean_m,
    ),
    attack(
        "prl, 13 numbers within .1 sd, m by EM",
        "prl",
        python("Splink, DuckDB", "splink_duckdb_numbers", NEAR),
        answer=mean_m,
    ),
    attack(
        "am one-to-one, 7 known",
        "am --assign one-to-one --known first:7",
        python("scipy linear_sum_assignment", "assignment", NEAR + " 7"),
        answer=assigned,
    ),
    attack(
        "am one-to-one, averages of ten, 13 known",
        "am --assign one-to-one",
        python("scipy linear_sum_assignment", "assignment", AVERAGES + " 13"),
        files=AVERAGES,
        answer=assigned,
    ),
    attack(
        "gower one-to-one, 13 known",
        "gower --assign one-to-one",
        sdcmicro("recordLinkage", "linkage", NEAR),
        answer=assigned,
    ),
    attack(
        "wm learned, 400 records",
        "wm",
        python("HiGHS, program of the literature", "highs", "wm " + LEARNED),
        files=LEARNED,
        answer=linked,
        only_once=True,
    ),
    attack(
        "ci learned, 400 records",
        "ci",
        python("HiGHS, program of the literature", "highs", "ci " + LEARNED),
        files=LEARNED,
        answer=linked,
        only_once=True,
    ),
    Job(
        "Loss and risk (whole process)",
        "loss, IL1s of 13 attributes",
        "loss --measures il1s --format json {near} {swapped}",
        None,
        (
            python("polars", "il1s_polars", NEAR),
            sdcmicro("dUtility", "loss", NEAR),
        ),
        measures("il1s"),
    ),
    Job(
        "Loss and risk (whole process)",
        "loss, all measures",
        "loss --format json {near} {swapped}",
        None,
        (),
        measures("il1s"),
    ),
    Job(
        "Loss and risk (whole process)",
        "risk, classes of a key of 6",
        "risk --key 1-6 --msu-size 0 --format json {categories}",
        None,
        (
            python("polars", "classes_polars", "{categories}"),
            python("pandas", "classes_pandas", "{categories}"),
            sdcmicro("measure_risk", "risk", "{categories}"),
            Peer("ARX, risk estimator", "Java", "risk", "{categories}"),
        ),
        measures("unique", "below_k_3"),
    ),
    Job(
        "Loss and risk (whole process)",
        "risk, minimal uniques of a key of 6",
        "risk --key 1-6 --format json {categories}",
        None,
        (sdcmicro("suda2", "uniques", "{categories}"),),
        measures("suda_records"),
    ),
)
