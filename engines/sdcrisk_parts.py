"""What the engines share: the words of a call cut into parts, one part made where a worker runs, all parts merged.

An engine (sdcrisk_spark.py, sdcrisk_dask.py) brings a list of numbers to its workers and the results back. All else is here, so that
the engines differ in nothing that a result could depend on. Python 3.8 or later, and nothing but its standard library.
"""

import argparse
import gzip
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import uuid

# Options of what is merged, of a report or of a masked file: 'sdcrisk merge' has them, and no part.
OF_REPORT = {"--format": 1, "--output": 1, "--into": 1, "--fail-above": 1, "--fail-above-extremes": 1, "--brief": 0, "--explain": 0}
OF_MASKED = {"--output": 1, "--statement": 1}
# Options of every command: parts and 'merge' have them.
OF_ALL = {"--quiet": 0, "--verbose": 0, "--strict": 0, "--timings": 0, "--threads": 1, "--memory-limit": 1}
# Files that 'merge' writes of what parts hold: parts must be asked for it, and have the name in their words, but none reads or writes the file.
OF_BOTH = {"--links": 1}
# The commands that make parts.
COMMANDS = ("evaluate", "search", "link", "risk", "mask")
# Exit statuses that would be the same on any machine: wrong usage, bad input.
FINAL = (2, 3)


class Refused(Exception):
    """What is asked for cannot be done; the message says what to do."""


class PartLost(Exception):
    """A part was killed, or failed for what may be a reason of its machine: the engine makes it again."""

    OPEN, CLOSE = "<part of sdcrisk lost: ", " :end of message>"

    def __init__(self, number, status, said):
        super().__init__(self.OPEN + json.dumps([number, status, said]) + self.CLOSE)

    @classmethod
    def found_in(cls, text):
        """(number, status, message) of the last one that an engine's own error quotes; None if it quotes none."""
        quoted = re.findall(re.escape(cls.OPEN) + r"(\[.*?\])" + re.escape(cls.CLOSE), text)
        return json.loads(quoted[-1]) if quoted else None


def command_of(words):
    """Which command the call is of, if it makes parts."""
    return next((word for word in words if word in COMMANDS), None)


def cut(words):
    """The words of the parts, and those of 'sdcrisk merge', of the words of a call.

    >>> cut(["link", "--method", "am", "--format=json", "-qo", "r.json", "a.csv", "b.csv"])
    (['link', '--method', 'am', '-q', 'a.csv', 'b.csv'], ['--format=json', '-q', '-o', 'r.json'])
    """
    part, merge = [], []
    rest = list(words)
    of_whole = OF_MASKED if command_of(words) == "mask" else OF_REPORT
    shared = dict(OF_ALL, **OF_BOTH)
    while rest:
        word = rest.pop(0)
        if word == "--":
            part += [word] + rest
            break
        fused = re.fullmatch(r"-([qv]*)(o(.*))?", word, re.DOTALL)
        if fused and word != "-":
            messages, output, name = fused.groups()
            if messages:
                part.append("-" + messages)
                merge.append("-" + messages)
            if output:
                merge += ["-o"] + ([re.sub("^=", "", name)] if name else rest[:1])
                rest = rest if name else rest[1:]
            continue
        option, joined, _ = word.partition("=")
        known = of_whole.get(option, shared.get(option))
        taken = [word]
        if known == 1 and not joined:
            taken += rest[:1]
            rest = rest[1:]
        if option in of_whole:
            merge += taken
        else:
            part += taken
            merge += taken if option in shared else []
    return part, merge


def _with_options(words, options):
    """Words of a call with further options, which stand before '--': behind it are files."""
    end = words.index("--") if "--" in words else len(words)
    return words[:end] + options + words[end:]


def _has(words, *options):
    before = words[: words.index("--")] if "--" in words else words
    return any(word.partition("=")[0] in options for word in before)


