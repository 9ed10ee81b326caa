# SPDX-License-Identifier: Apache-2.0
"""What `./openremap bench` can be told: one record, its defaults and its limits."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

KIB = 1024
MIB = 1024 * KIB
GIB = 1024 * MIB


class Workload(StrEnum):
    """LevelDB's names."""

    fillrandom = "fillrandom"
    fillseq = "fillseq"
    overwrite = "overwrite"
    readrandom = "readrandom"
    readseq = "readseq"


class Device(StrEnum):
    """Where the database lies."""

    rtl = "rtl"


class Mode(StrEnum):
    """What a compaction does with unchanged blocks."""

    off = "off"
    base = "base"
    retain = "retain"


@dataclass(frozen=True)
class Limit:
    """Inclusive range of a number."""

    low: int
    high: int


# db_bench checks the same ranges, which are LevelDB's own where it has one; checked here too so that a wrong one is
# refused before anything is built.
LIMITS = {
    "num": Limit(1, 10**9),
    "value_size": Limit(0, 16 * MIB),
    "key_size": Limit(8, 1024),
    "seed": Limit(0, 2**64 - 1),
    "write_buffer": Limit(64 * KIB, GIB),
    "max_file_size": Limit(16 * KIB, GIB),
    "level1_bytes": Limit(16 * KIB, 1024 * GIB),
    "level_ratio": Limit(2, 100),
    "superblocks": Limit(0, 2**32 - 1),
    "jobs": Limit(1, 16),
}


@dataclass(frozen=True)
class BenchOptions:
    """One call of `bench`. The default database fills three levels of a device small enough that GC runs."""

    workload: Workload = Workload.fillrandom
    device: Device = Device.rtl
    modes: tuple[Mode, ...] = (Mode.off, Mode.base, Mode.retain)
    num: int = 6000
    value_size: int = 984  # with the key 1000 B, four to a page
    key_size: int = 16
    seed: int = 1
    write_buffer: int = 96 * KIB
    max_file_size: int = 256 * KIB
    level1_bytes: int = 512 * KIB
    level_ratio: int = 5
    superblocks: int = 32
    jobs: int = 2
    json: Path = field(default=Path("build/bench/bench.json"))
    plot: Path = field(default=Path("build/bench/bench.png"))
    image_dir: Path | None = None
    trace_dir: Path | None = None

    def arguments(self, mode: Mode, result: Path) -> list[str]:
        """db_bench's command line for one mode. Modes keep images and waveforms apart."""
        image = str(self.image_dir / mode) if self.image_dir else ""
        trace = str(self.trace_dir / f"{mode}.fst") if self.trace_dir else ""
        return [
            f"--workload={self.workload}",
            f"--device={self.device}",
            f"--mode={mode}",
            f"--num={self.num}",
            f"--value-size={self.value_size}",
            f"--key-size={self.key_size}",
            f"--seed={self.seed}",
            f"--write-buffer={self.write_buffer}",
            f"--max-file-size={self.max_file_size}",
            f"--level1-bytes={self.level1_bytes}",
            f"--level-ratio={self.level_ratio}",
            f"--superblocks={self.superblocks}",
            f"--json={result}",
            f"--image-dir={image}",
            f"--trace-file={trace}",
        ]


class OptionError(Exception):
    """One line about an option a person gave."""


def parse_modes(text: str) -> tuple[Mode, ...]:
    """`off,base,retain` in the order given, which is the table's; the first is what the others are compared with."""
    names = [name.strip() for name in text.split(",")]
    known = [mode.value for mode in Mode]
    for name in names:
        if name not in known:
            raise OptionError(f"--mode: '{name}' is none of {', '.join(known)}")
    if len(set(names)) != len(names):
        raise OptionError(f"--mode: '{text}' names a mode twice")
    return tuple(Mode(name) for name in names)


def check(options: BenchOptions) -> None:
    """Raises OptionError for a number out of range or a result that has no place to go."""
    for name, limit in LIMITS.items():
        value = getattr(options, name)
        if not limit.low <= value <= limit.high:
            flag = "--" + name.replace("_", "-")
            raise OptionError(f"{flag}: {value} is not between {limit.low} and {limit.high}")
    if options.num > 10**options.key_size:
        raise OptionError(f"--num: {options.num} keys cannot be told apart by {options.key_size} decimal digits")
    for flag, path in (("--json", options.json), ("--plot", options.plot)):
        if path.is_dir():
            raise OptionError(f"{flag}: {path} is a folder")
        if not _can_be_made(path.parent):
            raise OptionError(f"{flag}: {path.parent} is not a folder that can be written to")
    if options.plot.suffix != ".png":
        raise OptionError(f"--plot: {options.plot} must end in .png")


def _can_be_made(folder: Path) -> bool:
    """Whether `folder` is, or could become, a folder."""
    while not folder.exists():
        folder = folder.parent
    return folder.is_dir()
