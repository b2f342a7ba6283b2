"""The page: what is slower, seconds by records, memory, agreement, and what the machine allows."""

import argparse
import datetime
import math
import os
import platform
import statistics
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rows import Job

#: Growth is told from this many records on: below, starting a process counts.
GROWS_FROM = 10_000
BUFFER = 1 << 20

GROWS = """\
Exponents of our seconds from 10,000 records on, above 1.2 (masking), 1.4 (MDAV) or 1.3 (others):
"""
SECONDS = """\
In brackets: how many times our seconds. *e*: exponent of growth from 10,000 records on.

- *whole process*: from start to end, of both; after the semicolon the peer's reading, work and
  writing alone.
- *the stage*: ours of `--timings`, beside a peer that is given the same numbers in memory;
  standardising, or whatever a distance asks for, is in the seconds of both.
- `*`: not run, because it failed on fewer records, or because it would need more than the limit if
  it took but ten times as long for ten times as many.
"""
ALONE = """\
Where whole processes are compared: ours from start to end, beside what is left of the peer's
without the start of its interpreter and its imports.
"""
MEMORY = """\
The most resident memory of the whole process, in megabytes; a peer's has its interpreter, its
packages and the arrays that it was given. *found*: what both came to, on files of so many
records. Losses of maskings that draw are those of two draws; sdcMicro's `pram` draws its matrices,
too.
"""
ALLOWS = """\
The bytes of the file of 13 amounts copied, and how many times that our jobs take which read and
write it.
"""


@dataclass(frozen=True)
class Limit:
    """What moving the bytes of a file costs."""

    records: int
    megabytes: float
    seconds: float


def limits(folder: Path, sizes: list[int]) -> list[Limit]:
    """The files of amounts, copied: no program that reads and writes them can be faster."""
    found = []
    for n in sizes:
        source, target = folder / f"near-{n}.csv", folder / "copy.csv"
        if not source.exists():
            continue
        seconds = []
        for _ in range(3):
            begin = time.perf_counter()
            with open(source, "rb") as reader, open(target, "wb") as writer:
                while part := reader.read(BUFFER):
                    writer.write(part)
            seconds.append(time.perf_counter() - begin)
        target.unlink()
        found.append(Limit(n, source.stat().st_size / 1e6, statistics.median(seconds)))
    return found


def digits(value: float) -> str:
    """Three digits, and all before the point."""
    if value == 0 or value >= 100:
        return f"{value:,.0f}"
    return f"{value:.{max(0, 2 - math.floor(math.log10(abs(value))))}f}"


def exponent(points: list[tuple[int, float]]) -> str:
    """The slope of log seconds over log records, by least squares; empty for fewer than two."""
    if len(points) < 2:
        return ""
    logs = [(math.log(n), math.log(seconds)) for n, seconds in points]
    mean_x, mean_y = (statistics.mean(axis) for axis in zip(*logs))
    above = sum((x - mean_x) * (y - mean_y) for x, y in logs)
    return f"{above / sum((x - mean_x) ** 2 for x, _ in logs):.2f}"


