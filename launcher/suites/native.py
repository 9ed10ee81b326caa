# SPDX-License-Identifier: Apache-2.0
"""The suites of native programs: CTest in each build, and the longer runs of `long`."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from launcher.bench.bench_description import Mode
from launcher.env import build, paths, steps
from launcher.env.paths import BUILD, RELEASE, ROOT, SANITIZED, THREADS
from launcher.hw import crossings
from launcher.suites import boards, crash, gtest_batch, running
from launcher.suites.reports import Totals, read_junit
from launcher.suites.running import Selection


@dataclass(frozen=True)
class Part:
    """The part of a build's tests that one suite runs."""

    folder: Path
    targets: tuple[str, ...] = ()  # what it builds; nothing: everything
    selects: tuple[str, ...] = ()  # options of CTest
    strict: Mapping[str, str] = field(default_factory=dict)  # environment of the tests
    case_seconds: int = running.CASE_SECONDS
    with_soc: bool = False  # the device `soc` is among what is tested


def _ctest(suite: str, part: Part, selection: Selection) -> Totals:
    build.verilog(part.with_soc)
    build.native(part.folder, part.targets)
    return _run_ctest(suite, part, selection)


def _run_ctest(suite: str, part: Part, selection: Selection) -> Totals:
    report, log = paths.REPORTS / f"{suite}.xml", running.log_file(suite)
    report.unlink(missing_ok=True)
    command = ["ctest", "--test-dir", str(part.folder), "-j", str(running.JOBS), "--output-on-failure"]
    command += ["--output-junit", str(report), "--timeout", str(part.case_seconds), *_selects(part, selection)]
    environment = {**selection.environment(), **part.strict}
    outcome = steps.run(f"{suite}: CTest", command, log, env=environment, timeout=running.SUITE_SECONDS)
    return running.blame(read_junit(report) if report.exists() else Totals(), f"{suite} (CTest)", outcome, log)


def _selects(part: Part, selection: Selection) -> tuple[str, ...]:
    if not selection.expression:
        return part.selects
    return (*part.selects, "-R", re.escape(selection.expression))  # CTest takes a regular expression


# Kinds of tests and the targets that build their programs: cmake/Project.cmake.
# The cases of programs that were not built have no label. CTest shows each program as a failed test *_NOT_BUILT.
_DEVICES = ("-LE", "^(unit|soc$)", "-E", "_NOT_BUILT$")
_SOC = ("-L", "^soc$", "--no-tests=error")
_UNITS = ("-L", "^unit")
_MEMORY = ("-L", "^memory")
# AddressSanitizer keeps frames that have returned, so that a use of them is found: by default a MiB for each size of
# frame. Power cuts are forks, which then mostly copy page tables. So it keeps 64 KiB.
_UNDER_SANITIZERS = {
    "UBSAN_OPTIONS": "print_stacktrace=1",
    "ASAN_OPTIONS": "detect_stack_use_after_return=1:max_uar_stack_size_log=16",
}

# Tests that the sanitized build leaves out altogether:
# - Upstream LevelDB's tests, except in one mode; `native` runs the short ones in every mode and the long ones in
#   another. On PageFS they do not run here. autocompact_test is left out altogether: it only writes and compacts
#   100 MB, which db_test and the tests of the modes do on a smaller scale.
# - Lockstep, except one part of each mix, and fuzzing of the RTL with stalls: Verilated RTL is slow under sanitizers,
#   and they are not meant to check its generated C++.
SANITIZED_LEAVES_OUT = "|".join(
    (
        r"^upstream\..*\.(off|base|retain|fill|skip)$",
        r"^upstream\.autocompact_test\.",
        # faults: until the first failing program the same RTL runs
        r"^verify\.lockstep\.(2|quick\.[234]|no-rest|faults)$",
        r"^verify\.fuzz\.stalls$",
        r"/(Queues|OnePage|DestageLongTest)\..*/wide_model",  # long, and run on the model with one slot a page
    )
)


def native(selection: Selection) -> Totals:
    """Whole devices and programs, with the optimisation of a release: all C and C++ tests that are no unit tests."""
    return _ctest("native", Part(RELEASE, ("device_tests",), _DEVICES), selection)


