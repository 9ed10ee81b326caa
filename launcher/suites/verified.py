# SPDX-License-Identifier: Apache-2.0
"""Which sources the Verilated RTL was tested on, with their firmware: a record of green suites in the build folder.

`./openremap test` writes it, and `./openremap board flash` asks it. It keeps people from loading by mistake what nobody
has tested. It is a plain file: whoever wants to deceive themselves can.
"""

from __future__ import annotations

import datetime
import fcntl
import hashlib
import json
import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from launcher.cli import documents
from launcher.env import steps, version
from launcher.env.digests import of_files
from launcher.env.paths import BUILD, ROOT
from launcher.hw import rtl
from launcher.suites.reports import Totals
from launcher.suites.running import Selection

# The default suites that simulate this project's Verilog in Verilator: `scala` small parts, `cocotb` each unit and the
# whole controller, `native` whole devices with firmware compiled for the PC, `soc` those with the firmware's image on a
# CPU in RTL. The others either look at netlists and proofs (`formal`, `levels`) or run the fast model in place of the
# RTL (`sanitized`, `guest`), so they say less about what a board gets.
VERILATED = ("scala", "native", "soc", "cocotb")
FILE = BUILD / "verified.json"
_VERSION = 1  # of the file
# Variables of the environment with which a suite's programs leave cases out by themselves.
NARROWING = ("PYTEST_ADDOPTS", "COCOTB_TEST_FILTER", "COCOTB_TESTCASE", "GTEST_TOTAL_SHARDS")
_GIT_SECONDS = 20
_DIGEST = re.compile(r"[0-9a-f]{64}")


class RecordDamaged(Exception):  # noqa: N818 - reads as what happened
    """The record cannot be read; the message says why, and what to do."""


@dataclass(frozen=True)
class Digests:
    """Of all sources of the Verilog, SoC included, and of all sources of the firmware."""

    rtl: str
    firmware: str

    def __str__(self) -> str:
        return f"RTL {self.rtl[:12]}, firmware {self.firmware[:12]}"


@dataclass(frozen=True)
class State:
    """Of the sources at a time. `times`: of their files; they tell of a change that was taken back, as by git stash."""

    digests: Digests
    times: str


@dataclass(frozen=True)
class Green:
    """A run of a whole suite in which nothing failed. `commit`: None when the tree had changes, or is none of git."""

    passed: int
    skipped: int
    seed: int
    day: str
    version: str
    commit: str | None


def digests(root: Path = ROOT) -> Digests:
    """Of the present sources."""
    return Digests(of_files(_soc(root), root, rtl.source_digest()), of_files(_firmware(root), root))


def state() -> State:
    """Of the present sources. Raises OSError for a file that cannot be read."""
    times = hashlib.sha256()
    for path in [*rtl.source_files(), *_soc(ROOT), *_firmware(ROOT)]:
        times.update(os.fsencode(f"{path} {path.stat().st_mtime_ns}\0"))
    return State(digests(), times.hexdigest())


def _soc(root: Path) -> list[Path]:
    """What of the RTL is not emitted from hw/src: LiteX's part (launcher/boards/litex_soc.py), and a wrapper."""
    return _files(
        [
            *(root / "soc").rglob("*.py"),
            *(root / "soc").rglob("*.v"),
            *(root / "interfaces" / "ormgen").glob("*.py"),
            *(root / "interfaces" / "registers").glob("soc.*"),
            *(root / "constraints").rglob("*.toml"),  # the boards' ports
            root / "launcher" / "boards" / "pcie7.py",
            root / "launcher" / "boards" / "cosmos" / "wrapper.py",
            root / "hw" / "facts.json",
            root / "requirements.txt",  # LiteX's version
        ]
    )


def _firmware(root: Path) -> list[Path]:
    folders = [root / folder for folder in ("firmware", "interfaces/gen/c", "interfaces/include")]
    found = [path for folder in folders for path in folder.rglob("*")]
    return _files([path for path in found if "tests" not in path.relative_to(root).parts])


def _files(paths: list[Path]) -> list[Path]:
    return [path for path in sorted(paths) if path.is_file() and "__pycache__" not in path.parts]


