"""The project and each peer on the same files in the same run: writes benches/RESULTS.md.

`results.sh` beside this folder starts it, and says what it needs.
"""

import argparse
import csv
import json
import os
import re
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import report
from processes import Run, run
from rows import HERE, JOBS, Figures, Job, Peer

PROJECT = HERE.parents[2]
#: A run that takes longer, warming up included, is not repeated.
LONG = 3.0
#: Masked files of more records are not compared by their loss.
COMPARED = 100_000
NO_TIME = "not run: no time left"
#: Attributes of `learned`, as the literature masked them (its file M4-33).
LEARNED = ("--group", "AFNLWGT,AGI:3", "--group", "EMCONTRB,FEDTAX:3")


@dataclass
class Measured:
    """What one program took for one job on files of one size."""

    seconds: list[float] = field(default_factory=list)
    #: Of a peer whose whole process counts: seconds without its start, its imports and the like.
    work: list[float] = field(default_factory=list)
    #: Seconds of the longest run, with all that is not counted.
    longest: float = 0.0
    megabytes: float = 0.0
    answer: Figures = field(default_factory=dict)
    version: str = ""
    #: Why there are no seconds.
    failure: str | None = None


class Race:
    """Files, limits, and what has been measured."""

    def __init__(self, options: argparse.Namespace):
        self.options = options
        self.folder = Path(options.folder).resolve()
        self.folder.mkdir(parents=True, exist_ok=True)
        self.end = time.monotonic() + (options.total or float("inf"))
        threads = {"OMP", "OPENBLAS", "POLARS_MAX", "NUMBA", "NUMEXPR", "RAYON", "MKL"}
        names = {f"{name}_NUM_THREADS".replace("MAX_NUM", "MAX") for name in threads}
        self.environment = os.environ | {name: str(options.threads) for name in names}
        self.environment |= {"NUMBA_CACHE_DIR": str(self.folder / "numba")}
        #: By job, program ("" is the project) and records.
        self.measured: dict[tuple[str, str, int], Measured] = {}

    def ours(self, words: list[str]) -> list[str]:
        call = [self.options.program, *words, "--threads", str(self.options.threads)]
        return [*call, "--timings"]

    def make(self, kind: str, n: int) -> Path:
        """A file of so many records, made when it is first asked for."""
        if kind == "pram_statement":
            masked = self.folder / f"pram-{n}.csv"
            statement = masked.with_suffix(".sdc.json")
            if not statement.exists():
                # A file that was kept from before statements were written.
                masked.unlink(missing_ok=True)
                self.make("pram", n)
            return statement
        path = self.folder / f"{kind}-{n}.csv"
        if path.exists():
            return path
        maskings = {
            "swapped": ("near", ["rankswap", "--p", "2", "--seed", "1"]),
            "groups_of_ten": ("near", ["microagg", "--k", "10"]),
            "pram": ("categories", ["pram", "--keep", "0.9", "--seed", "1"]),
            "averaged": ("learned", ["microagg", "--scale", "none", *LEARNED]),
        }
        if kind == "learned":
            self.make_learned(path)
        elif kind in maskings:
            origin, words = maskings[kind]
            call = ["mask", *words, "-o", str(path), str(self.make(origin, n))]
            if kind == "pram":
                call += ["--statement", str(path.with_suffix(".sdc.json"))]
            subprocess.run([self.options.program, "--quiet", *call], check=True)
        else:
            if kind == "centres":
                self.make("near", n)
            of = "independent" if kind == "other" else kind
            script = [sys.executable, str(HERE / "files.py")]
            subprocess.run([*script, of, str(n), str(self.folder)], check=True)
        return path

    def make_learned(self, path: Path) -> None:
        """Four attributes of 400 records of the Census file."""
        with open(PROJECT / "data" / "census.csv", newline="") as file:
            records = list(csv.reader(file))
        chosen = (PROJECT / "data" / "plans" / "learned-records.txt").read_text().split()
        with open(path, "w", newline="") as file:
            csv.writer(file).writerows(records[place][:4] for place in [0, *map(int, chosen)])

    def filled(self, words: str, n: int) -> list[str]:
        """The words of a call with paths for the names in braces."""
        made = {"ours", "theirs", "ends", "links"}
        rules = self.folder / "rules.toml"
        rules.write_text("[X1]\ntop = 1e15\n")

        def path(match: re.Match[str]) -> str:
            kind = match[1]
            if kind == "rules":
                return str(rules)
            if kind in made:
                return str(self.folder / f"{kind}.csv")
            return str(self.make(kind, n))

        return [re.sub(r"\{(\w+)\}", path, word) for word in words.split()]

    def start(self, command: list[str]) -> Run:
        limits = self.options.limit, self.options.memory * 1000
        return run(command, *limits, self.environment)

    def race(self, job: Job, n: int) -> None:
        """All rounds of a job on files of one size, the programs in turns."""
        programs: list[Peer | None] = [None]
        programs += [peer for peer in job.peers if self.is_worth_it(job, peer, n)]
        if not self.is_worth_it(job, None, n):
            programs.remove(None)
        for place in range(self.options.rounds):
            for peer in programs:
                found = self.entry(job, peer, n)
                if found.failure or (place and found.longest > LONG):
                    continue
                if time.monotonic() > self.end:
                    found.failure = found.failure if found.seconds else NO_TIME
                    continue
                self.measure(job, peer, n, found)
        shown = ", ".join(self.told(job, peer, n) for peer in [None, *job.peers])
        print(f"{n:>9} {job.name}: {shown}", file=sys.stderr, flush=True)

    def told(self, job: Job, peer: Peer | None, n: int) -> str:
        found = self.entry(job, peer, n)
        name = peer.name if peer else "ours"
        return f"{name} {found.failure or f'{statistics.median(found.seconds):.3f} s'}"

    def entry(self, job: Job, peer: Peer | None, n: int) -> Measured:
        key = job.name, peer.name if peer else "", n
        return self.measured.setdefault(key, Measured())

    def is_worth_it(self, job: Job, peer: Peer | None, n: int) -> bool:
        """Whether to start a program: not if it is not there, failed on fewer records, or cannot
        end in time if it takes but ten times as long for ten times as many records."""
        found = self.entry(job, peer, n)
        if time.monotonic() > self.end:
            found.failure = NO_TIME
        elif peer and peer.missing():
            found.failure = peer.missing()
        smaller = [size for size in self.options.sizes if size < n]
        for size in [] if job.only_once else smaller:
            before = self.entry(job, peer, size)
            if before.failure and not before.failure.startswith("not "):
                found.failure = before.failure.removesuffix("*") + "*"
            elif before.seconds and size == smaller[-1]:
                # In far smaller files the start is most of it.
                expected = statistics.median(before.work or before.seconds) * n / size
                if expected > self.options.limit:
                    found.failure = f">{self.options.limit:.0f} s*"
        return found.failure is None

    def measure(self, job: Job, peer: Peer | None, n: int, found: Measured) -> None:
        """One run of a program, added to what was found."""
        if peer:
            command = [*peer.command(sys.executable), *self.filled(peer.words, n)]
        else:
            command = self.ours(self.filled(job.words, n))
        ended = self.start(command)
        found.longest = max(found.longest, ended.seconds)
        found.megabytes = max(found.megabytes, ended.megabytes)
        found.failure = ended.stopped
        if ended.stopped:
            return
        if ended.status:
            found.failure = failure(ended)
            return
        if peer:
            told = json.loads(ended.output.splitlines()[-1])
            if job.stage:
                found.seconds.append(told["seconds"])
            else:
                found.seconds.append(ended.seconds)
                found.work.append(told["seconds"])
            found.version, answer = told["version"], told["answer"]
        else:
            found.seconds.append(seconds_of(ended, job.stage))
            answer = job.answer(json.loads(ended.output)) if job.answer else {}
        if not found.answer:
            masked = "theirs" if peer and peer.masks else "ours"
            if job.loss and n <= COMPARED and (not peer or peer.masks):
                answer = self.loss(*job.loss, masked, n)
            found.answer = answer

    def loss(self, measure: str, origin: str, masked: str, n: int) -> Figures:
        """What a masked file lost, by the project's own measure."""
        paths = [str(self.make(origin, n)), str(self.folder / f"{masked}.csv")]
        call = ["--quiet", "loss", "--measures", measure, "--format", "json", *paths]
        output = subprocess.run([self.options.program, *call], check=True, capture_output=True)
        return {measure: json.loads(output.stdout)["measures"][measure]}