def soc(selection: Selection) -> Totals:
    """The firmware's image on a CPU in RTL: starts, commands, power cuts, LevelDB, lockstep with native firmware."""
    programs = ("soc_device_test", "lockstep", crash.PROGRAM, "db_bench", "openremap-cli", "firmwaretime")
    return _ctest("soc", Part(RELEASE, programs, _SOC, with_soc=True), selection)


def sanitized(selection: Selection) -> Totals:
    """Unit tests and some runs of whole devices under AddressSanitizer and UndefinedBehaviorSanitizer."""
    units = Part(SANITIZED, ("unit_tests", "memory_tests"), _UNITS, _UNDER_SANITIZERS)
    build.verilog()
    build.native(units.folder, units.targets)
    environment = {**selection.environment(), **units.strict}
    cases = gtest_batch.listed(units.folder, _selects(units, selection))
    totals = gtest_batch.run("sanitized", cases, paths.REPORTS, environment, units.case_seconds, running.JOBS)
    totals.add(_run_ctest("sanitized", replace(units, selects=_MEMORY), selection))
    return totals


def native_all(selection: Selection) -> Totals:
    """Every C and C++ test, with the optimisation of a release."""
    return _ctest("native-all", Part(RELEASE, with_soc=True), selection)


def sanitized_all(selection: Selection) -> Totals:
    """Every C and C++ test that is fit for AddressSanitizer and UndefinedBehaviorSanitizer."""
    return _ctest("sanitized-all", Part(SANITIZED, (), ("-E", SANITIZED_LEAVES_OUT), _UNDER_SANITIZERS), selection)


def tsan(selection: Selection) -> Totals:
    """The multi-threaded C and C++ tests under ThreadSanitizer."""
    environment = {"TSAN_OPTIONS": "halt_on_error=1 second_deadlock_stack=1"}
    part = Part(THREADS, ("thread_tests",), ("-L", "threads$"), environment, running.THREADS_CASE_SECONDS)
    return _ctest("tsan", part, selection)


# Hazard tests on a few pages while GC moves them; those on the RTL run until GC has met the hazard.
RACES = "one_page_controller_test"
FULL = "fulldevice"
SOAK = "soak-leveldb"
# The controller's tests in which firmware takes part, on the model. Not those of a firmware that takes a CPU's time,
# which only native firmware does (AllSegmentsAtOnce is one of them).
REMOTE_CASES = "Kinds/*/model:Devices/*/model:-*LongTest*:*FirmwareTimeTest*:*.AllSegmentsAtOnce/*"
RACES_CASES = "*WhileGarbageCollectionMovesIt/rtl:*WhileGarbageCollectionMovesIt/wide_rtl"


# Not with a cache: devices with DRAM of gigabytes, of which a cache keeps two copies and looks at every line; and what
# chooses its cache itself. Firmware elsewhere has no simulated cache.
_HUGE = r"^sim\.params\.|Tebibyte"
WITHOUT_CACHE = (
    rf"{_HUGE}|^controller\.Cached/|^verify\.cache\.|^verify\.(crash|fuzz)\.(rtl-)?cache"
    r"|^verify\.(remote\.|RemoteFirmware)|_NOT_BUILT$"
)

# Runs hwbench and checks that its figures are within their bounds.
_BOUNDS = (sys.executable, str(ROOT / "verify" / "tests" / "measure" / "hwbench_bounds.py"))
# Test programs that import the launcher's modules.
_PYTHON = ("env", f"PYTHONPATH={ROOT}", sys.executable)
# Upstream's tests that take long, in the modes that other suites leave out.
_OTHER_MODES = r"^upstream\..*\.((off|blend)(-separated)?|base|fill|skip)$"
_XFS = (*_PYTHON, str(ROOT / "leveldb-host" / "linuxfs" / "tests" / "reflink_on_xfs.py"))
_VALUE_LOG = (*_PYTHON, str(ROOT / "leveldb-host" / "linuxfs" / "tests" / "value_log_on_file_systems.py"))
_SOC_TESTS = ROOT / "verify" / "tests" / "soc"
_PLYVEL = (*_PYTHON, str(ROOT / "leveldb-host" / "dropin" / "tests" / "dropin_with_plyvel.py"))


# CMake target: the device `soc` with the image that drops no lines of the CPU's cache (firmware/ports/litex).
STALE = "orm_device_stale"
# CMake target: the device `rtl` with assertions that its clocks only stop where no register changes.
WATCHED = "orm_device_watched"


