# SPDX-License-Identifier: Apache-2.0
"""The options of `./openremap bench`: one record, its defaults, its limits and its checks.

What db_bench has too (ranges, defaults, help, exclusions) comes from interfaces/options/bench.yaml.
"""

from __future__ import annotations

import errno
import os
import tempfile
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import ClassVar

from launcher.bench import bench_description, flash_options
from launcher.bench.bench_description import Mode, Workload
from launcher.cli.documents import is_special
from launcher.env.paths import BUILD
from launcher.hw import facts

KIB = 1024
MIB = 1024 * KIB
GIB = 1024 * MIB


class Device(StrEnum):
    """The simulated device that holds the database."""

    rtl = "rtl"
    model = "model"
    soc = "soc"


DEVICE_HELP = (
    "rtl: the Verilated controller; model: the fast C++ model; soc: the Verilated controller with a CPU that runs the "
    "firmware."
)


@dataclass(frozen=True)
class Limit:
    """Inclusive range of a number; `or_zero`: 0 is valid too. As text: low..high."""

    low: int
    high: int
    or_zero: bool = False

    def __str__(self) -> str:
        return ("0 or " if self.or_zero else "") + f"{self.low}..{self.high}"

    def check(self, flag: str, number: int) -> None:
        """Raises OptionError, which names the option, for a number outside the range."""
        if not self.low <= number <= self.high and not (self.or_zero and number == 0):
            zero = "neither 0 nor" if self.or_zero else "not"
            raise OptionError(f"{flag}: {number} is {zero} between {self.low} and {self.high}")


def flag_of(name: str) -> str:
    """The option that sets an attribute of BenchOptions."""
    return "--" + name.replace("_", "-")


def _described(name: str) -> bench_description.Option:
    return bench_description.OPTIONS[name.replace("_", "-")]


def _default(name: str) -> int:
    number = _described(name).number
    assert number is not None and number.default is not None, name
    return number.default


# The numbers that `bench` passes on to db_bench, with their ranges, in db_bench's order. They are checked before
# anything is built; db_bench checks the same ranges, as both come from interfaces/options/bench.yaml.
PASSED_ON = {
    name.replace("-", "_"): Limit(option.number.low, option.number.high, option.number.or_zero)
    for name, option in bench_description.OPTIONS.items()
    if option.kind == "number" and option.number is not None and name != "sync-every"
}
LIMITS = PASSED_ON | {
    "superblocks": Limit(0, facts.params()["superblocks"]),  # db_bench asks the device
    "jobs": Limit(1, 16),
}

# The choices and switches that it passes on, but for the switches that `bench` has without a value.
CHOICES = {
    name.replace("-", "_"): option.choices or ("on", "off")
    for name, option in bench_description.OPTIONS.items()
    if (option.kind == "choice" and name not in ("workload", "mode"))
    or (option.kind == "switch" and name not in ("precondition", "reserve-image"))
}

_WORKLOAD = Workload(_described("workload").default)
_TRACE_HEAD = f"{bench_description.TRACE_NAME} {bench_description.TRACE_VERSION} ".encode()


def limits_text(name: str) -> str:
    """The range of a number for an option's help, with a space before it."""
    return f" [{LIMITS[name]}]"


def help_text(name: str) -> str:
    """The help of an option that db_bench has too, with its range where it is a number."""
    values = f" [{'|'.join(CHOICES[name])}]" if name in CHOICES else ""
    return _described(name).help + (limits_text(name) if name in LIMITS else values)