def inputs(words, further=()):
    """The files that a call reads: every word, or value behind '=', that names a file, and every text in a TOML file among them (a plan,
    rules) that names one beside it, here, or in a folder that is a word; and `further` ones.

    It may find too many, which does no harm, and misses what is named otherwise: then the call says which file is not there.
    """
    read = [word for before, word in zip([""] + words, words) if before not in OF_BOTH and word.partition("=")[0] not in OF_BOTH]
    values = [value for word in read for value in (word, word.partition("=")[2]) if value]
    folders = [value for value in values if os.path.isdir(value)]
    found, pending = [], [value for value in values if os.path.isfile(value)] + list(further)
    while pending:
        name = os.path.normpath(pending.pop(0))
        if not os.path.isfile(name):
            raise Refused("{}: there is no such file".format(name))
        if name in found:
            continue
        if os.path.isabs(name) or name.startswith(".."):
            raise Refused(
                "{}: is not inside the current folder, so workers could not find it by this name. Go where all files are, "
                "or let workers see this folder and say --shared".format(name)
            )
        found.append(name)
        if name.endswith(".toml"):
            with open(name, encoding="utf-8", errors="replace") as file:
                texts = re.findall(r"\"([^\"\n]+)\"|'([^'\n]+)'", file.read())
            for text in (one or other for one, other in texts):
                places = [os.path.dirname(name), "."] + folders
                pending += [path for path in (os.path.join(place, text) for place in places) if os.path.isfile(path)][:1]
    return found


class Job:
    """What is asked for, as it goes to the workers."""

    def __init__(self, asked):
        words, self.merge_words = cut(asked.words)
        if not words:
            raise Refused("there is no call: write the words of sdcrisk behind --")
        self.command = command_of(words)
        if self.command is None:
            raise Refused("none of the words behind -- is a command that makes parts: {}".format(", ".join(COMMANDS)))
        if _has(words, "--shard"):
            raise Refused("--shard is what this script adds: leave it out")
        if not _has(words, "--threads"):
            words = _with_options(words, ["--threads", str(asked.threads)])
        self.words, self.of, self.shared = words, asked.parts, asked.shared
        self.token = uuid.uuid4().hex[:12]
        self.program = asked.program
        self.files = {}
        if self.shared is None:
            own = shutil.which(asked.program)
            if own is None:
                raise Refused("there is no {}: name the program by --program".format(asked.program))
            for place, name in enumerate(inputs(words, asked.file)):
                self.files[name] = "{}-{}".format(self.token, place)
            self.program, self.own_program = self.token + "-program", own
        else:
            # Other than a temporary folder of this machine, workers see it. Parts are as private as the original.
            self.kept = ".sdcrisk-" + self.token
            os.mkdir(self.kept, 0o700)
            self.own_program = asked.program

    def staged(self, folder):
        """What is to be brought to the workers, under names that nothing else has: paths in this folder."""
        if self.shared is not None:
            return []
        sources = dict(self.files)
        sources[self.own_program] = self.program
        staged = []
        for source, name in sources.items():
            target = os.path.join(folder, name)
            try:
                os.link(os.path.realpath(source), target)
            except OSError:
                shutil.copyfile(source, target)
            staged.append(target)
        return staged

    def part(self, number, where=None):
        """Makes this part on a worker; `where` is where a file that was brought stands. Gives its number, exit status, what was said, and
        the part: its bytes, compressed, or None where it lies in the shared folder.
        """
        with tempfile.TemporaryDirectory(prefix="sdcrisk-") as scratch:
            words = _with_options(self.words, ["--shard", "{}/{}".format(number, self.of)])
            if self.shared is None:
                program = where(self.program)
                os.chmod(program, 0o700)
                folder, out = os.path.join(scratch, "files"), os.path.join(scratch, "part.json")
                os.mkdir(folder)
                for name, brought in self.files.items():
                    path = os.path.join(folder, name)
                    os.makedirs(os.path.dirname(path), exist_ok=True)
                    os.symlink(where(brought), path)
            else:
                program, folder = self.program, self.shared
                out = os.path.join(self.kept, "part{}.json".format(number))
                if self.command in ("evaluate", "search"):
                    # What is lost continues where it was.
                    words = _with_options(words, ["--into", os.path.join(self.kept, "keep{}".format(number))])
            command = [program] + _with_options(words, ["-o", out])
            ran = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            said = ran.stderr.decode("utf-8", "replace")
            if ran.returncode not in (0,) + FINAL:
                raise PartLost(number, ran.returncode, said)
            made = None
            if ran.returncode == 0 and self.shared is None:
                with open(out, "rb") as file:
                    made = gzip.compress(file.read(), 6)
            return number, ran.returncode, said, made

    def finish(self, results, say):
        """Merges the parts, and gives the exit status of the whole. What parts said is said once."""
        results = sorted(results, key=lambda result: result[0])
        failed = [result for result in results if result[1] != 0]
        if failed:
            say(failed[0][2])
            return failed[0][1]
        said = dict.fromkeys(line for result in results for line in result[2].splitlines())
        say("".join(line + "\n" for line in said))
        with tempfile.TemporaryDirectory(prefix="sdcrisk-") as scratch:
            names = []
            for number, _, _, made in results:
                if made is None:
                    names.append(os.path.join(self.kept, "part{}.json".format(number)))
                    continue
                names.append(os.path.join(scratch, "part{}.json.gz".format(number)))
                with open(names[-1], "wb") as file:
                    file.write(made)
            ran = subprocess.run([self.own_program, "merge"] + self.merge_words + ["--"] + names, stderr=subprocess.PIPE)
        say(ran.stderr.decode("utf-8", "replace"))
        return ran.returncode if ran.returncode >= 0 else 128 - ran.returncode

    def clear(self):
        """Removes what the parts left in the shared folder."""
        if self.shared is not None:
            shutil.rmtree(self.kept, ignore_errors=True)


