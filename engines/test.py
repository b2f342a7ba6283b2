"""Tries each engine of docs/scale.md on a small file, and compares what it gives with one run, byte for byte.

    python3 engines/test.py --program target/release/sdcrisk [--install FOLDER] [--only spark,dask,slurm,parallel]

Of every engine: parts of unequal size, more of them than workers; a worker that is killed while it makes a part; a call that the program
refuses. Links are of Parquet files, so the program must not have been built without. An engine that is not here is SKIPPED, with the reason.
--install fetches by name what is missing: pyspark and dask by pip into a virtual environment FOLDER, Slurm and GNU parallel by apt-get
where that may be done.
"""

import argparse
import contextlib
import doctest
import importlib.util
import math
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

ENGINES = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(ENGINES))
sys.dont_write_bytecode = True

import sdcrisk_parts

PLAN = """\
original = "data/people.csv"
attributes = "age,earnings,income,tax"
known = "first:3"
attacks = ["am", "likelihood"]
repeats = 2
seed = 1
[[mask]]
method = "rankswap"
p = [5, 20]
[[mask]]
method = "microagg"
k = [3, 10]
"""
LEAST = """\
original = "data/people.csv"
attributes = "age,earnings,income,tax"
known = "first:3"
attacks = ["am"]
repeats = 2
seed = 1
[[mask]]
method = "rankswap"
p = { from = 1, to = 40 }
[[mask]]
method = "microagg"
k = { from = 2, to = 40 }
"""
LINK = "link --method am,likelihood --statement data/s.json --known age,income data/people.parquet data/masked.parquet"
EVALUATE = "evaluate plan.toml"
SEARCH = "search least.toml --risk-at-most 10%"
RISK = "risk --key region,age data/people.csv data/masked.csv"
MASK = "mask rankswap --p 5 --seed 7 --attributes age,earnings,income,tax data/people.csv"
REFUSED = "link --method am --known nothing data/people.csv data/masked.csv"
PARTS = 5
# So long a step of a trial may take, and a package to be fetched.
SECONDS = 150
FETCHING = 120


class Skipped(Exception):
    pass


def run(words, limit=SECONDS, **more):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=limit, **more)


def wait(what, seconds, poll):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = poll()
        if found:
            return found
        time.sleep(0.1)
    # Of an engine that does not run here nothing follows about the program.
    raise Skipped("{} did not happen within {} s".format(what, seconds))


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def ancestors(pid):
    """The processes above this one, from itself on."""
    while pid > 1:
        yield pid
        try:
            stat = pathlib.Path("/proc/{}/stat".format(pid)).read_text()
        except FileNotFoundError:
            return
        pid = int(stat.rpartition(")")[2].split()[1])


def kill(pids):
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


class Processes:
    """The processes of a cluster, which end with it."""

    def __init__(self, logs):
        self.logs, self.started = logs, []

    def start(self, *words):
        with open(self.logs / "{}.log".format(len(self.started)), "wb") as log:
            # A group of its own: what it starts ends with it. What it leaves when it is killed is removed with the logs.
            own = dict(os.environ, TMPDIR=str(self.logs))
            process = subprocess.Popen(words, stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True, env=own)
        self.started.append(process)
        return process

    def said(self):
        return "".join(path.read_text(errors="replace") for path in sorted(self.logs.glob("*.log")))

    def end(self):
        for process in self.started:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


