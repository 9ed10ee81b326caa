# SPDX-License-Identifier: Apache-2.0
"""What `./openremap bench` can be told: one record, its defaults and its limits."""

from __future__ import annotations

import errno
import os
import re
import tempfile
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from launcher.cli.documents import is_special
from launcher.env.paths import BUILD
from launcher.hw import facts

KIB = 1024
MIB = 1024 * KIB
GIB = 1024 * MIB


class Workload(StrEnum):
    """LevelDB's names; YCSB's core workloads; Mixgraph's four."""

    fillrandom = "fillrandom"
    fillseq = "fillseq"
    overwrite = "overwrite"
    readrandom = "readrandom"
    readseq = "readseq"
    fillzipfian = "fillzipfian"
    ycsbload = "ycsbload"
    ycsba = "ycsba"
    ycsbb = "ycsbb"
    ycsbc = "ycsbc"
    ycsbd = "ycsbd"
    ycsbe = "ycsbe"
    ycsbf = "ycsbf"
    mixallrandom = "mixallrandom"
    mixalldist = "mixalldist"
    mixprefixrandom = "mixprefixrandom"
    mixprefixdist = "mixprefixdist"

    @property
    def mixgraph(self) -> bool:
        """Whether it is one of Mixgraph's, whose values have sizes of their own."""
        return self.startswith("mix")

    @property
    def stream(self) -> bool:
        """Whether it is a stream of operations, that can be traced."""
        return self not in (
            Workload.fillrandom,
            Workload.fillseq,
            Workload.overwrite,
            Workload.readrandom,
            Workload.readseq,
        )


class Device(StrEnum):
    """Where the database lies."""

    rtl = "rtl"
    model = "model"


class Mode(StrEnum):
    """What a compaction does with unchanged blocks."""

    off = "off"
    base = "base"
    retain = "retain"
    fill = "fill"
    skip = "skip"
    blend = "blend"


@dataclass(frozen=True)
class Limit:
    """Inclusive range of a number. As text: low..high."""

    low: int
    high: int

    def __str__(self) -> str:
        return f"{self.low}..{self.high}"

    def check(self, flag: str, number: int) -> None:
        """Raises OptionError, which names the option, for a number that is not in it."""
        if not self.low <= number <= self.high:
            raise OptionError(f"{flag}: {number} is not between {self.low} and {self.high}")


# db_bench checks the same ranges, which are LevelDB's own where it has one; checked here too so that a wrong one is
# refused before anything is built. CTest `bench.limits` compares both.
LIMITS = {
    "num": Limit(1, 10**9),
    "operations": Limit(0, 10**9),
    "value_size": Limit(0, 16 * MIB),
    "value_size_max": Limit(0, 16 * MIB),
    "key_size": Limit(8, 1024),
    "seed": Limit(0, 2**64 - 1),
    "write_buffer": Limit(64 * KIB, GIB),
    "max_file_size": Limit(16 * KIB, GIB),
    "level1_bytes": Limit(16 * KIB, 1024 * GIB),
    "level_ratio": Limit(2, 100),
    "fill_space": Limit(0, 1000),
    "last_level_ratio": Limit(0, 1000),
    "blend_runs": Limit(1, 64),
    "blend_space": Limit(0, 1000),
    "blend_filter_bits": Limit(0, 20),
    "bloom_bits": Limit(0, 20),
    "superblocks": Limit(0, facts.params()["superblocks"]),
    "jobs": Limit(1, 16),
}


# Name and version of a file of operations, of leveldb-host/bench/trace.cc; CTest `bench.limits` compares.
_TRACE_HEAD = b"openremap-operations 1 "


def limits_text(name: str) -> str:
    """The range of a number for an option's help, with a space before it."""
    return f" [{LIMITS[name]}]"


