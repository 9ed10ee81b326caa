#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""refused_options.py BIN: wrong options of the programs in BIN, of which those that were not built are left out.

Each gives exit code 2 and one line on stderr, and neither makes a file nor changes one.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

REFUSED = 2
TOO_LARGE = str(1 << 64)
SCRIPT = "lockstep 1 seed 1 superblocks 8\nwrite 0 1 data 1 fua\n"
IMAGES = "--image-dir=images"
MODEL = ("--device=model", "--mode=off")

# Program, its options, and what the line names.
CASES: list[tuple[str, list[str], str]] = [
    # A flash that no device has.
    *(
        (program, [*options, "--geometry", geometry], "geometry")
        for geometry in ("2x2", "0x0x0x0", "1x1x1x1", "99999x1x1x1", "x", "2x2x64x32x3")
        for program, options in (
            ("fuzz", []),
            ("fulldevice", ["--json", "new.json"]),
            ("recoverytime", ["--json", "old"]),
            ("modelspeed", []),
            ("wear", []),
            ("crash", []),
            ("vfio_device", ["--socket", "s", "--image", "images"]),
            ("db_bench", [*MODEL, IMAGES]),
        )
        if program != "db_bench"
    ),
    *(("db_bench", [*MODEL, IMAGES, f"--geometry={geometry}"], "geometry") for geometry in ("2x2", "1x1x1x1")),
    ("fuzz", ["--device", "rtl", "--geometry", "4x4x4x4"], "geometry"),
    # What the soc cannot be, or a build without it.
    ("fuzz", ["--device", "soc", "--geometry", "2x2x64x8x4"], "soc"),
    ("crash", ["--device", "soc", "--wide"], "soc"),
    ("crash", ["--device", "soc", "--cache", "keep"], "soc"),
    ("crash", ["--device", "soc", "--firmware", "remote"], "soc"),
    ("crash", ["--device", "soc", "--geometry", "2x2x64x32"], "soc"),
    ("crash", ["--device", "soc", "--faults", "BAD"], "soc"),
    ("crash", ["--device", "soc", "--segments", "1"], "soc"),
    ("crash", ["--device", "rtl", "--stores"], "--stores"),
    ("lockstep", ["--second", "soc", "--wide"], "soc"),
    ("lockstep", ["--first", "soc", "--second", "soc", "--firmware", "remote"], "soc"),
    ("hwbench", ["--device", "soc", "--wide"], "--wide"),
    ("vfio_device", ["--socket", "s", "--device", "soc", "--geometry", "2x2x64x32"], "soc"),
    ("db_bench", ["--device=soc", "--mode=off", IMAGES, "--geometry=2x2x64x8x4"], "soc"),
    ("db_bench", ["--device=soc", "--mode=off", "--trace-file=a.txt"], ""),
    ("db_bench", ["--device=rtl", "--mode=off", "--trace-file=a.txt"], ".vcd or .fst"),
    ("lockstep", ["--faults", "x=1"], "x"),
    ("lockstep", ["--mix", "nope"], "not in {usual,quick}"),
    ("lockstep", ["--replay", "."], ".: is a folder"),
    ("lockstep", ["--commands", "1", "--summary", "nowhere/new.json"], "nowhere/new.json"),
    ("soak-leveldb", ["--folder", ""], "--folder"),
    ("recoverytime", ["--geometry", "2x2x5x32"], "too small"),
    # A remap table that no device has.
    *(
        (program, [*options, "--segments", segments], "segments")
        for program, options in (
            ("crash", []),
            ("fulldevice", ["--json", "new.json"]),
            ("lockstep", []),
            ("lockstep", ["--record", "new.txt"]),
        )
        for segments in ("1", "4294967295")
    ),
    # Files that cannot be written, before a run that may take hours.
    *(
        (program, [*options, option, file], file)
        for program, options, option in (
            ("crash", [], "--reproducer"),
            ("crash", ["--orders", "1"], "--reproducer"),
            ("lockstep", [], "--reproducer"),
            ("lockstep", [], "--record"),
            ("fulldevice", [], "--json"),
            ("recoverytime", [], "--json"),
        )
        for file in ("nowhere/new.txt", "old/new.txt", ".")
    ),
    ("wear", ["--faults", "x=1"], "x"),
    ("vfio_device", ["--socket", "s", "--image", "images", "--superblocks", "999999"], "superblocks"),
    ("vfio_device", ["--socket", "s" * 200, "--image", "images"], "--socket"),
    ("vfio_device", ["--socket", "nowhere/s", "--image", "images"], "--socket"),
    ("vfio_device", ["--socket", "s", "--reserve-image"], "--reserve-image"),
    # Numbers that the program would read as others.
    *(
        (program, [*options, "--seed", seed], seed)
        for program, options in (
            ("fuzz", []),
            ("fulldevice", []),
            ("recoverytime", []),
            ("modelspeed", []),
            ("wear", []),
            ("crash", []),
            ("crash-leveldb", []),
            ("lockstep", []),
            ("simspeed", []),
            ("hwbench", []),
            ("vfio_device", ["--socket", "s"]),
        )
        for seed in ("-1", TOO_LARGE, "99999999999999999999999")
    ),
    *(
        ("lockstep", [f"--least-{what}", number], number)
        for what in ("moved", "remapped", "vectors", "failed", "retries")
        for number in ("-1", TOO_LARGE)
    ),
    ("wear", ["--most-spread", "-1"], "-1"),
    ("vfio_device", ["--socket", "s", "--superblocks", "-1"], "-1"),
    ("pagefs", ["--image", ".", "--superblocks", "-1", "check"], "-1"),
    ("recoverytime", ["--fill", "nan"], "nan"),
    ("recoverytime", ["--trim", "nan"], "nan"),
    # Options of the crash explorer that do not go together.
    *(
        ("crash", [*run, *option], option[0])
        for run in (["--script", "script.txt"], ["--orders", "1"])
        for option in (
            ["--cuts", "5"],
            ["--commands", "5"],
            ["--sessions", "2"],
            ["--superblocks", "16"],
            ["--segments", "100"],
            ["--shutdowns"],
            ["--wide"],
            ["--geometry", "4x2x64x64"],
            ["--faults", "erase-fail=0.1"],
        )
    ),
    ("crash-leveldb", ["--value-log", "off", "--collector", "copy"], "--collector"),
    ("crash", ["--every", "5"], "--every"),
    ("crash", ["--script", "script.txt", "--every", "5"], "--every"),
    ("crash", ["--script", "script.txt", "--start-cuts", "5"], "--start-cuts"),
    ("crash", ["--script", "script.txt", "--exhaustive", "--at", "5"], "--at"),
    ("crash", ["--script", "script.txt", "--at", "999999"], "0 of 1 cuts"),
    ("crash", ["--script", "script.txt", "--exhaustive", "--every", "1000000"], "--every"),
    # A run that does not fit into its device.
    ("db_bench", [*MODEL, IMAGES, "--num=1000000000"], "--num"),
    ("db_bench", [*MODEL, IMAGES, "--num=1000000000", "--trace-file=new.fst"], ""),
    ("db_bench", [*MODEL, "--reserve-image=on"], "--reserve-image"),
    ("db_bench", [*MODEL, IMAGES, "--check=1"], "--image-dir"),
    ("db_bench-record", [*MODEL, "--num=1000000000", "--superblocks=32", "--record-file=old"], "--num"),
    ("db_bench-record", [*MODEL, "--record-file=old"], "--record-file"),
    ("db_bench-record", [*MODEL, "--superblocks=32", "--record-file=old", "--image-dir=old"], "old"),
    # Arguments that would be ignored.
    ("db_bench", ["--describe", "--num=1"], "--describe"),
    ("db_bench", ["--num=1", "--describe"], "--describe"),
    ("openremap-cli", ["--version", "identify"], "--version"),
    ("openremap-cli", ["--image", "images", "--version", "--json", "identify"], "--version"),
    ("openremap-cli", ["--reserve-image", "identify"], "--reserve-image"),
]


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() if path.is_file() else b"" for path in sorted(folder.rglob("*"))}


def complaint(program: Path, options: list[str], named: str) -> str | None:
    """What is wrong with the answer of a program."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "old").write_text("what was there")
        (folder / "script.txt").write_text(SCRIPT)
        before = contents(folder)
        done = subprocess.run(
            [str(program), *options],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        lines = [line for line in done.stderr.splitlines() if line.strip() and not line.startswith("\r")]
        changed = contents(folder) != before
    if done.returncode == REFUSED and len(lines) == 1 and named in lines[0] and not changed:
        return None
    made = ", and files have changed" if changed else ""
    return f"{program.name} {' '.join(options)}: exit code {done.returncode}, {lines}{made}"


def main(programs: str) -> int:
    found = []
    for name, options, named in CASES:
        program = Path(programs).resolve() / name
        if program.exists() and (wrong := complaint(program, options, named)):
            found.append(wrong)
    print(*found, sep="\n", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