def _long_soc(programs: Path, in_release: list[str]) -> dict[str, list[str]]:
    """The device `soc`, whose starts take a minute each: less of everything than the RTL, but of everything."""
    soc = crash.Device.soc
    cuts = crash.Options(device=soc, superblocks=8, segments=68, commands=100, cuts=300, stores=True)
    # They have what random commands seldom do: destaging, formats, snapshots.
    scripts = tuple(crash.SCRIPTS / f"{name}.txt" for name in ("remap", "gc", "destage", "format", "shutdown"))
    lockstep = [str(programs / "lockstep"), "--first", "rtl", "--second", "soc", "--shrink-runs", "0"]
    lockstep += ["--superblocks", "24", "--segments", "68", "--first-round", "10000", "--reproducer"]
    return {
        "crash-soc": [str(programs / crash.PROGRAM), *crash.arguments(cuts)],
        "crash-soc-scripts": [
            str(programs / crash.PROGRAM),
            *crash.arguments(crash.Options(device=soc, exhaustive=True, every=400), scripts),
        ],
        "crash-soc-leveldb": [
            str(programs / crash.LEVELDB),
            *crash.arguments(crash.Options(device=soc, leveldb=True, cuts=10, modes=(Mode.blend,))),
        ],
        "lockstep-soc": [
            *[*lockstep, str(paths.REPORTS / "soc.txt"), "--commands", "2000", "--power-cycles", "3"],
            *["--least-moved", "500", "--least-remapped", "500", "--least-vectors", "20"],
        ],
        "lockstep-soc-quick": [
            *[*lockstep, str(paths.REPORTS / "soc-quick.txt"), "--commands", "8000", "--power-cycles", "2"],
            *["--mix", "quick", "--round", "8000"],
        ],
        # The image that drops no lines of the CPU's cache must be found, by a run that the right one passes.
        "stale-soc": [*in_release, "-C", "long", "-R", r"^verify\.soc\.(lists|stale)$"],
        "fuzz-soc": [str(programs / "fuzz"), "--device", "soc", "--entries", "2000"],
        "fuzz-soc-stalls": [str(programs / "fuzz"), "--device", "soc", "--stalls", "--entries", "4000"],
        # The bench as it is by itself, and the model's time against it.
        "bench-soc": [*_PYTHON, str(_SOC_TESTS / "bench_time.py"), str(programs / "db_bench")],
        "replay-soc": [
            *[*_PYTHON, str(_SOC_TESTS / "replay_of_soc.py"), str(programs / "db_bench"), str(programs / "ioreplay")]
        ],
        "firmware-costs": [str(ROOT / "openremap"), "firmware", "calibrate", "--check"],
        # This lets the build make the soc's model with waveforms, which no other needs.
        "bench-soc-waveform": [
            *[*_PYTHON, str(_SOC_TESTS / "clocks_of_soc.py"), str(ROOT / "openremap"), str(BUILD / "soc-waveform")]
        ],
    }