@dataclass(frozen=True)
class BenchOptions:
    """One call of `bench`. The default database fills three levels of a device small enough that GC runs."""

    workload: Workload = Workload.fillrandom
    device: Device = Device.rtl
    modes: tuple[Mode, ...] = (Mode.off, Mode.base, Mode.retain, Mode.blend)
    num: int = 6000
    operations: int = 0  # of all workloads but reads; 0: num
    value_size: int = 984  # with the key 1000 B, four to a page
    value_size_max: int = 0  # 0: all values have value_size
    key_size: int = 16
    seed: int = 1
    write_buffer: int = 96 * KIB
    max_file_size: int = 256 * KIB
    level1_bytes: int = 512 * KIB
    level_ratio: int = 5
    fill_space: int = 3  # percent; modes fill, skip and blend
    last_level_ratio: int = 15  # mode blend; 0: levels as in the other modes
    blend_runs: int = 12  # of a table; mode blend
    blend_space: int = 30  # percent; mode blend
    blend_filter_bits: int = 10  # of a key; mode blend, where bloom_bits is 0
    bloom_bits: int = 0  # of a key; 0: no filters, but for mode blend
    superblocks: int = 32
    geometry: str = ""  # of the model's flash; empty: that of the RTL
    reflink: Path | None = (
        None  # a folder of a file system with reflinks, which the database lies in instead of on the device
    )
    jobs: int = 2
    json: Path = field(default=BUILD / "bench" / "bench.json")
    plot: Path = field(default=BUILD / "bench" / "bench.png")
    image_dir: Path | None = None
    trace_dir: Path | None = None
    trace: Path | None = None  # the first mode writes its operations there
    replay: Path | None = None  # every mode runs those of this file

    def arguments(self, mode: Mode, result: Path) -> list[str]:
        """db_bench's command line for one mode. Modes keep images and waveforms apart."""
        image = str(self.image_dir / mode) if self.image_dir else ""
        trace = str(self.trace_dir / f"{mode}.fst") if self.trace_dir else ""
        operations = str(self.trace) if self.trace and mode == self.modes[0] else ""
        return [
            f"--workload={self.workload}",
            f"--device=reflink:{self.reflink}" if self.reflink else f"--device={self.device}",
            f"--mode={mode}",
            f"--num={self.num}",
            f"--operations={self.operations}",
            f"--value-size={self.value_size}",
            f"--value-size-max={self.value_size_max}",
            f"--key-size={self.key_size}",
            f"--seed={self.seed}",
            f"--write-buffer={self.write_buffer}",
            f"--max-file-size={self.max_file_size}",
            f"--level1-bytes={self.level1_bytes}",
            f"--level-ratio={self.level_ratio}",
            f"--fill-space={self.fill_space}",
            f"--last-level-ratio={self.last_level_ratio}",
            f"--blend-runs={self.blend_runs}",
            f"--blend-space={self.blend_space}",
            f"--blend-filter-bits={self.blend_filter_bits}",
            f"--bloom-bits={self.bloom_bits}",
            f"--superblocks={self.superblocks}",
            f"--geometry={self.geometry}",
            f"--json={result}",
            f"--image-dir={image}",
            f"--trace-file={trace}",
            f"--trace={operations}",
            f"--replay={self.replay or ''}",
        ]


@dataclass(frozen=True)
class Sizes:
    """What follows from how much is written, unless a person says otherwise."""

    write_buffer: int
    max_file_size: int
    level1_bytes: int
    level_ratio: int
    superblocks: int
    geometry: str


_SMALL = BenchOptions()
SMALL_BYTES = 16 * MIB  # keys and values up to which the RTL's flash and levels to match are the default
_LARGE_CHANNELS, _LARGE_DIES, _LARGE_PAGES, _PAGE = 8, 4, 256, 4096
FLASH_OVER_DATA = 2.5  # about that of the small default