class Page:
    """What was measured, and how it is shown."""

    def __init__(self, jobs: list[Job], measured: dict[Any, Any], options: argparse.Namespace):
        self.jobs, self.measured, self.options = jobs, measured, options

    def of(self, job: Job, peer: str, n: int) -> Any | None:
        return self.measured.get((job.name, peer, n))

    def seconds(self, job: Job, peer: str, n: int) -> float | None:
        found = self.of(job, peer, n)
        return statistics.median(found.seconds) if found and found.seconds else None

    def ratio(self, job: Job, peer: str, n: int, work: bool = False) -> tuple[float, bool] | None:
        """The peer's seconds by ours, round by round, or those of its work alone; and whether it is
        only a least ratio, since the peer was stopped."""
        ours, theirs = self.of(job, "", n), self.of(job, peer, n)
        if not ours or not ours.seconds or not theirs:
            return None
        if theirs.seconds and not theirs.failure:
            pairs = zip(ours.seconds, theirs.work if work else theirs.seconds)
            return statistics.median(their / our for our, their in pairs), False
        if (theirs.failure or "").startswith(">"):
            return self.options.limit / statistics.median(ours.seconds), True
        return None

    def ratios(self, work: bool = False) -> list[tuple[Job, str, int, float, bool]]:
        """Of all rows and sizes; of `work`, those of the peers whose work is told by itself."""
        found = []
        for job in self.jobs:
            for peer in job.peers:
                for n in self.options.sizes:
                    theirs = self.of(job, peer.name, n)
                    if work and not (theirs and theirs.work):
                        continue
                    ratio = self.ratio(job, peer.name, n, work)
                    if ratio:
                        found.append((job, peer.name, n, *ratio))
        return found

    def slower(self, work: bool = False) -> list[str]:
        """Rows in which a peer, or its work alone, is faster; the worst first."""
        rows = [row for row in self.ratios(work) if row[3] < 1 and not row[4]]
        if not rows:
            return ["None."]
        lines = ["| job | peer | records | ours, s | peer, s | peer / ours |"]
        lines.append("|---|---|---:|---:|---:|---:|")
        for job, peer, n, ratio, _ in sorted(rows, key=lambda row: row[3]):
            found = self.of(job, peer, n)
            theirs = statistics.median(found.work if work else found.seconds)
            seconds = f"{digits(self.seconds(job, '', n))} | {digits(theirs)}"
            lines.append(f"| {job.name} | {peer} | {n:,} | {seconds} | {ratio:.2f} |")
        return lines

    def steep(self) -> list[str]:
        """Jobs whose seconds grow faster than they should."""
        lines = []
        for job in self.jobs:
            slope = self.growth(job)
            most = 1.4 if "MDAV" in job.name else 1.2 if job.part.startswith("Masking") else 1.3
            if slope and float(slope) > most:
                lines.append(f"- {job.name}: {slope}, more than {most}")
        return lines or ["- none"]

    def growth(self, job: Job, peer: str = "") -> str:
        sizes = [n for n in self.options.sizes if n >= GROWS_FROM]
        found = [(n, self.of(job, peer, n)) for n in sizes]
        points = [(n, of.work or of.seconds) for n, of in found if of]
        return exponent([(n, statistics.median(seconds)) for n, seconds in points if seconds])

    def cell(self, job: Job, peer: str, n: int) -> str:
        """Seconds, or why there are none; beside a peer's how many times ours they are."""
        found, seconds = self.of(job, peer, n), self.seconds(job, peer, n)
        if not found:
            return ""
        text = found.failure or digits(seconds)
        ratio = self.ratio(job, peer, n) if peer else None
        if ratio:
            times, least = ratio
            alone = f"; {digits(statistics.median(found.work))}" if found.work else ""
            text += f" ({'≥ ' if least else ''}{digits(times)}×{alone})"
        return text

    def table(self, part: str, cell: Any, last: str, of_last: Any) -> list[str]:
        """A row for each program of each job of a part, a column for each number of records."""
        sizes = self.options.sizes
        lines = [
            f"| {part} | program | " + " | ".join(f"{n:,}" for n in sizes) + f" | {last} |",
            "|---|---|" + "---:|" * (len(sizes) + 1),
        ]
        for job in self.jobs:
            if job.part != part:
                continue
            for peer in ["", *(peer.name for peer in job.peers)]:
                cells = " | ".join(cell(job, peer, n) for n in sizes)
                name = "**sdcrisk**" if not peer else peer
                shown = job.name if not peer else ""
                lines.append(f"| {shown} | {name} | {cells} | {of_last(job, peer)} |")
        return lines

    def megabytes(self, job: Job, peer: str, n: int) -> str:
        found = self.of(job, peer, n)
        return digits(found.megabytes) if found and found.megabytes else ""

    def agreement(self, job: Job, peer: str) -> str:
        """What both found on the largest files of which both told it."""
        for n in reversed(self.options.sizes):
            ours, theirs = self.of(job, "", n), self.of(job, peer, n)
            if not peer or not ours or not theirs or not theirs.answer or theirs.failure:
                continue
            shared = [key for key in theirs.answer if key in ours.answer]
            alone = [key for key in theirs.answer if key not in ours.answer and not shared]
            told = [compared(key, ours.answer[key], theirs.answer[key]) for key in shared]
            told += [f"{key} {theirs.answer[key]:.1g}" for key in alone]
            return f"{'; '.join(told)} ({n:,})" if told else ""
        return ""

    def floor(self, moved: list[Limit]) -> list[str]:
        """Jobs from file to file, in units of copying the file's bytes."""
        of = [job for job in self.jobs if "{ours} {near}" in job.words and job.stage is None]
        lines = [
            "| records | MB | copied, s | " + " | ".join(job.name for job in of) + " |",
            "|---:|---:|---:|" + "---:|" * len(of),
        ]
        for limit in moved:
            taken = [self.seconds(job, "", limit.records) for job in of]
            times = [digits(seconds / limit.seconds) if seconds else "" for seconds in taken]
            first = f"{limit.records:,} | {digits(limit.megabytes)} | {digits(limit.seconds)}"
            lines.append(f"| {first} | " + " | ".join(times) + " |")
        return lines

    def versions(self) -> list[str]:
        return sorted({found.version for found in self.measured.values() if found.version})