def long(selection: Selection) -> Totals:
    """More random commands than in `native`, and upstream LevelDB's long tests in the modes that `native` leaves out.

    Most of the time is simulation of the RTL.
    """
    programs = RELEASE / "bin"
    lockstep, fuzz = str(programs / "lockstep"), str(programs / "fuzz")
    # Rounds that `native` does not run.
    more = ["--first-round", "10000", "--reproducer"]
    quick = ["--mix", "quick", "--round", "8000"]
    in_release = ["ctest", "--test-dir", str(RELEASE), "--output-on-failure", "--no-tests=error"]
    few_segments = ["--superblocks", "24", "--segments", "68"]
    commands = {
        "crash-model": [str(programs / crash.PROGRAM), *crash.arguments(crash.Options(exhaustive=True))],
        "crash-rtl": [
            str(programs / crash.PROGRAM),
            *crash.arguments(crash.Options(device=crash.Device.rtl, cuts=500, commands=40)),
        ],
        "crash-sessions": [
            str(programs / crash.PROGRAM),
            *crash.arguments(crash.Options(cuts=100_000, sessions=40, commands=1500, superblocks=8)),
        ],
        # More regions of the trim bitmap than a checkpoint remembers.
        "crash-regions": [
            *("env", "OPENREMAP_FW_CPU=none", str(programs / crash.PROGRAM)),
            *crash.arguments(
                crash.Options(cuts=1000, sessions=20, commands=4000, superblocks=24, geometry="4x2x24x128")
            ),
        ],
        "crash-orders": [str(programs / crash.PROGRAM), *crash.arguments(crash.Options(orders=3))],
        "crash-rtl-shutdowns": [
            str(programs / crash.PROGRAM),
            *crash.arguments(crash.Options(device=crash.Device.rtl, cuts=100, commands=40, shutdowns=True)),
        ],
        **{
            f"full-drive-writes-{pages}": [str(programs / FULL), "--geometry", pages, "--drive-writes", "10"]
            for pages in ("2x2x64x32", "2x2x64x8x4")
        },
        # All of `native` once more, with a firmware that has a data cache.
        "native-cache": [
            *["env", "OPENREMAP_FW_CACHE=evict", "ctest", "--test-dir", str(RELEASE), "-j", str(running.JOBS)],
            *["--output-on-failure", "--no-tests=error", "--timeout", str(running.CASE_SECONDS)],
            *["-LE", "^(unit|soc$)", "-E", WITHOUT_CACHE],  # the soc has a cache of its own
        ],
        # The firmware's image for a Zynq, in QEMU.
        "remote-lockstep": [
            *[lockstep, "--second", "rtl", "--firmware", "remote", "--commands", "3000", *more],
            str(paths.REPORTS / "remote.txt"),
        ],
        "remote-crash": [
            str(programs / crash.PROGRAM),
            *crash.arguments(crash.Options(firmware="remote", cuts=500)),
        ],
        "remote-controller": [
            *["env", "OPENREMAP_FIRMWARE=remote", str(programs / "controller_test")],
            f"--gtest_filter={REMOTE_CASES}",
        ],
        "crash-leveldb": [
            str(programs / crash.LEVELDB),
            *crash.arguments(crash.Options(leveldb=True, cuts=10000, seed=1000)),
        ],
        # Each collector of the value log, under the RTL.
        "crash-rtl-value-log": [
            str(programs / crash.LEVELDB),
            *crash.arguments(
                crash.Options(
                    device=crash.Device.rtl,
                    leveldb=True,
                    cuts=30,
                    seed=1000,
                    modes=(Mode.blend,),
                    value_log=crash.ValueLog.on,
                    collectors=crash.COLLECTORS,
                )
            ),
        ],
        # As KVSSD's nLSM and rLSM(-) have it.
        "crash-leveldb-units": [
            str(programs / crash.LEVELDB),
            *crash.arguments(
                crash.Options(
                    leveldb=True, cuts=2000, seed=1000, modes=(Mode.off, Mode.blend), table_units=True, runs_rule=2
                )
            ),
        ],
        "crash-leveldb-tight": [
            str(programs / crash.LEVELDB),
            *crash.arguments(crash.Options(leveldb=True, cuts=1000, seed=1000, tight=True)),
        ],
        "crash-rocksdb": [
            str(programs / crash.ROCKSDB),
            *crash.arguments(crash.Options(rocksdb=True, cuts=10000, seed=1000)),
        ],
        "soak-leveldb": [str(programs / SOAK), "--operations", "10000000"],
        "soak-leveldb-plain": [
            *[str(programs / SOAK), "--operations", "2000000", "--folder", str(BUILD / "soak")],
            *["--mode", "off", "--mode", "blend"],
        ],
        # These fetch Debian packages. The second one also compiles LevelDB a second time.
        "reflink-xfs": [*_XFS, str(programs / "db_bench")],
        "dropin-plyvel": [*_PLYVEL, str(RELEASE / "lib")],
        "value-log-file-systems": [*_VALUE_LOG, str(programs / "db_bench")],
        "leveldb-modes": [*in_release, "-C", "long", "-R", _OTHER_MODES],
        "crash-mutants": [str(ROOT / "openremap"), "crash", "--mutants"],
        "formal": [str(ROOT / "openremap"), "formal", "--jobs", str(min(2, running.JOBS))],
        "levels": [str(ROOT / "openremap"), "synth", "--levels"],
        "coverage": [str(ROOT / "openremap"), "coverage"],
        "fuzz-model": [fuzz, "--device", "model", "--entries", "1000000"],
        "fuzz-rtl": [fuzz, "--device", "rtl", "--entries", "100000"],
        "fuzz-rtl-stalls": [fuzz, "--device", "rtl", "--stalls", "--entries", "20000"],
        "fuzz-rtl-wide": [fuzz, "--device", "rtl", "--geometry", "2x2x64x8x4", "--entries", "20000"],
        "hwbench-wide": [*_BOUNDS, str(programs / "hwbench"), "--wide"],
        "hwbench-soc": [*_BOUNDS, str(programs / "hwbench"), "--device", "soc"],
        # The controller and its firmware behind a PCIe link.
        "pcie": [*_PYTHON, "-m", "pytest", "-m", "long", str(ROOT / "sim" / "cocotb" / "pcie")],
        # What a Cosmos+ has in its FPGA.
        "cosmos-top": [*_PYTHON, "-m", "pytest", "-m", "long", str(ROOT / "sim" / "cocotb" / "cosmos")],
        # With several clocks: the controller and its firmware; the crossings in the netlist.
        "crossings-controller": [*_PYTHON, "-m", "pytest", "-m", "long", str(ROOT / "sim" / "cocotb" / "crossing")],
        **{f"crossings-{top}": [str(ROOT / "openremap"), "synth", top, "--crossings"] for top in crossings.TOPS},
        # The Acorn between its PCIe core's streams and its DRAM controller's port.
        "acorn-board": [*_PYTHON, "-m", "pytest", "-m", "long", str(ROOT / "sim" / "cocotb" / "board")],
        # The whole SoC of the ECPIX-5, started over UDP as the board is; and what it takes of the FPGA.
        "ecpix5-simulation": [*_PYTHON, "-m", "pytest", "-m", "long", str(ROOT / "launcher" / "tests" / "boards")],
        "ecpix5-area": [str(ROOT / "openremap"), "board", "build", "ecpix5", "--area-only"],
        # On the RTL, until GC has moved a page that the host changes at the same time.
        "races": [*["env", "OPENREMAP_PATIENCE=400", str(programs / RACES)], f"--gtest_filter={RACES_CASES}"],
        # The clocks of idle units stop: no register may change then, which a wrong `quiet` must show.
        "gating": [*in_release, "-C", "long", "-R", r"^verify\.gating\."],
        "lockstep-mutants": [str(ROOT / "openremap"), "lockstep", "--mutants"],
        "lockstep": [lockstep, "--commands", "200000", *more, str(paths.REPORTS / "lockstep.txt")],
        # Collections of a value log by each collector, recorded from db_bench.
        "lockstep-collected": [*in_release, "-C", "long", "-R", r"^verify\.lockstep\.(record-)?collected-"],
        "lockstep-quick": [lockstep, *quick, "--commands", "200000", *more, str(paths.REPORTS / "quick.txt")],
        "lockstep-large": [
            lockstep,
            "--commands",
            "20000",
            "--superblocks",
            "16",
            *more,
            str(paths.REPORTS / "large.txt"),
        ],
        "lockstep-stalls": [lockstep, "--commands", "20000", "--stalls", *more, str(paths.REPORTS / "stalls.txt")],
        "lockstep-stalls-wide": [
            *[lockstep, "--commands", "10000", "--stalls", "--wide", "--no-rest"],
            *[*more, str(paths.REPORTS / "stalls-wide.txt")],
        ],
        "lockstep-no-rest": [lockstep, "--commands", "20000", "--no-rest", *more, str(paths.REPORTS / "no-rest.txt")],
        "lockstep-wide": [lockstep, "--commands", "20000", "--wide", *more, str(paths.REPORTS / "wide.txt")],
        "lockstep-segments": [
            lockstep,
            "--commands",
            "20000",
            *few_segments,
            *more,
            str(paths.REPORTS / "segments.txt"),
        ],
    }
    commands |= _long_soc(programs, in_release)
    build.verilog(with_soc=True)
    if any(selection.expression in f"long.{name}" for name in boards.parts(programs)):
        boards.make()
        commands |= boards.parts(programs)
    databases = (crash.LEVELDB, crash.ROCKSDB, SOAK, "upstream_tests", "leveldb_dropin", "db_bench", "ioreplay")
    programs_of_long = ("lockstep", "fuzz", "hwbench", FULL, RACES, crash.PROGRAM, *databases, STALE, WATCHED)
    build.native(targets=(*programs_of_long, "device_tests"))
    return running.run_checks("long", commands, selection, running.LONG_SECONDS)