class Files:
    """A folder with the files of the calls, what one run makes of them, and a program that stands still where it is to be killed."""

    def __init__(self, folder, program):
        self.folder, self.program = folder, program
        (folder / "data").mkdir()
        with open(folder / "data" / "people.csv", "wb") as file:
            file.write(self.own("demo --data").stdout)
        self.own("mask rankswap --p 10 --seed 1 --attributes age,earnings,income,tax --statement data/s.json -q -o data/masked.csv data/people.csv")
        # What clusters hold: the same tables as Parquet.
        for name in ("people", "masked"):
            self.own("match-attributes --rename data/{0}.parquet -q data/{0}.csv data/{0}.csv".format(name))
        (folder / "plan.toml").write_text(PLAN)
        (folder / "least.toml").write_text(LEAST)
        self.refusal = self.own(REFUSED, 2)

    def own(self, call, status=0):
        ran = run([self.program] + call.split(), cwd=self.folder)
        assert ran.returncode == status, (call, ran)
        return ran

    def halting(self, number):
        """A program that, when it makes this part for the first time, writes its process and its node to a file, and waits."""
        path, mark = self.folder / "halting", self.folder / "halted"
        shutil.rmtree(mark, ignore_errors=True)
        path.write_text(
            '#!/bin/sh\ncase " $* " in\n*" {0}/{1} "*)\n    if mkdir {2} 2>/dev/null; then\n        echo $$ "$SLURMD_NODENAME" >{2}/new; mv {2}/new {2}/pid\n'
            '        exec sleep 600\n    fi ;;\nesac\nexec {3} "$@"\n'.format(number, PARTS, mark, self.program)
        )
        path.chmod(0o755)
        return str(path), mark / "pid"


def compare(name, what, got, once):
    assert got.returncode == once.returncode, (name, what, got.returncode, got.stderr.decode()[-3000:])
    assert got.stdout == once.stdout, (name, what, got.stdout[:500], got.stderr.decode()[-3000:])
    print("{}: {}: ok".format(name, what), flush=True)


def submit_script(name, files, processes):
    """What holds for every engine with a submit script."""
    try:
        submit, workers = CLUSTERS[name](processes, 2)
    except AssertionError as error:
        raise Skipped("it cannot be started here ({}): {}".format(error, processes.said()[-1500:]))
    form = " --format json"
    once = {call: files.own(call + form) for call in (LINK, EVALUATE)}

    def asked(own, call):
        return submit + own.split() + ["--"] + call.split()

    # Files and program are sent; a part is lost with its worker.
    halting, pid = files.halting(2)
    submitted = subprocess.Popen(
        asked("--parts {} --program {}".format(PARTS, halting), LINK + form), stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=files.folder
    )
    try:
        wait("part 2", SECONDS, pid.exists)
        chain = list(ancestors(int(pid.read_text().split()[0])))
        lost = [worker.pid for worker in workers if worker.pid in chain]
        assert len(lost) == 1, (chain, [worker.pid for worker in workers])
        # From the worker on downwards: it cannot say that it ends.
        kill(reversed(chain[: chain.index(lost[0]) + 1]))
        out, err = submitted.communicate(timeout=SECONDS)
    finally:
        submitted.kill()
    got = subprocess.CompletedProcess("", submitted.returncode, out, err)
    compare(name, "{} parts of an attack, a worker killed".format(PARTS), got, once[LINK])
    # The files are where workers see them; one worker is left.
    got = run(asked("--parts 4 --shared --program {}".format(files.program), EVALUATE + form + " -o e.json"), cwd=files.folder)
    got.stdout = (files.folder / "e.json").read_bytes() if got.returncode == 0 else b""
    compare(name, "4 parts of a plan, in a shared folder", got, once[EVALUATE])
    assert not list(files.folder.glob(".sdcrisk-*")), "parts were left behind"
    if name == "dask":
        # Starting on Spark takes long, and the words are cut by the same code.
        for what, call in (("a masked file", MASK), ("a search", SEARCH), ("measures of risk", RISK)):
            got = run(asked("--parts 3 --program {}".format(files.program), call), cwd=files.folder)
            compare(name, "3 parts of " + what, got, files.own(call))
    got = run(asked("--parts 2 --program {}".format(files.program), REFUSED), cwd=files.folder)
    assert files.refusal.stderr in got.stderr, got.stderr.decode()[-3000:]
    compare(name, "what the program refuses", got, files.refusal)