@dataclass(frozen=True)
class BenchOptions:
    """One call of `bench`. The default database fills three levels of a device small enough that GC runs."""

    program: ClassVar[str] = "db_bench"  # that it is of, also the CMake target
    workload: Workload = _WORKLOAD
    device: Device = Device.rtl
    modes: tuple[Mode, ...] = (Mode.off, Mode.base, Mode.retain, Mode.blend)
    num: int = _default("num")
    operations: int = _default("operations")
    value_size: int = _default("value_size")
    value_size_max: int = _default("value_size_max")
    key_size: int = _default("key_size")
    seed: int = _default("seed")
    write_buffer: int = _default("write_buffer")
    max_file_size: int = _default("max_file_size")
    level1_bytes: int = _default("level1_bytes")
    level_ratio: int = _default("level_ratio")
    fill_space: int = _default("fill_space")
    last_level_ratio: int = _default("last_level_ratio")
    dynamic_levels: str = _described("dynamic_levels").default
    blend_runs: int = _default("blend_runs")
    blend_rule: str = _described("blend_rule").default
    blend_space: int = _default("blend_space")
    remap_blocks: str = _described("remap_blocks").default
    blend_filter_bits: int = _default("blend_filter_bits")
    bloom_bits: int = _default("bloom_bits")
    mix_insert: int = _default("mix_insert")
    mix_update: int = _default("mix_update")
    mix_read: int = _default("mix_read")
    mix_delete: int = _default("mix_delete")
    mix_scan: int = _default("mix_scan")
    mix_keys: str = _described("mix_keys").default
    utxo_outputs: int = _default("utxo_outputs")
    utxo_flush: int = _default("utxo_flush")
    utxo_cache: int = _default("utxo_cache")
    over_provisioning: int = _default("over_provisioning")
    placement_handles: int = _default("placement_handles")
    mapping_unit: int = _default("mapping_unit")
    placement: str = _described("placement").default
    deallocate: str = _described("deallocate").default
    mkfs_discard: str = _described("mkfs_discard").default
    allocation: str = _described("allocation").default
    align: str = _described("align").default
    journal: str = _described("journal").default
    side: str = _described("side").default
    precondition: bool = False
    block_size: int = _default("block_size")
    seek_compactions: str = _described("seek_compactions").default
    compactions: str = _described("compactions").default
    separate: str = _described("separate").default
    value_log_threshold: int = _default("value_log_threshold")
    value_log_segment: int = _default("value_log_segment")
    value_log_dead: int = _default("value_log_dead")
    value_log_collector: str = _described("value_log_collector").default
    trace_verify: str = _described("trace_verify").default
    superblocks: int = 32
    geometry: str = ""  # of the model's flash; empty: that of the RTL
    firmware_cpu: str = ""  # whose time the firmware takes; empty: that of the device by itself
    reflink: Path | None = None  # folder on a file system with reflinks that holds the database instead of the device
    jobs: int = 2
    json: Path = field(default=BUILD / "bench" / "bench.json")
    plot: Path = field(default=BUILD / "bench" / "bench.png")
    image_dir: Path | None = None
    reserve_image: bool = False
    trace_dir: Path | None = None
    trace: Path | None = None  # file that the first mode writes its operations to
    replay: Path | None = None  # file whose operations every mode runs
    trace_pages: Path | None = None  # folder for what PageFS sends to the device: MODE.pages

    def arguments(self, mode: Mode, result: Path) -> list[str]:
        """db_bench's command line for one mode. Each mode has its own images and waveform."""
        image = str(self.image_dir / mode) if self.image_dir else ""
        trace = str(self.trace_dir / f"{mode}.fst") if self.trace_dir else ""
        operations = str(self.trace) if self.trace and mode == self.modes[0] else ""
        return [
            f"--workload={self.workload}",
            f"--device=reflink:{self.reflink}" if self.reflink else f"--device={self.device}",
            f"--mode={mode}",
            *(f"{flag_of(name)}={getattr(self, name)}" for name in (*PASSED_ON, *CHOICES)),
            f"--geometry={self.geometry}",
            f"--json={result}",
            f"--image-dir={image}",
            f"--precondition={'on' if self.precondition else 'off'}",
            f"--reserve-image={'on' if self.reserve_image else 'off'}",
            f"--trace-file={trace}",
            f"--trace={operations}",
            f"--replay={self.replay or ''}",
            *([f"--firmware-cpu={self.firmware_cpu}"] if self.firmware_cpu and not self.reflink else []),
            *([f"--trace-pages={self.trace_pages / f'{mode}.pages'}"] if self.trace_pages else []),
        ]


@dataclass(frozen=True)
class Sizes:
    """Defaults that depend on the amount of data."""

    write_buffer: int
    max_file_size: int
    level1_bytes: int
    level_ratio: int
    superblocks: int
    geometry: str


# Options of the simulated device, or of the file system on it.
PAGE_FS = (
    "over_provisioning",
    "placement_handles",
    "mapping_unit",
    "placement",
    "deallocate",
    "mkfs_discard",
    "allocation",
    "align",
    "journal",
    "side",
    "precondition",
)