def asked(engine, doc, words, more=None):
    """The options of a submit script, and behind '--' the words of a call."""
    parser = argparse.ArgumentParser(
        prog="sdcrisk_{}.py".format(engine),
        usage="%(prog)s [OPTIONS] -- {} ...".format("|".join(COMMANDS)),
        description=doc,
    )
    parser.add_argument("--parts", type=int, metavar="N", help="cut the work into N parts [default: two for each processor of the cluster]")
    parser.add_argument(
        "--shared",
        nargs="?",
        const=os.getcwd(),
        metavar="FOLDER",
        help="workers see this folder, under this path: nothing is sent to them [FOLDER: where it has another path there]",
    )
    parser.add_argument("--program", default="sdcrisk", metavar="PATH", help="the program; with --shared, as workers call it")
    parser.add_argument("--file", action="append", default=[], metavar="PATH", help="a further file to send, where no word of the call names it")
    parser.add_argument("--threads", type=int, metavar="N", help="threads of each part [default: what the engine gives a task]")
    if more is not None:
        more(parser)
    if "--" not in words:
        # Also --help.
        parser.parse_args(words)
        parser.error("write the words of the call behind --")
    place = words.index("--")
    options = parser.parse_args(words[:place])
    options.words = words[place + 1 :]
    return options


def to_standard_error(text):
    sys.stderr.write(text)
    sys.stderr.flush()


def run(options, engine, say=to_standard_error):
    """Does the job, and gives the exit status: `engine` is given it, and the files to bring to workers, and gives the results of all parts;
    `say` writes to standard error.
    """
    job = None
    # A machine that is switched off, or a job that is cancelled, leaves no parts behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        job = Job(options)
        with tempfile.TemporaryDirectory(prefix="sdcrisk-") as folder:
            return job.finish(engine(job, job.staged(folder)), say)
    except Refused as refused:
        say("sdcrisk: {}\n".format(refused))
        return 2
    except Exception as error:
        lost = PartLost.found_in(str(error))
        if lost is None:
            raise
        number, status, said = lost
        how = "exit status {}".format(status) if status >= 0 else "signal {}".format(-status)
        say(said + "sdcrisk: part {}/{} was lost each time it was tried ({})\n".format(number, job.of, how))
        return status if status > 0 else 128 - status
    finally:
        if job is not None:
            job.clear()