def spark(processes, count):
    """A standalone master with so many workers: the words that submit to it, and the workers."""
    if importlib.util.find_spec("pyspark") is None:
        raise Skipped("pyspark is not installed: 'pip install pyspark'")
    if shutil.which("java") is None:
        raise Skipped("there is no Java, which Spark needs: 'apt-get install openjdk-17-jre-headless'")
    home = pathlib.Path(importlib.util.find_spec("pyspark").origin).parent
    # Java that starts quickly: nothing here runs long.
    java = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
    os.environ.update(SPARK_HOME=str(home), PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1", JAVA_TOOL_OPTIONS=java)
    deploy = str(home / "bin" / "spark-class"), "org.apache.spark.deploy."
    port = str(free_port())
    master = "spark://127.0.0.1:" + port
    processes.start(deploy[0], deploy[1] + "master.Master", "--host", "127.0.0.1", "--port", port, "--webui-port", "0")
    of_worker = ["-c", "1", "-m", "600m", "--webui-port", "0", "-d"]
    workers = [
        processes.start(deploy[0], deploy[1] + "worker.Worker", *of_worker, str(processes.logs / str(number)), master) for number in range(count)
    ]
    wait("workers", 60, lambda: processes.said().count("Successfully registered") >= count)
    options = ["--master", master, "--executor-memory", "512m", "--conf", "spark.log.level=WARN", "--conf", "spark.ui.enabled=false"]
    return [str(home / "bin" / "spark-submit"), *options, str(ENGINES / "sdcrisk_spark.py")], workers


def dask(processes, count):
    """A scheduler with so many workers: the words that submit to it, and the workers."""
    if importlib.util.find_spec("distributed") is None:
        raise Skipped("dask.distributed is not installed: 'pip install dask distributed'")
    port = str(free_port())
    address = "tcp://127.0.0.1:" + port
    module = [sys.executable, "-m"]
    processes.start(*module, "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", port, "--no-dashboard")
    of_worker = [*module, "distributed.cli.dask_worker", address, "--nthreads", "1", "--no-dashboard", "--local-directory"]
    workers = [processes.start(*of_worker, str(processes.logs / str(number))) for number in range(count)]
    wait("workers", 60, lambda: processes.said().count("Registered to:") >= count)
    return [sys.executable, str(ENGINES / "sdcrisk_dask.py"), "--scheduler", address], workers


def parallel(files, processes):
    if shutil.which("parallel") is None or b"GNU" not in run(["parallel", "--version"]).stdout:
        raise Skipped("there is no GNU parallel: 'apt-get install parallel'")
    halting, pid = files.halting(2)
    of = [str(part) for part in range(1, PARTS + 1)]
    words = [*"parallel --will-cite --retries 3 -j 2".split(), halting, *LINK.split(), "--shard", "{}/" + str(PARTS), "-q", "-o", "g{}.json", ":::", *of]
    running = subprocess.Popen(words, cwd=files.folder)
    try:
        wait("part 2", SECONDS, pid.exists)
        kill([int(pid.read_text().split()[0])])
        assert running.wait(SECONDS) == 0
    finally:
        running.kill()
    got = files.own("merge --format json " + " ".join("g{}.json".format(part) for part in of))
    compare("parallel", "{} parts of an attack, one killed".format(PARTS), got, files.own(LINK + " --format json"))


SLURM = """\
ClusterName=trial
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=5
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SwitchType=switch/none
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/ctld.pid
SlurmdPidFile={folder}/%n.pid
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
JobAcctGatherType=jobacct_gather/none
ReturnToService=2
SchedulerParameters=sched_interval=2,bf_interval=2
MinJobAge=300
{nodes}
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def slurm(files, processes):
    for program in ("slurmctld", "slurmd", "sbatch", "munged"):
        if shutil.which(program) is None:
            raise Skipped("there is no {}: 'apt-get install slurm-wlm munge'".format(program))
    if os.getuid() != 0:
        raise Skipped("a Slurm of its own is started by root only")
    folder, host = processes.logs, socket.gethostname().split(".")[0]
    for name in ("state", "spool-one", "spool-two"):
        (folder / name).mkdir()
    key = folder / "munge.key"
    key.write_bytes(os.urandom(128))
    key.chmod(0o600)
    folder.chmod(0o755)
    nodes = "\n".join(
        "NodeName={} NodeHostname={} NodeAddr=127.0.0.1 Port={} CPUs=1 State=UNKNOWN".format(name, host, free_port()) for name in ("one", "two")
    )
    settings = folder / "slurm.conf"
    settings.write_text(SLURM.format(host=host, port=free_port(), folder=folder, nodes=nodes))
    (folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n")
    os.environ["SLURM_CONF"] = str(settings)
    socket_path = folder / "munge.socket"
    processes.start(
        "munged", "--foreground", "--force", "--socket", str(socket_path), "--key-file", str(key), "--pid-file", str(folder / "munged.pid"),
        "--seed-file", str(folder / "munged.seed"), "--log-file", str(folder / "munged.out"), "--num-threads", "2",
    )
    wait("munged", 20, socket_path.exists)
    processes.start("slurmctld", "-D", "-f", str(settings))
    daemons = {name: processes.start("slurmd", "-D", "-N", name, "-f", str(settings)) for name in ("one", "two")}

    def ready():
        return run(["sinfo", "-h", "-o", "%T %D"]).stdout.split() == [b"idle", b"2"]

    try:
        wait("two nodes", 60, ready)
    except AssertionError as error:
        raise Skipped("it cannot be started here ({}): {}".format(error, processes.said()[-1500:]))
    halting, pid = files.halting(2)

    def sbatch(*words):
        ran = run(["sbatch", "--parsable", *words], cwd=files.folder, env=dict(os.environ, SDCRISK=halting))
        assert ran.returncode == 0, ran
        return ran.stdout.decode().strip()

    scripts = ENGINES / "slurm"
    array = sbatch("--array=1-{}".format(PARTS), str(scripts / "part.sh"), str(PARTS), "parts", *LINK.split())
    merge = sbatch("--dependency=afterok:" + array, str(scripts / "merge.sh"), "parts", "--format", "json", "-o", "s-merged.json")
    wait("part 2", SECONDS, pid.exists)
    number, node = pid.read_text().split()
    # The node is gone with all that runs on it, its daemon first: it would say that the task was killed. The controller would say that the
    # node is lost after SlurmdTimeout.
    kill([daemons[node].pid, *reversed(list(ancestors(int(number))))])
    down = run(["scontrol", "update", "nodename=" + node, "state=down", "reason=lost"])
    assert down.returncode == 0, down
    report = files.folder / "s-merged.json"

    def ended():
        state = run(["scontrol", "show", "job", merge]).stdout.decode()
        if "DependencyNeverSatisfied" in state:
            tasks = run(["scontrol", "show", "job", array]).stdout.decode()
            # Nothing follows from it about the program: the node did not end as a lost one ends.
            if "JobLaunchFailure" in tasks:
                raise Skipped("a task was ended before its node was lost")
            raise AssertionError(tasks)
        return report.exists() and "COMPLETED" in state

    wait("the merge", SECONDS, ended)
    got = subprocess.CompletedProcess("", 0, report.read_bytes(), b"")
    compare("slurm", "{} parts of an attack, a node lost".format(PARTS), got, files.own(LINK + " --format json"))


CLUSTERS = {"spark": spark, "dask": dask}
TRIALS = {
    "parallel": parallel,
    "slurm": slurm,
    "spark": lambda files, processes: submit_script("spark", files, processes),
    "dask": lambda files, processes: submit_script("dask", files, processes),
}


def measure(name, program, folder):
    """One worker against two of one thread each, in turns: an attack that takes a minute."""
    records = 60_000
    draw = random.Random(1)
    with open(folder / "people.csv", "w") as file:
        file.write("a,b,c,d,e,f\n")
        for _ in range(records):
            common = draw.gauss(0, 1)
            file.write(",".join("{:.0f}".format(1000 * math.exp(common / 2 + draw.gauss(0, 0.7))) for _ in range(6)) + "\n")
    masked = [program, *"mask pdistribution --p 10 --seed 1 --statement s.json -q -o masked.csv people.csv".split()]
    subprocess.run(masked, cwd=folder, check=True)
    call = "link --method likelihood --statement s.json --known a,b,c,d,e,f people.csv masked.csv".split()
    began = time.monotonic()
    once = run([program, *call, "--threads", "1"], cwd=folder, limit=None)
    print("one run, one thread: {:.1f} s".format(time.monotonic() - began), flush=True)
    for turn in range(3):
        seconds = []
        for count in (1, 2):
            logs = folder / "logs{}-{}".format(turn, count)
            logs.mkdir()
            processes = Processes(logs)
            try:
                submit, _ = CLUSTERS[name](processes, count)
                began = time.monotonic()
                got = run([*submit, "--parts", "8", "--program", program, "--", *call], cwd=folder, limit=None)
                seconds.append(time.monotonic() - began)
                assert got.stdout == once.stdout, got
            finally:
                processes.end()
        one, two = seconds
        print("{}: one worker {:.1f} s, two {:.1f} s: efficiency {:.0%}".format(name, one, two, one / two / 2), flush=True)


def words_are_cut_as_the_program_reads_them():
    for call, part, merge in [
        ("-q link --format json a b", "-q link a b", "-q --format json"),
        ("evaluate p.toml --into=r --fail-above 5% -vo x", "evaluate p.toml -v", "--into=r --fail-above 5% -v -o x"),
        ("link --threads 3 --explain -ox -- -o b", "link --threads 3 -- -o b", "--threads 3 --explain -o x"),
        ("mask noise --level 1 --statement s.json -o m.csv f.csv", "mask noise --level 1 f.csv", "--statement s.json -o m.csv"),
        ("search p.toml --risk-at-most 5% --format csv", "search p.toml --risk-at-most 5%", "--format csv"),
        ("link --statement s.json -o r.txt a b", "link --statement s.json a b", "-o r.txt"),
        ("link --links l.csv --format csv a b", "link --links l.csv a b", "--links l.csv --format csv"),
        ("link --links=l.csv a b", "link --links=l.csv a b", "--links=l.csv"),
        ("link --na -9 - b --output x", "link --na -9 - b", "--output x"),
    ]:
        assert sdcrisk_parts.cut(call.split()) == (part.split(), merge.split()), call
    failed, tried = doctest.testmod(sdcrisk_parts)
    assert tried > 0 and failed == 0


def files_are_found(files):
    os.chdir(files.folder)
    assert sdcrisk_parts.inputs(EVALUATE.split()) == ["plan.toml", "data/people.csv"]
    assert sdcrisk_parts.inputs(LINK.replace("--statement ", "--statement=").split()) == ["data/s.json", "data/people.parquet", "data/masked.parquet"]
    # What is written is not read, even if it is there already, anywhere.
    for links in ("--links /etc/passwd", "--links=/etc/passwd"):
        assert sdcrisk_parts.inputs(LINK.split() + links.split()) == ["data/s.json", "data/people.parquet", "data/masked.parquet"]
    for outside in ("/etc/passwd", "../" + files.folder.name + "/../" + files.folder.name + "/plan.toml"):
        try:
            found = sdcrisk_parts.inputs([outside])
        except sdcrisk_parts.Refused as refused:
            assert "--shared" in str(refused)
        else:
            raise AssertionError(found)


def side_by_side(names, program):
    """Tries all engines at a time, since most of it is waiting, and prints what each said; 1 if one failed."""
    words = [sys.executable, os.path.abspath(__file__), "--program", program, "--only"]
    trials = [subprocess.Popen([*words, name], stdout=subprocess.PIPE, stderr=subprocess.STDOUT) for name in names]
    for trial in trials:
        print(trial.communicate()[0].decode("utf-8", "replace"), end="", flush=True)
    return int(any(trial.returncode for trial in trials))


def install(folder):
    """Fetches what is missing, by name, and gives the Python of the environment."""
    python = folder / "bin" / "python3"
    began = time.monotonic()
    if os.getuid() == 0 and shutil.which("apt-get"):
        wanted = [("parallel", "parallel"), ("slurmctld", "slurm-wlm"), ("munged", "munge")]
        missing = [package for program, package in wanted if shutil.which(program) is None]
        if missing:
            quiet = dict(stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=dict(os.environ, DEBIAN_FRONTEND="noninteractive"))
            for words in (["update"], ["install", "-y", "--no-install-recommends", *missing]):
                with contextlib.suppress(subprocess.TimeoutExpired):
                    subprocess.run(["apt-get", "-qq", *words], timeout=FETCHING, **quiet)
    if not python.exists():
        ran = run([sys.executable, "-m", "venv", str(folder)])
        if ran.returncode != 0:
            return None
    for package, module in (("dask[distributed]", "distributed"), ("pyspark", "pyspark")):
        if run([str(python), "-c", "import " + module]).returncode != 0:
            with contextlib.suppress(subprocess.TimeoutExpired):
                run([str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check", package], limit=FETCHING)
    print("what was missing was fetched in {:.0f} s".format(time.monotonic() - began), flush=True)
    return python


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="sdcrisk", help="the program")
    parser.add_argument("--only", default=",".join(TRIALS), help="engines, with commas between them")
    parser.add_argument("--measure", action="store_true", help="no test: seconds of one worker and of two (Spark, Dask)")
    parser.add_argument("--install", metavar="FOLDER", help="fetch what is missing; Python's packages into this folder")
    options = parser.parse_args()
    found = shutil.which(options.program)
    if found is None:
        parser.error("there is no {}".format(options.program))
    if options.install:
        python = install(pathlib.Path(options.install).resolve())
        if python is not None:
            words = [os.path.abspath(__file__), "--program", os.path.abspath(found), "--only", options.only]
            os.execv(str(python), [str(python), *words, *(["--measure"] if options.measure else [])])
    if options.measure:
        for name in options.only.split(","):
            with tempfile.TemporaryDirectory(prefix="sdc") as folder:
                try:
                    if name in CLUSTERS:
                        measure(name, os.path.abspath(found), pathlib.Path(folder))
                except Skipped as why:
                    print("SKIPPED: {}: {}".format(name, why), flush=True)
        return
    names = options.only.split(",")
    if len(names) > 1:
        sys.exit(side_by_side(names, os.path.abspath(found)))
    words_are_cut_as_the_program_reads_them()
    for name in names:
        # An engine can fail by itself: what fails twice is a failure.
        if not tried(name, found, is_last=False):
            tried(name, found, is_last=True)


def tried(name, program, is_last):
    """Whether a trial was made, or cannot be made here; the last one ends with what it found wrong."""
    began = time.monotonic()
    here = os.getcwd()
    # Short: the path of a socket has 108 characters at most.
    with tempfile.TemporaryDirectory(prefix="sdc") as folder:
        folder = pathlib.Path(folder)
        (folder / "work").mkdir()
        (folder / "logs").mkdir()
        processes = Processes(folder / "logs")
        try:
            files = Files(folder / "work", os.path.abspath(program))
            files_are_found(files)
            TRIALS[name](files, processes)
            print("{}: {:.0f} s".format(name, time.monotonic() - began), flush=True)
        except (Skipped, subprocess.TimeoutExpired) as why:
            print("SKIPPED: {}: {}".format(name, why), flush=True)
        except AssertionError as error:
            if is_last:
                raise
            print("{}: once more, since it failed: {}".format(name, str(error)[:3000]), flush=True)
            return False
        finally:
            os.chdir(here)
            processes.end()
    return True


if __name__ == "__main__":
    main()