_SMALL = BenchOptions()
SMALL_BYTES = 16 * MIB  # of keys and values; up to here the defaults are the RTL's flash and levels that match it
_LARGE_CHANNELS, _LARGE_DIES, _LARGE_PAGES, PAGE_BYTES = 8, 4, 256, 4096
FLASH_OVER_DATA = 2.5  # about the ratio of the small defaults


def sizes(device: Device, num: int, key_size: int, value_size: int, flash_over_data: float = FLASH_OVER_DATA) -> Sizes:
    """Defaults for a database of `num` items. A large database on the model gets LevelDB's own sizes
    and flash to match.
    """
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
    row = _LARGE_CHANNELS * _LARGE_DIES * _LARGE_PAGES * PAGE_BYTES
    blocks = max(64, -(-int(flash_over_data * data) // row))
    flash = f"{_LARGE_CHANNELS}x{_LARGE_DIES}x{blocks}x{_LARGE_PAGES}"
    return Sizes(4 * MIB, 2 * MIB, 10 * MIB, 10, 0, flash)


def flash_bytes(options: BenchOptions) -> int:
    """Bytes of one mode's flash, which takes memory unless images are kept. 0: the RTL's flash, which is small."""
    return flash_bytes_of(options.geometry, options.superblocks) if options.geometry else 0


def flash_bytes_of(geometry: str, superblocks: int) -> int:
    """Bytes of the superblocks in use (0: all) of a flash, CHANNELSxDIESxBLOCKSxPAGES[xSLOTS]."""
    channels, dies, blocks, pages, *slots = map(int, geometry.split("x"))
    return channels * dies * (superblocks or blocks) * pages * (slots[0] if slots else 1) * PAGE_BYTES


_OWN_VALUES = {Workload.utxo: 31}  # means
_MIXGRAPH_VALUE = 35


def usual_value(workload: Workload, value_size: int, value_size_max: int) -> int:
    """The value size, in bytes, that the default sizes of device and database are derived from."""
    if workload.own_value_sizes:
        return _OWN_VALUES.get(workload, _MIXGRAPH_VALUE)
    return max(value_size, value_size_max)


class OptionError(Exception):
    """An option is wrong. The text is one line that names it."""


def parse_modes(text: str) -> tuple[Mode, ...]:
    """The modes of `off,base,retain`, in that order; the first one is the reference of the comparison."""
    names = [name.strip() for name in text.split(",")]
    known = [mode.value for mode in Mode]
    for name in names:
        if name not in known:
            raise OptionError(f"--mode: '{name}' is not a mode; the modes are {', '.join(known)}")
    if len(set(names)) != len(names):
        raise OptionError(f"--mode: '{text}' has a mode twice")
    return tuple(Mode(name) for name in names)


def is_trace(path: Path) -> bool:
    """Whether a file begins like an operation trace of db_bench, which checks the rest itself."""
    try:
        with path.open("rb") as file:
            return file.read(len(_TRACE_HEAD)) == _TRACE_HEAD
    except OSError:
        return False


def check(options: BenchOptions) -> None:
    """Raises OptionError for a number out of range, a contradiction, or a result that cannot be written."""
    if options.geometry:
        if options.device != Device.model:
            raise OptionError(
                f"--geometry: the flash of {options.device} is fixed when it is built; only model has another"
            )
        if wrong := flash_options.wrong_geometry(options.geometry):
            raise OptionError(f"--geometry: {wrong}")
    for name, limit in LIMITS.items():
        value = getattr(options, name)
        if name == "superblocks" and options.geometry:
            limit = Limit(0, int(options.geometry.split("x")[2]))
        limit.check(flag_of(name), value)
    for name, choices in CHOICES.items():
        if (value := getattr(options, name)) not in choices:
            raise OptionError(f"{flag_of(name)}: '{value}' is none of {', '.join(choices)}")
    if options.num > 10**options.key_size and options.workload != Workload.utxo:
        raise OptionError(f"--num: {options.num} keys need more than --key-size={options.key_size} decimal digits")
    if 0 < options.value_size_max < options.value_size:
        raise OptionError(
            f"--value-size-max: {options.value_size_max} is smaller than --value-size={options.value_size}"
        )
    _check_combinations(options)
    knobs = [name for name in (*PAGE_FS, "trace_pages") if getattr(options, name) != getattr(_SMALL, name)]
    if options.reflink and knobs:
        raise OptionError(f"{flag_of(knobs[0])}: does not apply over reflinks, which have no PageFS")
    if options.trace:
        check_file("--trace", options.trace)
    if options.replay:
        if not options.replay.is_file():
            raise OptionError(f"--replay: there is no file {options.replay}")
        if not is_trace(options.replay):
            raise OptionError(f"--replay: {options.replay} is not an operation trace of this version (see --trace)")
    if options.plot.suffix != ".png":
        raise OptionError(f"--plot: {options.plot} must end in .png")
    check_file("--json", options.json)
    check_file("--plot", options.plot)
    taken = {os.path.realpath(options.json): "the results are written"}
    if os.path.realpath(options.plot) in taken:
        raise OptionError(f"--plot: {options.plot} is where the results are written")
    taken[os.path.realpath(options.plot)] = "the picture is written"
    taken |= {
        os.path.realpath(BUILD / "bench" / f"{mode}{end}"): "the files of a mode are written"
        for mode in options.modes
        for end in (".json", ".log")
    }
    for flag, path in (("--trace", options.trace), ("--replay", options.replay)):
        if path and os.path.realpath(path) in taken:
            raise OptionError(f"{flag}: {path} is where {taken[os.path.realpath(path)]}")
    if options.reserve_image and not options.image_dir:
        raise OptionError("--reserve-image: needs --image-dir")
    if options.image_dir:
        _check_folder("--image-dir", options.image_dir)
        for mode in options.modes:
            if _holds_something(options.image_dir / mode):
                kept = options.image_dir / mode
                raise OptionError(f"--image-dir: {kept} already holds an image; name a new folder or remove it")
    if options.trace_dir:
        if options.device == Device.model:
            raise OptionError(f"--trace-dir: {Device.model} has no waveform, only {Device.rtl} and {Device.soc} have")
        _check_folder("--trace-dir", options.trace_dir)
        for mode in options.modes:
            check_file("--trace-dir", options.trace_dir / f"{mode}.fst")
    if options.trace_pages:
        _check_folder("--trace-pages", options.trace_pages)
        for mode in options.modes:
            check_file("--trace-pages", options.trace_pages / f"{mode}.pages")


def _check_combinations(options: BenchOptions) -> None:
    """Raises OptionError for options that db_bench does not take together, or not for the workload."""
    shares = [name for name in PASSED_ON if name.startswith("mix_")]
    if options.workload == Workload.mix and (percent := sum(getattr(options, name) for name in shares)) != 100:
        raise OptionError(f"--mix-*: insert, update, read, delete and scan add up to {percent} %, not to 100")
    usual = BenchOptions()
    given = [name for name in (*PASSED_ON, *CHOICES) if getattr(options, name) != getattr(usual, name)]
    given += [name for name in ("trace", "replay") if getattr(options, name)]
    for name in given:
        described = _described(name)
        for other in described.excludes:
            if other in given:
                raise OptionError(f"{flag_of(name)}: cannot be combined with {flag_of(other)}")
        if described.workloads and options.workload not in described.workloads:
            raise OptionError(
                f"{flag_of(name)}: does not apply to {options.workload}, only to {', '.join(described.workloads)}"
            )


def _holds_something(folder: Path) -> bool:
    return folder.is_dir() and any(folder.iterdir())


def check_file(flag: str, path: Path) -> None:
    """Raises OptionError unless `path` can be written; a file that is there stays as it is."""
    if path.is_dir():
        raise OptionError(f"{flag}: {path} is a folder")
    if is_special(path):  # Not opened: closing a pipe ends its reader's input, and opening one without a reader blocks.
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
    """Raises OptionError unless files can be made in `folder`, which need not exist yet.

    Creates a file to find out: permission bits do not tell for root, or on a file system mounted read-only.
    """
    nearest = Path.cwd() / folder
    try:
        while not nearest.exists():
            nearest = nearest.parent
        with tempfile.TemporaryDirectory(prefix=".openremap-", dir=nearest):
            pass
    except OSError as error:
        raise OptionError(f"{flag}: cannot write to {folder}: {error.strerror}") from error
