#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""full_output.py BIN: programs in BIN whose results do not fit where they go. Those that were not built are left out.

Each ends with exit code 1 and one line on stderr that says why, also where only a help text is lost.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

FAILED = 1
NO_SPACE = "No space left on device"
SCRIPT = "lockstep 1 seed 1 superblocks 8\nwrite 0 1 data 1 fua\n"
FULL = "/dev/full"
SMALL = "1x1x8x8"  # a flash that is quickly filled
QUICK = ["--fill", "1", "--overwrite", "0", "--remap", "0", "--trim", "0"]

# Program, its options, and the output that does not fit: standard output, or a file.
CASES: list[tuple[str, list[str], str]] = [
    ("crash", ["--cuts", "1", "--commands", "5"], ""),
    ("crash", ["--script", "script.txt"], ""),
    ("crash", ["--script", "script.txt", "--exhaustive"], ""),
    ("crash-leveldb", ["--cuts", "1", "--run-cuts", "1", "--mode", "off"], ""),
    ("fuzz", ["--entries", "1"], ""),
    ("fulldevice", ["--drive-writes", "1", "--geometry", SMALL, "--segments", "0"], ""),
    ("lockstep", ["--commands", "1"], ""),
    ("lockstep", ["--commands", "1", "--record", "commands.txt"], ""),
    ("clientspeed", ["--seconds", "0.01", "--rounds", "1", "--json"], ""),
    ("modelspeed", ["--commands", "1"], ""),
    ("modelspeed", ["--commands", "1", "--json"], ""),
    ("recoverytime", QUICK, ""),
    ("recoverytime", [*QUICK, "--json", FULL], FULL),
    ("simspeed", ["--pages", "1"], ""),
    ("soak-leveldb", ["--operations", "1", "--keys", "1", "--mode", "off"], ""),
    ("wear", ["--drive-writes", "1", "--geometry", SMALL], ""),
    ("vfio_device", ["--socket", "s"], ""),
    ("db_bench", ["--device=mem", "--num=100"], ""),
    ("db_bench", ["--describe"], ""),
    ("openremap-cli", ["--device", "model", "identify"], ""),
    ("openremap-cli", ["--version"], ""),
    ("openremap-cli", ["read", "--help"], ""),
    ("pagefs", ["--image", "images", "check"], ""),
    *(
        (program, ["--help"], "")
        for program in (
            *("crash", "crash-leveldb", "fuzz", "fulldevice", "hwbench", "lockstep", "modelspeed", "recoverytime"),
            *("simspeed", "soak-leveldb", "wear", "vfio_device", "db_bench", "openremap-cli", "pagefs"),
        )
    ),
]


def complaint(program: Path, options: list[str], file: str) -> str | None:
    """What is wrong with the end of a program."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "script.txt").write_text(SCRIPT)
        if "images" in options:
            cli = [str(program.parent / "openremap-cli"), "--device", "model", "--image", "images", "identify"]
            subprocess.run(cli, cwd=folder, stdout=subprocess.DEVNULL, timeout=600, check=True)
        with open(FULL, "wb") as full, open("/dev/null", "wb") as null:
            done = subprocess.run(
                [str(program), *options],
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=null if file else full,
                stderr=subprocess.PIPE,
                text=True,
                timeout=600,
                check=False,
            )
    lines = [line for line in done.stderr.splitlines() if not line.startswith("progress ")]
    if done.returncode == FAILED and len(lines) == 1 and NO_SPACE in lines[0] and file in lines[0]:
        return None
    return f"{program.name} {' '.join(options)}: exit code {done.returncode}, {lines}"


def main(programs: str) -> int:
    found = []
    for name, options, file in CASES:
        program = Path(programs).resolve() / name
        if program.exists() and (wrong := complaint(program, options, file)):
            found.append(wrong)
    print(*found, sep="\n", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
