# SPDX-License-Identifier: Apache-2.0
"""Runs the Zynq port's self-test (firmware/ports/zynq/selftest.c) in QEMU and reads what it says on its UART."""

from __future__ import annotations

import re
import shutil
import subprocess
import threading
from dataclasses import dataclass, field
from pathlib import Path

from launcher.env import setup

QEMU = "qemu-system-arm"
PACKAGE = "qemu-system-arm"  # Debian's; toolchain.toml says why
MACHINE = ("-machine", "xilinx-zynq-a9", "-m", "1G", "-display", "none", "-monitor", "none")
MEMORY = 1 << 30  # bytes of its DDR
SECONDS = 60.0  # it takes one; a busy machine must not reach this
_LAST = re.compile(r"self-test: (\d+) passed, (\d+) failed, (\d+) skipped")


@dataclass(frozen=True)
class Outcome:
    """What the self-test said, line by line."""

    lines: list[str]
    passed: list[str] = field(default_factory=list)  # names of tests
    failed: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    wrong: str = ""  # why it does not count as passed; empty: it does


def shared_memory(file: Path) -> tuple[str, ...]:
    """QEMU's options for DDR in a file, which has to have its size."""
    backend = f"memory-backend-file,id=ddr,mem-path={file},size={MEMORY},share=on"
    return ("-object", backend, "-machine", "memory-backend=ddr")


def run(elf: Path, until: re.Pattern[str] = _LAST, memory: Path | None = None) -> Outcome:
    """Runs the image until a line that is `until`, at most SECONDS. Raises SetupError without QEMU.

    `memory`: a file for DDR, of MEMORY bytes.
    """
    if shutil.which(QEMU) is None:
        raise setup.SetupError(
            f"{QEMU} is required. Install it as root, then run this again:\n"
            f"  apt-get install -y --no-install-recommends {PACKAGE}",
            2,
        )
    # The machine's first UART is not the console's.
    uarts = ("-serial", "null", "-serial", "stdio")
    ddr = shared_memory(memory) if memory is not None else ()
    command = [QEMU, *MACHINE, *ddr, *uarts, "-device", f"loader,file={elf},cpu-num=0"]
    lines: list[str] = []
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    ) as qemu:
        timer = threading.Timer(SECONDS, qemu.kill)
        timer.start()
        try:
            assert qemu.stdout is not None
            for line in qemu.stdout:
                lines.append(line.rstrip("\r\n"))
                if until.fullmatch(lines[-1]):
                    break
        finally:
            timer.cancel()
            qemu.kill()
    return judge(lines)


def judge(lines: list[str]) -> Outcome:
    """Reads the lines: the last one must be there, and agree with those of the tests."""
    by_word: dict[str, list[str]] = {"pass": [], "FAIL": [], "skip": []}
    for line in lines:
        word, _, rest = line.partition(" ")
        if word in by_word:
            by_word[word].append(rest.split(": not ")[0])
    passed, failed, skipped = by_word.values()
    last = _LAST.fullmatch(lines[-1]) if lines else None
    counted = None if last is None else tuple(int(count) for count in last.groups())
    wrong = ""
    if counted is None:
        wrong = "the self-test did not come to its end" + (f"; its last line: {lines[-1]}" if lines else "")
    elif failed or counted[1]:
        wrong = f"the self-test failed: {', '.join(failed) or 'a test that it does not name'}"
    elif counted != (len(passed), len(failed), len(skipped)) or not passed:
        wrong = f"the self-test counts {lines[-1].partition(': ')[2]}, but names {len(passed)} that passed"
    return Outcome(lines, passed, failed, skipped, wrong)
