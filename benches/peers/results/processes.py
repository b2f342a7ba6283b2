"""Runs of whole processes: seconds of the clock, and the most resident memory at any time."""

import os
import signal
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

MEGABYTE = 1e6


@dataclass(frozen=True)
class Run:
    """A process that has ended."""

    seconds: float
    megabytes: float
    status: int
    output: str
    errors: str
    #: Why it was stopped; none if it ended by itself.
    stopped: str | None


def descendants(root: int) -> list[int]:
    """A process and all that it started, as far as they live."""
    found, waiting = [], [root]
    while waiting:
        process = waiting.pop()
        found.append(process)
        try:
            text = Path(f"/proc/{process}/task/{process}/children").read_text()
        except OSError:
            continue
        waiting.extend(map(int, text.split()))
    return found


def resident(process: int, mark: str) -> float:
    """Megabytes of a process: `VmRSS` now, `VmHWM` the most so far; 0 if it has ended."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return 0.0
    sizes = (line.split()[1] for line in lines if line.startswith(mark))
    return next((float(size) * 1024 / MEGABYTE for size in sizes), 0.0)


class Watch(threading.Thread):
    """Keeps the most memory of a process and of those it started, and stops them at the limits.

    The system keeps the high-water mark of the process itself; of those that it started, what is
    resident is added up whenever the watch looks: every millisecond at first, later every fiftieth.
    """

    def __init__(self, process: int, limit: float, memory: float):
        super().__init__(daemon=True)
        self.process, self.limit, self.memory = process, limit, memory
        self.peak = 0.0
        self.stopped: str | None = None
        self.over = threading.Event()

    def run(self) -> None:
        begin = time.perf_counter()
        while True:
            everybody = descendants(self.process)
            others = sum(resident(other, "VmRSS") for other in everybody[1:])
            self.peak = max(self.peak, resident(self.process, "VmHWM"))
            if others:
                self.peak = max(self.peak, resident(self.process, "VmRSS") + others)
            elapsed = time.perf_counter() - begin
            if self.peak > self.memory:
                self.stopped = f"out of memory (more than {self.memory / 1000:.0f} GB)"
            elif elapsed > self.limit:
                self.stopped = f">{self.limit:.0f} s"
            if self.stopped:
                os.killpg(self.process, signal.SIGKILL)
                return
            if self.over.wait(min(0.02, max(0.001, elapsed / 50))):
                return


def run(command: list[str], limit: float, memory: float, environment: dict[str, str]) -> Run:
    """Runs a command to its end, or until it takes more seconds or megabytes than the limits."""
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        begin = time.perf_counter()
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
            env=environment,
            start_new_session=True,
        )
        watch = Watch(process.pid, limit, memory)
        watch.start()
        # The process stays as a zombie, so that its number is nobody else's while it is watched.
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        seconds = time.perf_counter() - begin
        watch.over.set()
        watch.join()
        status = process.wait()
        output.seek(0)
        errors.seek(0)
        return Run(seconds, watch.peak, status, output.read(), errors.read(), watch.stopped)