def commit() -> str | None:
    """The commit that is checked out; None when files differ from it, or where git has no answer for this tree."""
    try:
        top, head, changes = (
            subprocess.run(
                ["git", "--no-optional-locks", *words],
                cwd=ROOT,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=_GIT_SECONDS,
                check=True,
            ).stdout.strip()
            for words in (
                ["rev-parse", "--show-toplevel"],  # a tree without git may lie in a repository of something else
                ["rev-parse", "HEAD"],
                ["status", "--porcelain", "--untracked-files=normal"],
            )
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return head if Path(top).resolve() == ROOT and not changes else None


def read() -> dict[Digests, dict[str, Green]]:
    """The green suites of all sources that were tested. Raises RecordDamaged."""
    try:
        text = FILE.read_text()
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise RecordDamaged(f"{FILE}: {error}") from error
    try:
        return _parsed(json.loads(text))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise RecordDamaged(
            f"{FILE}: is damaged ({error!r}); remove it, and run ./openremap test {' '.join(VERILATED)}"
        ) from error


def _parsed(document: Any) -> dict[Digests, dict[str, Green]]:
    if document["version"] != _VERSION:
        raise ValueError(f"version {document['version']}, not {_VERSION}")
    found = {}
    for entry in document["builds"]:
        if not all(_DIGEST.fullmatch(entry[name]) for name in ("rtl", "firmware")):
            raise ValueError("a digest is none")
        suites = {name: Green(**green) for name, green in entry["suites"].items()}
        for name, green in suites.items():
            if type(green.passed) is not int or green.passed < 1:
                raise ValueError(f"{name}: nothing passed")
        found[Digests(entry["rtl"], entry["firmware"])] = suites
    return found


def missing(built: Digests) -> list[str]:
    """The suites that have no green record of these sources. Raises RecordDamaged."""
    green = read().get(built, {})
    return [name for name in VERILATED if name not in green]


def note(suite: str, selection: Selection, totals: Totals, before: State | None) -> None:
    """Records how a suite ended. `before`: the sources when it began; None: they could not be read. Raises OSError.

    A whole suite without a failure makes a record; a failure, also of a part of the suite, removes it. A suite under
    which the sources changed makes none, since nobody knows which of them it has tested.
    """
    if suite not in VERILATED:
        return
    after = state()
    if totals.failures:
        _change(suite, {seen.digests for seen in (before, after) if seen}, None)
        return
    if selection.expression or selection.code_coverage or not totals.passed + sum(totals.apart.values()):
        return
    if before != after:
        steps.say(f"{suite}: not recorded as green: its sources changed while it ran")
        return
    if narrow := [name for name in NARROWING if os.environ.get(name)]:
        steps.say(f"{suite}: not recorded as green: cases may have been left out, as {', '.join(narrow)} is set")
        return
    passed = totals.passed + sum(totals.apart.values())  # repeats of cases in another build are runs of this suite, too
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    green = Green(passed, len(totals.skipped), selection.seed, today, version.number(), commit())
    _change(suite, {after.digests}, green)
    steps.say(f"{suite}: recorded as green on {after.digests}")


def _change(suite: str, builds: set[Digests], green: Green | None) -> None:
    """Sets, or with None removes, the record of a suite."""
    FILE.parent.mkdir(parents=True, exist_ok=True)
    with _lock():
        try:
            known = read()
        except RecordDamaged as error:
            aside = FILE.with_name("verified.damaged.json")
            FILE.replace(aside)
            steps.say(f"{error}\nit is {aside.name} now; a new record begins")
            known = {}
        for build in builds:
            suites = known.setdefault(build, {})
            suites.pop(suite, None)
            if green is not None:
                suites[suite] = green
        try:
            _write({build: suites for build, suites in known.items() if suites})
        except OSError:  # a full disk
            if green is None:  # better no record at all than one that has become wrong
                FILE.unlink(missing_ok=True)
            raise


def _write(known: dict[Digests, dict[str, Green]]) -> None:
    builds = [
        {**asdict(build), "suites": {name: asdict(green) for name, green in suites.items()}}
        for build, suites in known.items()
    ]
    documents.write({"version": _VERSION, "builds": builds}, FILE)


@contextmanager
def _lock() -> Iterator[None]:
    """One writer at a time: two test runs in one build folder must not lose each other's records."""
    with open(FILE.with_name(f"{FILE.name}.lock"), "w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