def seconds_of(ended: Run, stage: str | None) -> float:
    """Of the whole process, or of a stage of it."""
    if stage is None:
        return ended.seconds
    lines = (line for line in ended.errors.splitlines() if line.startswith('{"stage"'))
    stages = [json.loads(line) for line in lines]
    return next(line["seconds"] for line in stages if line["stage"] == stage)


def failure(ended: Run) -> str:
    """The last words of a program that failed."""
    lines = [line.strip() for line in ended.errors.splitlines() if line.strip()]
    last = lines[-1] if lines else f"exit status {ended.status}"
    if "there is no package called" in ended.errors:
        return "not available here: sdcMicro is not installed for R"
    if "No module named" in last:
        return f"not available here: {last}"
    if "MemoryError" in last or "bad_alloc" in ended.errors or "cannot allocate" in ended.errors:
        return "out of memory"
    return f"fails: {last[:60]}"


def numbers(text: str) -> list[int]:
    return sorted(int(word) for word in text.split(","))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="results.sh", description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=numbers, default=[1080, 10**4, 10**5, 10**6, 10**7])
    parser.add_argument("--rows", default="", help="only rows whose name matches this pattern")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--limit", type=float, default=600, help="seconds a run")
    parser.add_argument("--memory", type=float, default=16, help="gigabytes a run")
    parser.add_argument("--total", type=float, help="seconds after which nothing is started")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument(
        "--brief",
        action="store_true",
        help="to 1,000,000 records, 60 s a run, 2 rounds, 22 minutes",
    )
    parser.add_argument("--output", default=str(PROJECT / "benches" / "RESULTS.md"))
    parser.add_argument("program")
    parser.add_argument("folder")
    options = parser.parse_args()
    if options.brief:
        options.sizes = [size for size in options.sizes if size <= 10**6]
        options.limit, options.total = min(options.limit, 60), options.total or 35 * 60
        options.rounds = min(options.rounds, 2)
    return options


def main() -> None:
    options = arguments()
    race, load = Race(options), os.getloadavg()[0]
    jobs = [job for job in JOBS if re.search(options.rows, job.name)]
    for n in options.sizes:
        for job in jobs:
            if not job.only_once or n == options.sizes[0]:
                race.race(job, n)
        # Whoever ends the run before its time has the page of what was done.
        limits = report.limits(race.folder, options.sizes)
        Path(options.output).write_text(report.page(jobs, race.measured, options, limits, load))


main()
