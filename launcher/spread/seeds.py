# SPDX-License-Identifier: Apache-2.0
"""Runs a program with several seeds, side by side on a cluster, and tells what each found."""

from __future__ import annotations

import re
import subprocess
import tempfile
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from launcher.bench.bench_options import LIMITS, Limit, OptionError
from launcher.bench.followed import KILLS
from launcher.env import steps
from launcher.env.paths import RELEASE, ROOT
from launcher.spread.cluster import SpreadFailed, Where
from launcher.spread.spreading import spread
from launcher.spread.work import Again, Outcome, Work

SEEDS = Limit(1, 100_000)
_ERROR_LINES = 20
# In arguments that go to another machine: its tree, and a file of the run that comes back.
_ROOT, _FILE = "{ROOT}", "{FILE}"


@dataclass(frozen=True)
class Seeds:
    """Which seeds, and where they run."""

    first: int
    count: int
    where: Where

    @property
    def alone(self) -> bool:
        """One seed on this machine: the program itself shows its progress and its result."""
        return self.count == 1 and not self.where.scheduler

    @property
    def all(self) -> range:
        return range(self.first, self.first + self.count)

    def check(self) -> None:
        """Raises OptionError unless all of them are seeds."""
        SEEDS.check("--seeds", self.count)
        if self.first + self.count - 1 > LIMITS["seed"].high:
            raise OptionError(f"--seeds: {self.first} and {self.count - 1} more are beyond {LIMITS['seed'].high}")


@dataclass(frozen=True)
class Ran:
    """How the program ended, what it wrote to standard output, and to the file of what it found (empty: nothing)."""

    code: int
    output: str
    found: str = ""


def run_program(program: str, arguments: tuple[str, ...], stop: threading.Event) -> Ran:
    """Called on a worker. `program`: a path, or the name of one of this tree's."""
    with tempfile.TemporaryDirectory(prefix="openremap-seed-") as folder:
        file = Path(folder) / "found.txt"
        given = [argument.replace(_ROOT, str(ROOT)).replace(_FILE, str(file)) for argument in arguments]
        command = [program if "/" in program else str(RELEASE / "bin" / program), *given]
        said, errors = Path(folder) / "output.txt", Path(folder) / "errors.txt"  # the second has its progress, too
        with said.open("w") as out, errors.open("w") as err:
            child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, cwd=folder)
            while child.poll() is None:
                if stop.wait(0.1):
                    child.terminate()
                    try:
                        child.wait(5)
                    except subprocess.TimeoutExpired:
                        child.kill()
        if child.returncode < 0 and -child.returncode in KILLS:
            raise Again(steps.exit_text(child.returncode))
        output = said.read_text(errors="replace").replace(str(file), _FILE)
        if child.returncode not in (0, 1):
            output += "\n".join(errors.read_text(errors="replace").splitlines()[-_ERROR_LINES:])
        return Ran(child.returncode, output, file.read_text() if file.is_file() else "")


def run(
    program: str,
    arguments: Callable[[int], Sequence[str]],
    seeds: Seeds,
    total: Callable[[list[Ran]], str],
    reproducer: Path | None = None,
    path: Path | None = None,
) -> int:
    """Runs the program with each seed and prints what it says, in the order of the seeds. Returns the exit code.

    `total` makes the last line from the outputs. What a seed found is kept beside `reproducer`, which is a file that
    the arguments name. `path`: the program, if it is not this tree's.
    """

    def work(seed: int) -> Work:
        given = tuple(arguments(seed))
        there = tuple(_there(argument, reproducer) for argument in given)
        return Work(f"seed {seed}", f"{program}-{seed}", run_program, (str(path or program), there))

    ran: dict[str, Ran] = {}
    worst = 0
    shown = 0

    def finish(work: Work, outcome: Outcome) -> None:
        nonlocal worst, shown
        if isinstance(outcome.error, SpreadFailed):
            ran[work.name] = Ran(1, str(outcome.error))
        elif outcome.error is not None:
            raise outcome.error
        else:
            ran[work.name] = outcome.value
        code = ran[work.name].code
        worst = max(worst, code if code >= 0 else 1)
        while shown < seeds.count and (name := f"seed {seeds.all[shown]}") in ran:
            _tell(seeds.all[shown], ran[name], reproducer)
            shown += 1
            steps.say(f"{shown} of {seeds.count} seeds")

    programs = () if path else (program,)
    with spread(seeds.where, programs, steps.say) as cluster:
        cluster.run([work(seed) for seed in seeds.all], finish)
    print(total([ran[f"seed {seed}"] for seed in seeds.all]), flush=True)
    return worst


def _there(argument: str, reproducer: Path | None) -> str:
    if reproducer is not None and argument == str(reproducer):
        return _FILE
    return argument.replace(str(ROOT), _ROOT)


def _tell(seed: int, ran: Ran, reproducer: Path | None) -> None:
    output = ran.output
    if reproducer is not None:
        kept = reproducer.with_stem(f"{reproducer.stem}-{seed}")
        kept.unlink(missing_ok=True)
        if ran.found:
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.write_text(ran.found)
        output = output.replace(_FILE, str(kept))
    ended = "" if ran.code in (0, 1) else f" ({steps.exit_text(ran.code)})"
    print(f"seed {seed}:{ended}\n{output.rstrip()}", flush=True)


def sums(what: str) -> Callable[[list[Ran]], str]:
    """The last line of programs that end by such a line: the sums, as `what`, which has `{}` for each number."""
    pattern = re.escape(what).replace(re.escape("{}"), r"(\d+)")

    def total(ran: list[Ran]) -> str:
        lines = [re.search(rf"^{pattern}$", one.output.rstrip().rpartition("\n")[2]) for one in ran]
        numbers = [tuple(map(int, line.groups())) for line in lines if line]
        lost = len(ran) - len(numbers)
        found = [sum(column) for column in zip(*numbers, strict=True)] or [0] * what.count("{}")
        return (f"{lost} of {len(ran)} seeds failed\n" if lost else "") + what.format(*found)

    return total


def findings(ran: list[Ran]) -> str:
    """The last line of programs that end with exit code 1 where they found something."""
    wrong = sum(one.code == 1 for one in ran)
    failed = sum(one.code not in (0, 1) for one in ran)
    return f"{len(ran)} seeds, {wrong} with findings" + (f", {failed} failed" if failed else "")
