# SPDX-License-Identifier: Apache-2.0
"""Generates the SoC's Verilog (soc/) if the generator, the memory map or the controller's ports have changed."""

from __future__ import annotations

import fcntl
import hashlib
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from launcher.env import steps
from launcher.env.paths import BUILD, ROOT, RTL_SOC, RTL_SOC_TOP, SOC
from launcher.hw import rtl

_STAMP = ".generated"


class SocError(steps.StepFailed):
    """The generator failed; the message has the end of its output."""


def inputs(rtl_folder: Path = RTL_SOC) -> list[Path]:
    """What the Verilog depends on: the generator, the descriptions, the packages (their lock), the controller's ports.

    The rest of the controller may change without another SoC.
    """
    return [
        *sorted((ROOT / "soc").glob("*.py")),
        *sorted((ROOT / "interfaces" / "ormgen").glob("*.py")),
        *sorted((ROOT / "interfaces" / "registers").glob("soc.*")),
        ROOT / "requirements.txt",
        rtl_folder / f"{RTL_SOC_TOP}.sv",
    ]


def digest(files: list[Path]) -> str:
    """Of the files' names and contents."""
    whole = hashlib.sha256()
    for path in files:
        whole.update(path.name.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return whole.hexdigest()


def is_current() -> bool:
    """Whether the output of generate() matches the present inputs. The controller must have been emitted."""
    stamp = SOC / _STAMP
    return stamp.is_file() and stamp.read_text() == digest(inputs())


def is_there() -> bool:
    """Whether generate() has ever made one in this build folder: a build then has the device `soc`."""
    return (SOC / "filelist.f").is_file()


def generate() -> None:
    """Writes the SoC's Verilog into `paths.SOC` unless it is current; equal files keep their time stamps. Several
    processes may call it at a time. Raises SocError.
    """
    with _lock(), tempfile.TemporaryDirectory(dir=BUILD) as scratch:
        if is_current():  # another process has written it meanwhile
            return
        command = [sys.executable, "-m", "soc.generate", "--rtl", str(RTL_SOC), "--out", scratch]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        if done.returncode != 0:
            tail = "\n".join((done.stdout + done.stderr).splitlines()[-20:])
            raise SocError(f"generating the SoC failed ({steps.exit_text(done.returncode)}):\n{tail}")
        (SOC / _STAMP).unlink(missing_ok=True)
        rtl.mirror(Path(scratch), SOC)
        (SOC / _STAMP).write_text(digest(inputs()))


@contextmanager
def _lock() -> Iterator[None]:
    """Allows one generator at a time: they write the same files."""
    BUILD.mkdir(parents=True, exist_ok=True)
    with open(BUILD / "soc.lock", "w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
