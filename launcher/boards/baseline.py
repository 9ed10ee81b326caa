# SPDX-License-Identifier: Apache-2.0
"""`./openremap board check BOARD --baseline`: db_bench on a board that runs another firmware, for a comparison.

Such a firmware has neither vendor commands nor counters. GreedyFTL even stands still at a command that it does not
know. So nothing is sent but what the kernel sends for reads and writes, and the kernel counts them.
"""

from __future__ import annotations

import contextlib
import datetime
import json
import os
import platform
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from launcher.bench import bench
from launcher.bench.bench_description import Mode
from launcher.bench.followed import follow
from launcher.boards import db_bench, disk
from launcher.boards.board import BoardFailed, Reference
from launcher.cli import documents
from launcher.env import build, steps
from launcher.env.paths import BUILD, RELEASE

PROGRAM = "db_bench-node"  # CMake target, too
RESULT = "baseline.json"
_COMMAND_SECONDS = 1800  # of mkfs, which writes all tables, and of a umount


@dataclass(frozen=True)
class Options:
    """`device`: the whole disk, or a folder of a file system on it. `program`: db_bench; None: this tree's, which is
    built. `out`: the folder for the result."""

    board: str
    device: Path
    out: Path
    erase: bool = False
    program: Path | None = None


def run(options: Options, reference: Reference) -> dict[str, Any]:
    """Measures, writes the result and prints a table. Raises BoardFailed, BenchFailed, StepFailed."""
    found: disk.Disk | None = None
    if options.device.is_dir():
        _refuse_folder(options.device)
        model = disk.model_below(options.device)
    else:
        found = disk.find(options.device)
        _refuse_user()
        disk.refuse(found, reference, options.erase)
        model = found.model
    program = options.program or _built()
    if found is None:
        measured = _measure(program, options.device, options.board)
    else:
        # The build may have taken minutes: udev's links may lead elsewhere by now, and somebody may have the disk.
        if disk.find(options.device) != found:
            raise BoardFailed(f"--device: {options.device}: has become another disk meanwhile")
        disk.refuse(found, reference, options.erase)
        with _mounted(found) as folder:
            measured = _measure(program, folder, options.board)
    document = {
        "board": options.board,
        "firmware": reference.firmware if model == reference.model else None,
        "device": str(options.device),
        "model": model or None,
        "bytes": found.size if found else None,
        "file_system": "ext4, new" if found else "as it was",
        "kernel": platform.release(),
        "day": datetime.datetime.now(datetime.UTC).date().isoformat(),
        **measured,
    }
    _write(document, options.out)
    _print(document)
    return document


def _built() -> Path:
    program = RELEASE / "bin" / PROGRAM
    if os.geteuid() == 0 and _owner(BUILD) != 0:  # root would leave files there that the owner cannot change
        if not program.is_file():
            raise BoardFailed(f"there is no {program}: make it as its folder's owner, by ./openremap build")
        return program
    build.everything((PROGRAM,))
    return program


def _owner(folder: Path) -> int:
    return folder.stat().st_uid if folder.exists() else os.geteuid()


def _refuse_user() -> None:
    if os.geteuid() != 0:
        raise BoardFailed("a file system on a disk takes root: use sudo, or name a folder of one that is mounted")


def _refuse_folder(folder: Path) -> None:
    if (folder / "db").exists():
        raise BoardFailed(f"--device: {folder}: there is {folder / 'db'} already, the name of the database")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise BoardFailed(f"--device: {folder}: cannot be written")


@contextlib.contextmanager
def _mounted(found: disk.Disk) -> Iterator[Path]:
    """A new ext4 on the disk."""
    _do("make a file system", [*db_bench.MKFS, str(found.path)])
    folder = Path(tempfile.mkdtemp(prefix="openremap-baseline-"))
    try:
        _do("mount it", ["mount", "-t", "ext4", str(found.path), str(folder)])
        try:
            yield folder
        finally:
            _do("unmount it", ["umount", str(folder)])
    finally:
        with contextlib.suppress(OSError):  # it is still mounted
            folder.rmdir()


def _do(title: str, command: list[str]) -> None:
    with steps.Ticker(title):
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=_COMMAND_SECONDS, check=False)
        except FileNotFoundError:
            raise BoardFailed(f"{title}: there is no {command[0]} on this machine") from None
        except subprocess.TimeoutExpired:
            raise BoardFailed(f"{title}: {command[0]} has not ended after {_COMMAND_SECONDS} s") from None
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip()
        raise BoardFailed(f"{title}: {command[0]}: {said or steps.exit_text(done.returncode)}")


def _measure(program: Path, folder: Path, board: str) -> dict[str, Any]:
    """Runs db_bench in a folder, and removes its database."""
    arguments = db_bench.counted_by_linux(str(folder), db_bench.NUMBERS[board])
    log = BUILD / "logs" / "board-baseline.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    log.unlink(missing_ok=True)  # it may be root's
    stop = threading.Event()
    with tempfile.TemporaryDirectory() as scratch, steps.Ticker("db_bench") as ticker:
        result = Path(scratch) / "result.json"
        command = [str(program), *arguments, f"--json={result}"]
        try:
            ended = follow(
                command, log, lambda done, total, what: ticker.note(f"{what}: {100 * done // max(1, total)} %"), stop
            )
        except OSError as error:
            raise BoardFailed(f"{program}: {error.strerror}") from None
        finally:
            stop.set()
            shutil.rmtree(folder / "db", ignore_errors=True)
        if ended.code != 0:
            raise BoardFailed(f"db_bench: {ended.told}")
        return {"arguments": arguments, "run": _checked(result)}


def _checked(result: Path) -> dict[str, Any]:
    try:
        run = json.loads(result.read_text())
    except (OSError, ValueError, RecursionError) as error:
        raise BoardFailed(f"db_bench succeeded but its result cannot be read ({error})") from error
    return bench.check(run, Mode.off)


def _write(document: dict[str, Any], out: Path) -> None:
    documents.write(document, out / RESULT)


def _print(document: dict[str, Any]) -> None:
    run = document["run"]
    grid = Table(title=f"{document['board']}, {document['model'] or 'unknown disk'}: LevelDB, mode off")
    grid.title_justify = "left"
    grid.add_column("")
    grid.add_column("figure", justify="right")
    rows = [
        ("bytes put", f"{run['user_bytes']:,}"),
        ("bytes written to the disk", f"{run['host_bytes']:,}"),
        ("host bytes / user bytes", f"{run['wa1']:.3f}"),
        ("operations", f"{run['operations']:,}"),
        ("seconds, reading all back included", f"{run['wall_seconds']:.1f}"),
    ]
    for kind, times in run.get("latency_us", {}).items():
        rows += [(f"{kind}, {name}, us", f"{times[name]:,.1f}") for name in ("p50", "p99", "max") if name in times]
    for row in rows:
        grid.add_row(*row)
    Console(highlight=False).print(grid)