def compared(key: str, ours: float, theirs: float) -> str:
    """The same to a millionth, or both figures."""
    if abs(ours - theirs) <= 1e-6 * max(abs(ours), abs(theirs)):
        return f"same {key}"
    return f"{key} {ours:.5g}, peer {theirs:.5g}"


def processor() -> str:
    """What the system calls the processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = (line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())


def summary(page: Page) -> list[str]:
    rows = page.ratios()
    if not rows:
        return ["No peer could be compared."]
    median = statistics.median(row[3] for row in rows)
    largest = {}
    for job, peer, _, ratio, _ in rows:
        largest[job.name, peer] = ratio
    return [
        f"{len(rows)} comparisons of {len(largest)} rows: the median peer takes",
        f"**{digits(median)} times** as long; taking each row at the most records for which it has",
        f"a comparison, **{digits(statistics.median(largest.values()))} times**. A peer that was",
        f"stopped at {page.options.limit:.0f} s counts with that.",
    ]


def heading(options: argparse.Namespace, load: float) -> list[str]:
    """When, where and within which limits."""
    sizes = ", ".join(f"{n:,}" for n in options.sizes)
    lines = [
        "# The project beside its peers",
        "",
        f"Written by `benches/peers/results.sh` on {datetime.date.today().isoformat()}; not to be",
        f"edited. {sizes} records; {options.threads} threads for all who can use them; medians of",
        f"{options.rounds} rounds in turns on the same files (runs above 3 s are not repeated).",
        f"A run is stopped after {options.limit:.0f} s, or at {options.memory:.0f} GB.",
    ]
    if options.total:
        lines.append(f"Nothing was started after {options.total / 60:.0f} minutes.")
    lines += [
        f"{os.cpu_count()} processors ({processor()}), {platform.system()}.",
        f"When it began, {load:.1f} other processes were running on average.",
        "",
    ]
    return lines


def page(
    jobs: list[Job],
    measured: dict[Any, Any],
    options: argparse.Namespace,
    moved: list[Limit],
    load: float,
) -> str:
    """All of RESULTS.md."""
    shown = Page(jobs, measured, options)
    parts = list(dict.fromkeys(job.part for job in jobs))
    lines = heading(options, load) + summary(shown)
    lines += ["", "## Where a peer is faster", "", *shown.slower()]
    lines += ["", "### Where its work alone is", "", ALONE, *shown.slower(work=True)]
    lines += ["", "## What grows too fast", "", GROWS, *shown.steep()]
    lines += ["", "## Seconds", "", SECONDS]
    for part in parts:
        lines += [*shown.table(part, shown.cell, "e", shown.growth), ""]
    lines += ["## Memory, and what was found", "", MEMORY]
    for part in parts:
        lines += [*shown.table(part, shown.megabytes, "found", shown.agreement), ""]
    lines += ["## What the machine allows", "", ALLOWS, *shown.floor(moved)]
    lines += ["", "Versions: " + "; ".join(shown.versions()) + ".", ""]
    return "\n".join(lines)