def sizes(device: Device, num: int, key_size: int, value_size: int, flash_over_data: float = FLASH_OVER_DATA) -> Sizes:
    """Defaults for a database of `num` items. The model takes large ones: LevelDB's own sizes then, and flash to match."""
    data = num * (key_size + value_size)
    if device != Device.model or data <= SMALL_BYTES:
        return Sizes(
            _SMALL.write_buffer,
            _SMALL.max_file_size,
            _SMALL.level1_bytes,
            _SMALL.level_ratio,
            _SMALL.superblocks,
            _SMALL.geometry,
        )
    row = _LARGE_CHANNELS * _LARGE_DIES * _LARGE_PAGES * _PAGE
    blocks = max(64, -(-int(flash_over_data * data) // row))
    flash = f"{_LARGE_CHANNELS}x{_LARGE_DIES}x{blocks}x{_LARGE_PAGES}"
    return Sizes(4 * MIB, 2 * MIB, 10 * MIB, 10, 0, flash)


def flash_bytes(options: BenchOptions) -> int:
    """Flash of one mode's device, which is memory when no images are kept; 0: the RTL's, which is small."""
    if not options.geometry:
        return 0
    channels, dies, blocks, pages, *slots = map(int, options.geometry.split("x"))
    return channels * dies * (options.superblocks or blocks) * pages * (slots[0] if slots else 1) * _PAGE


MIXGRAPH_VALUE = 35  # the mean


def usual_value(workload: Workload, value_size: int, value_size_max: int) -> int:
    """The size of value that a device and a database are made for."""
    return MIXGRAPH_VALUE if workload.mixgraph else max(value_size, value_size_max)


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


def is_trace(path: Path) -> bool:
    """Whether a file begins as those that db_bench writes to its --trace; what follows it checks itself."""
    try:
        with path.open("rb") as file:
            return file.read(len(_TRACE_HEAD)) == _TRACE_HEAD
    except OSError:
        return False


def check(options: BenchOptions) -> None:
    """Raises OptionError for a number out of range or a result that has no place to go."""
    if options.geometry:
        if options.device != Device.model:
            raise OptionError(
                f"--geometry: the {options.device} has the flash it was built for; only model takes another"
            )
        if not re.fullmatch(r"[0-9]{1,9}(x[0-9]{1,9}){3,4}", options.geometry):
            raise OptionError(f"--geometry: '{options.geometry}' is not CHANNELSxDIESxBLOCKSxPAGES[xSLOTS]")
    for name, limit in LIMITS.items():
        value = getattr(options, name)
        if name == "superblocks" and options.geometry:
            limit = Limit(0, int(options.geometry.split("x")[2]))
        limit.check("--" + name.replace("_", "-"), value)
    if options.num > 10**options.key_size:
        raise OptionError(f"--num: {options.num} keys cannot be told apart by {options.key_size} decimal digits")
    if options.last_level_ratio == 1:
        raise OptionError("--last-level-ratio: 1 is neither 0 nor at least 2")
    if 0 < options.value_size_max < options.value_size:
        raise OptionError(f"--value-size-max: {options.value_size_max} is less than --value-size")
    if options.trace:
        if options.replay or not options.workload.stream:
            raise OptionError(
                f"--trace: not with --replay, and not of {options.workload}, which is no stream of operations"
            )
        check_file("--trace", options.trace)
    if options.replay:
        if not options.replay.is_file():
            raise OptionError(f"--replay: no file {options.replay}")
        if not is_trace(options.replay):
            raise OptionError(f"--replay: {options.replay} is no file of operations that --trace wrote")
    if options.plot.suffix != ".png":
        raise OptionError(f"--plot: {options.plot} must end in .png")
    check_file("--json", options.json)
    check_file("--plot", options.plot)
    taken = {os.path.realpath(options.json): "the results go"}
    if os.path.realpath(options.plot) in taken:
        raise OptionError(f"--plot: {options.plot} is where the results go")
    taken[os.path.realpath(options.plot)] = "the picture goes"
    taken |= {
        os.path.realpath(BUILD / "bench" / f"{mode}{end}"): "a mode's own files go"
        for mode in options.modes
        for end in (".json", ".log")
    }
    for flag, path in (("--trace", options.trace), ("--replay", options.replay)):
        if path and os.path.realpath(path) in taken:
            raise OptionError(f"{flag}: {path} is where {taken[os.path.realpath(path)]}")
    if options.image_dir:
        _check_folder("--image-dir", options.image_dir)
        for mode in options.modes:
            if _holds_something(options.image_dir / mode):
                kept = options.image_dir / mode
                raise OptionError(f"--image-dir: {kept} holds an image already; name a new folder, or remove it")
    if options.trace_dir:
        if options.device != Device.rtl:
            raise OptionError(f"--trace-dir: only {Device.rtl} has signals to write")
        _check_folder("--trace-dir", options.trace_dir)
        for mode in options.modes:
            check_file("--trace-dir", options.trace_dir / f"{mode}.fst")


def _holds_something(folder: Path) -> bool:
    return folder.is_dir() and any(folder.iterdir())


def check_file(flag: str, path: Path) -> None:
    """Raises OptionError unless `path` can be written; a file that is there stays as it is."""
    if path.is_dir():
        raise OptionError(f"{flag}: {path} is a folder")
    if is_special(path):  # not opened: who reads a pipe would take that for the end, and without a reader it waits
        if not os.access(path, os.W_OK):
            raise OptionError(f"{flag}: {path}: {os.strerror(errno.EACCES)}")
        return
    _check_folder(flag, Path(os.path.realpath(path)).parent)
    try:
        os.close(os.open(path, os.O_WRONLY))
    except FileNotFoundError:
        pass
    except OSError as error:
        raise OptionError(f"{flag}: {path}: {error.strerror}") from error


def _check_folder(flag: str, folder: Path) -> None:
    """Raises OptionError unless files can be made in `folder`, which may not be there yet.

    Tried, not asked: permission bits say little to root, or on a file system that is mounted read-only.
    """
    nearest = Path.cwd() / folder
    try:
        while not nearest.exists():
            nearest = nearest.parent
        with tempfile.TemporaryDirectory(prefix=".openremap-", dir=nearest):
            pass
    except OSError as error:
        raise OptionError(f"{flag}: cannot write to {folder}: {error.strerror}") from error
