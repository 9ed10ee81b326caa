# SPDX-License-Identifier: Apache-2.0
"""The test suites of `./openremap test`: what each runs, and how its cases are counted."""

from __future__ import annotations

import json
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from launcher.env import build, steps
from launcher.env.paths import (
    BUILD,
    COCOTB,
    CODE_COVERAGE,
    COVER_REPORT,
    RELEASE,
    REPORTS,
    ROOT,
    RTL,
    RTL_TOP,
    SANITIZED,
    THREADS,
)
from launcher.guest import guest_machine
from launcher.hw import formal as proofs
from launcher.hw import rtl
from launcher.suites import coverage, covers, crash, guest_tests, single_test
from launcher.suites.reports import Totals, read_folder, read_junit

# Time-out of a suite, in seconds. The goal for the whole run is 40 minutes on 2 cores.
SUITE_SECONDS = 30 * 60
# Time-out of a CTest case, in seconds.
CASE_SECONDS = 10 * 60
THREADS_CASE_SECONDS = 2 * CASE_SECONDS  # under ThreadSanitizer, where some take minutes, and more in parallel
# Time-out of a case of the suites that run only when named.
LONG_SECONDS = 6 * 60 * 60
JOBS = build.JOBS
PYTESTS = min(2, JOBS)  # parallel pytest workers; Verilating takes much memory
DEFAULT_SEED = 1


@dataclass(frozen=True)
class Selection:
    """Which cases of a suite to run: those whose name contains `expression` (empty: all), with this seed."""

    expression: str = ""
    seed: int = DEFAULT_SEED
    code_coverage: bool = False  # the hardware's test benches collect code coverage

    def environment(self) -> dict[str, str]:
        """Environment of every suite's tests, with their seed."""
        counting = {coverage.VARIABLE: "1"} if self.code_coverage else {}
        return {"OPENREMAP_SEED": str(self.seed), "OPENREMAP_BUILD_DIR": str(BUILD), **counting}

    @property
    def benches(self) -> Path:
        """The folder of the hardware test benches' results."""
        return CODE_COVERAGE if self.code_coverage else COCOTB


@dataclass(frozen=True)
class Suite:
    """A named set of tests."""

    name: str
    about: str
    run: Callable[[Selection], Totals]
    always: bool = True  # also runs when no suite is named


def _log(name: str) -> Path:
    return REPORTS / f"{name}.log"


def _blame(totals: Totals, what: str, outcome: steps.Outcome, log: Path) -> Totals:
    """Adds a failure if the runner failed without a failed case: a crash, a time-out or a build error."""
    if outcome.timed_out:
        totals.failures.append(f"{what}: stopped after {outcome.seconds:.0f} s, see {log}")
        totals.output[totals.failures[-1]] = outcome.tail
    elif outcome.code != 0 and not totals.failures:
        totals.failures.append(f"{what}: exit code {outcome.code} without a failed case, see {log}")
        totals.output[totals.failures[-1]] = outcome.tail
    return totals


def _checks(
    suite: str,
    commands: dict[str, list[str]],
    selection: Selection,
    seconds: float = SUITE_SECONDS,
    workers: int = 1,
) -> Totals:
    """Runs commands as cases, `workers` at a time. Exit code 0: passed; `single_test.SKIPPED`: skipped; else failed."""
    chosen = {name: command for name, command in commands.items() if selection.expression in f"{suite}.{name}"}

    def one(name: str) -> steps.Outcome:
        return steps.run(
            f"{suite}: {name}",
            chosen[name],
            _log(f"{suite}-{name}"),
            env=selection.environment(),
            timeout=seconds,
            shown=workers == 1,
        )

    totals = Totals()
    outcomes: Iterator[steps.Outcome]
    if workers == 1:  # in this thread, where an interrupt ends the command
        outcomes = map(one, chosen)
    else:
        with steps.Ticker(f"{suite}: {', '.join(chosen)}"), ThreadPoolExecutor(workers) as pool:
            outcomes = iter(list(pool.map(one, chosen)))
    for name, outcome in zip(chosen, outcomes, strict=True):
        log = _log(f"{suite}-{name}")
        if outcome.code == 0:
            totals.passed += 1
        elif outcome.code == single_test.SKIPPED:
            totals.skipped.append(f"{suite}.{name}")
        else:
            totals.failures.append(f"{suite}.{name}: exit code {outcome.code}, see {log}")
            totals.output[totals.failures[-1]] = outcome.tail
    return totals


def interfaces(selection: Selection) -> Totals:
    """Checks that the generated files match their descriptions."""
    return _checks("interfaces", {"drift": [*build.GENERATE, "--check"]}, selection)


# Python that mypy checks in strict mode.
TYPED = (
    "openremap",
    "launcher",
    "interfaces",
    "leveldb-host",
    "sim",
    "verify",
)
# firtool's memories and unused bits of bundles cause warnings of -Wall; each waiver gives its reason.
LINT_WAIVERS = ROOT / "sim" / "verilator" / "waivers.vlt"


NATIVE = (".c", ".h", ".cc", ".cpp")


def sources(*suffixes: str) -> list[str]:
    """The source files with these suffixes, without generated ones."""
    found: list[str] = []
    for folder in (
        "common",
        "firmware",
        "host-driver",
        "interfaces/include",
        "leveldb-host",
        "sim",
        "testing",
        "verify",
    ):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in suffixes and path.is_file():
                found.append(str(path.relative_to(ROOT)))
    return found


def style(selection: Selection) -> Totals:
    """Checks formatting, lint and types of every language."""
    native = sources(*NATIVE)
    quick = {
        "clang-format": ["clang-format", "--dry-run", "--Werror", *native],
        "ruff-format": ["ruff", "format", "--check", "."],
        "ruff-lint": ["ruff", "check", "."],
        "mypy": ["mypy", *TYPED],
        "firmware-stack": [sys.executable, "-m", "launcher.suites.firmware_check", "stack"],
        "firmware-layers": [sys.executable, "-m", "launcher.suites.firmware_check", "layers"],
        "firmware-owners": [sys.executable, "-m", "launcher.suites.firmware_check", "owners"],
        "firmware-analyze": [sys.executable, "-m", "launcher.suites.firmware_check", "analyze"],
    }
    # After the emission: both run Mill, which writes into the same folders.
    late = {"scalafmt": [*rtl.mill(), "hw.checkFormat", "+", "hw.test.checkFormat"]}
    totals = Totals()
    with ThreadPoolExecutor(1) as pool:
        lint = selection.expression in "style.verilator-lint"
        if lint:  # In parallel: the first emission mostly waits for downloads and a single-threaded compiler.
            pool.submit(rtl.emit_controller)
        totals.add(_checks("style", quick, selection, workers=JOBS))
        if lint:
            try:
                build.verilog()  # Waits for the emission above. If that failed, this raises the same error.
                command = ["verilator", "--lint-only", "-Wall", "--top-module", RTL_TOP, str(LINT_WAIVERS)]
                late["verilator-lint"] = [*command, *map(str, [*rtl.verilog_sources(RTL), *rtl.bus_rules()])]
            except rtl.EmitError as error:
                totals.failures.append(f"style.verilator-lint: {error}")
    totals.add(_checks("style", late, selection, workers=JOBS))
    return totals


def _pytest(suite: str, targets: list[str], selection: Selection, workers: int) -> Totals:
    report, log = REPORTS / f"{suite}.xml", _log(suite)
    report.unlink(missing_ok=True)
    command = [sys.executable, "-m", "pytest", "-ra", f"--junitxml={report}", *targets]
    command += ["-o", "junit_logging=out-err", "-o", "junit_log_passing_tests=false"]
    if workers > 1:
        command += ["-n", str(workers), "--maxschedchunk", "1"]  # a free worker takes the next test
    if selection.expression:
        command += ["-k", selection.expression]
    seconds = LONG_SECONDS if selection.code_coverage else SUITE_SECONDS
    outcome = steps.run(f"{suite}: pytest", command, log, env=selection.environment(), timeout=seconds)
    if outcome.code == _PYTEST_NOTHING and selection.expression:
        return Totals()
    totals = read_junit(report) if report.exists() else Totals()
    return _blame(totals, f"{suite} (pytest)", outcome, log)


_PYTEST_NOTHING = 5  # pytest's exit code for "no test collected"


def python(selection: Selection) -> Totals:
    """Python tests: the launcher's, the generator's and all others except the hardware benches."""
    folders = sorted({path.parent for path in ROOT.glob("*/**/test_*.py")})
    cocotb = ROOT / "sim" / "cocotb"
    own = [folder for folder in folders if cocotb not in folder.parents and not _built(folder)]
    return _pytest("python", [str(folder.relative_to(ROOT)) for folder in own], selection, PYTESTS)


def _built(folder: Path) -> bool:
    return folder.relative_to(ROOT).parts[0] in ("build", "out")


def scala(selection: Selection) -> Totals:
    """Specs of the Chisel units."""
    folder, log = REPORTS / "scala", _log("scala")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    command = [*rtl.mill(), "hw.test.test", "-u", str(folder)]
    if selection.expression:
        command += ["-z", selection.expression]
    outcome = steps.run("scala: scalatest", command, log, env=selection.environment(), timeout=SUITE_SECONDS)
    return _blame(read_folder(folder), "scala (scalatest)", outcome, log)


def formal(selection: Selection) -> Totals:
    """Proofs that take seconds. Each check is a case."""
    units = tuple(
        unit for unit, proof in proofs.known().items() if proof.quick and selection.expression in f"formal.{unit}"
    )
    totals = Totals()
    for result in proofs.run(proofs.Options(units=units, mutants=False)) if units else []:
        for check in result.checks:
            if check.failures:
                name = f"formal.{result.unit}.{check.goal}"
                totals.failures.append(f"{name}: {'; '.join(check.failures)}")
                totals.output[totals.failures[-1]] = [f"trace: {check.trace}"] if check.trace else []
            else:
                totals.passed += 1
    return totals


def _ctest(suite: str, folder: Path, selection: Selection) -> Totals:
    build.verilog()
    build.native(folder, (THREAD_TESTS,) if folder == THREADS else ())
    report, log = REPORTS / f"{suite}.xml", _log(suite)
    report.unlink(missing_ok=True)
    command = [
        "ctest",
        "--test-dir",
        str(folder),
        "-j",
        str(JOBS),
        "--output-on-failure",
        "--output-junit",
        str(report),
    ]
    command += ["--timeout", str(THREADS_CASE_SECONDS if folder == THREADS else CASE_SECONDS)]
    if selection.expression:
        command += ["-R", selection.expression]
    if folder == SANITIZED:
        command += ["-E", SANITIZED_LEAVES_OUT]
    if folder == THREADS:
        command += ["-L", f"^{THREADS_LABEL}$"]
    environment = {**selection.environment(), **STRICT.get(folder, {})}
    outcome = steps.run(f"{suite}: CTest", command, log, env=environment, timeout=SUITE_SECONDS)
    return _blame(read_junit(report) if report.exists() else Totals(), f"{suite} (CTest)", outcome, log)


STRICT = {
    SANITIZED: {"UBSAN_OPTIONS": "print_stacktrace=1", "ASAN_OPTIONS": "detect_stack_use_after_return=1"},
    THREADS: {"TSAN_OPTIONS": "halt_on_error=1 second_deadlock_stack=1"},
}

# CTest label of the multi-threaded tests, and the target that builds their programs (leveldb-host/CMakeLists.txt).
THREADS_LABEL = "threads"
THREAD_TESTS = "thread_tests"

# Tests that the sanitized build leaves out:
# - Upstream LevelDB's long tests, except in one mode; `native` runs them in another. On PageFS they do not run here.
#   autocompact_test is left out altogether: it only writes and compacts 100 MB, which db_test and the tests of the
#   modes do on a smaller scale.
# - Lockstep, except one part of each mix, and fuzzing of the RTL with stalls: Verilated RTL is slow under sanitizers,
#   and they are not meant to check its generated C++.
SANITIZED_LEAVES_OUT = "|".join(
    (
        r"^upstream\..*\.(off|base|retain|fill|skip)$",
        r"^upstream\.autocompact_test\.",
        r"^sim\.lockstep\.(2|quick\.2|no-rest|faults)$",  # faults: until the first failing program the same RTL runs
        r"^sim\.fuzz\.stalls$",
        r"/(Queues|OnePage|DestageLongTest)\..*/wide_model",  # long, and run on the model with one slot a page
    )
)


def native(selection: Selection) -> Totals:
    """C and C++ tests, with the optimisation of a release."""
    return _ctest("native", RELEASE, selection)


def sanitized(selection: Selection) -> Totals:
    """The same tests under AddressSanitizer and UndefinedBehaviorSanitizer."""
    return _ctest("sanitized", SANITIZED, selection)


def tsan(selection: Selection) -> Totals:
    """The multi-threaded C and C++ tests under ThreadSanitizer."""
    return _ctest("tsan", THREADS, selection)


def cocotb(selection: Selection) -> Totals:
    """Test benches of the hardware units and of the whole controller, and a check of the covers that they reach."""
    for report in selection.benches.glob(f"*/{COVER_REPORT}"):
        report.unlink()
    totals = _pytest("cocotb", ["sim/cocotb"], selection, PYTESTS)
    if not selection.expression:
        totals.add(_covers(selection))
    return totals


# Covers that may stay unreached, with the reasons.
UNHIT_COVERS = ROOT / "sim" / "cocotb" / "covers_unhit.toml"


def _covers(selection: Selection) -> Totals:
    """One case: every cover is reached unless it is listed. With a seed other than the default it only prints."""
    merged = covers.merge(selection.benches.glob(f"*/{COVER_REPORT}"))
    try:
        verdict = covers.judge(merged, covers.accepted(UNHIT_COVERS))
    except (covers.CoverError, ValueError, OSError) as error:
        return Totals(failures=[f"cocotb.covers: {error}"])
    (REPORTS / "covers.json").write_text(json.dumps(merged, indent=1, sort_keys=True))
    steps.console.print(f"covers: {verdict.hit} of {verdict.total} reached; never:")
    for name in verdict.unhit:
        steps.console.print(f"  {name}", markup=False, highlight=False)
    if selection.seed != DEFAULT_SEED:
        return Totals()
    failures = [f"cocotb.covers: {failure}" for failure in verdict.failures]
    return Totals(failures=failures) if failures else Totals(passed=1)


# Hazard tests on a few pages while GC moves them; those on the RTL run until GC has met the hazard.
RACES = "one_page_controller_test"
FULL = "fulldevice"
RACES_CASES = "*WhileGarbageCollectionMovesIt/rtl:*WhileGarbageCollectionMovesIt/wide_rtl"


# Runs hwbench and checks that its figures are within their bounds.
_BOUNDS = (sys.executable, str(ROOT / "verify" / "tests" / "measure" / "hwbench_bounds.py"))
# Test programs that import the launcher's modules.
_PYTHON = ("env", f"PYTHONPATH={ROOT}", sys.executable)
_XFS = (*_PYTHON, str(ROOT / "leveldb-host" / "linuxfs" / "tests" / "reflink_on_xfs.py"))
_PLYVEL = (*_PYTHON, str(ROOT / "leveldb-host" / "dropin" / "tests" / "dropin_with_plyvel.py"))


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
        "crash-orders": [str(programs / crash.PROGRAM), *crash.arguments(crash.Options(orders=3))],
        "crash-rtl-shutdowns": [
            str(programs / crash.PROGRAM),
            *crash.arguments(crash.Options(device=crash.Device.rtl, cuts=100, commands=40, shutdowns=True)),
        ],
        **{
            f"full-drive-writes-{pages}": [str(programs / FULL), "--geometry", pages, "--drive-writes", "10"]
            for pages in ("2x2x64x32", "2x2x64x8x4")
        },
        "crash-leveldb": [
            str(programs / crash.LEVELDB),
            *crash.arguments(crash.Options(leveldb=True, cuts=10000, seed=1000)),
        ],
        # These fetch Debian packages. The second one also compiles LevelDB a second time.
        "reflink-xfs": [*_XFS, str(programs / "db_bench")],
        "dropin-plyvel": [*_PLYVEL, str(RELEASE / "lib")],
        "leveldb-modes": [*in_release, "-C", "long", "-R", r"^upstream\..*\.(off|base|fill|skip|blend)$"],
        "crash-mutants": [str(ROOT / "openremap"), "crash", "--mutants"],
        **{
            f"emit-{preset}": [
                *rtl.mill(),
                "hw.emit",
                "--top",
                RTL_TOP,
                "--config",
                preset,
                "--out",
                str(BUILD / f"rtl-{preset}"),
            ]
            for preset in ("cosmos", "cosmos8")
        },
        "formal": [str(ROOT / "openremap"), "formal", "--jobs", str(min(2, JOBS))],
        "coverage": [str(ROOT / "openremap"), "coverage"],
        "fuzz-model": [fuzz, "--device", "model", "--entries", "1000000"],
        "fuzz-rtl": [fuzz, "--device", "rtl", "--entries", "100000"],
        "fuzz-rtl-stalls": [fuzz, "--device", "rtl", "--stalls", "--entries", "20000"],
        "fuzz-rtl-wide": [fuzz, "--device", "rtl", "--geometry", "2x2x64x8x4", "--entries", "20000"],
        "hwbench-wide": [*_BOUNDS, str(programs / "hwbench"), "--wide"],
        # On the RTL, until GC has moved a page that the host changes at the same time.
        "races": [*["env", "OPENREMAP_PATIENCE=400", str(programs / RACES)], f"--gtest_filter={RACES_CASES}"],
        "lockstep": [lockstep, "--commands", "200000", *more, str(REPORTS / "lockstep.txt")],
        "lockstep-quick": [lockstep, *quick, "--commands", "200000", *more, str(REPORTS / "quick.txt")],
        "lockstep-large": [lockstep, "--commands", "20000", "--superblocks", "16", *more, str(REPORTS / "large.txt")],
        "lockstep-stalls": [lockstep, "--commands", "20000", "--stalls", *more, str(REPORTS / "stalls.txt")],
        "lockstep-stalls-wide": [
            *[lockstep, "--commands", "10000", "--stalls", "--wide", "--no-rest"],
            *[*more, str(REPORTS / "stalls-wide.txt")],
        ],
        "lockstep-no-rest": [lockstep, "--commands", "20000", "--no-rest", *more, str(REPORTS / "no-rest.txt")],
        "lockstep-wide": [lockstep, "--commands", "20000", "--wide", *more, str(REPORTS / "wide.txt")],
        "lockstep-segments": [lockstep, "--commands", "20000", *few_segments, *more, str(REPORTS / "segments.txt")],
    }
    build.verilog()
    leveldb = (crash.LEVELDB, "upstream_tests", "leveldb_dropin", "db_bench")
    build.native(targets=("lockstep", "fuzz", "hwbench", FULL, RACES, crash.PROGRAM, *leveldb))
    return _checks("long", commands, selection, LONG_SECONDS)


def _guests(name: str, scenarios: tuple[guest_tests.Scenario, ...], selection: Selection) -> Totals:
    build.verilog()
    build.native(targets=guest_machine.PROGRAMS)
    report = REPORTS / f"{name}.xml"
    report.unlink(missing_ok=True)
    guest_tests.run_all(scenarios, selection.expression, selection.seed, report)
    return read_junit(report)


def guest(selection: Selection) -> Totals:
    """A stock Linux in QEMU, with the fast model as its disk."""
    return _guests("guest", guest_tests.SHORT, selection)


def guest_long(selection: Selection) -> Totals:
    """Longer guest tests: full file systems, power cuts, the Verilated controller."""
    return _guests("guest-long", guest_tests.LONG, selection)


# Fast suites first, so that a typo is reported before the simulations run.
SUITES = [
    Suite("interfaces", "generated interface files match their descriptions", interfaces),
    Suite("python", "launcher, generators and scripts (pytest)", python),
    Suite("style", "formatting, lint, types: Scala, C, C++, Python, Verilog", style),
    Suite("scala", "Chisel units (scalatest, ChiselSim)", scala),
    Suite("formal", "proofs of hardware units that take seconds (Yosys, Z3)", formal),
    Suite("native", "firmware, models, driver, PageFS, LevelDB fork (CTest)", native),
    Suite("cocotb", "hardware units and the whole controller (cocotb)", cocotb),
    Suite("sanitized", "the C and C++ tests under ASan and UBSan (CTest)", sanitized),
    Suite("guest", "a stock Linux with the device as its disk (QEMU)", guest),
    Suite("guest-long", "only when named, or --guest: longer guest tests, also on the RTL", guest_long, always=False),
    Suite("tsan", "only when named: databases and file layers under ThreadSanitizer (CTest)", tsan, always=False),
    Suite("long", "only when named: longer lockstep, fuzzing, power cuts; all proofs; coverage", long, always=False),
]


def run_suites(suites: list[Suite], selection: Selection) -> Totals:
    """Runs suites one after another, as each uses all cores. Prints a line for each and returns their total."""
    shutil.rmtree(REPORTS, ignore_errors=True)
    REPORTS.mkdir(parents=True)
    steps.console.print(f"seed {selection.seed}; logs and reports in {REPORTS}")
    everything = Totals()
    lines: list[str] = []
    for suite in suites:
        begun = time.monotonic()
        totals = run_suite(suite, selection)
        everything.add(totals)
        for name in totals.skipped:
            steps.console.print(f"[yellow]-[/] {suite.name}: skipped {name}", markup=True)
        mark = "[red]✗[/]" if totals.failures else "[green]✓[/]"
        skipped = f", {len(totals.skipped)} skipped" if totals.skipped else ""
        counts = f"{totals.passed:4d} passed, {totals.failed} failed{skipped}"
        lines.append(f"{mark} {suite.name:11} {counts}  [dim]{time.monotonic() - begun:.0f} s[/]")
        steps.console.print(lines[-1])
        _show(suite.name, totals)
    steps.console.rule()
    for line in lines:
        steps.console.print(line)
    if not everything.passed and not everything.failures:
        everything.failures.append("no test case ran")
        steps.console.print("[red]✗[/] no test case ran")
    return everything


# Failures of a suite shown with their output; if everything fails, the outputs are mostly the same.
SHOWN_IN_FULL = 10


def _show(suite: str, totals: Totals) -> None:
    """Prints each failed case; the first ones with the end of their output, as a CI shows only the console."""
    shown = 0
    for failure in totals.failures:
        steps.console.print("[red]✗[/] ", end="")
        steps.console.print(f"{suite}: {failure}", markup=False, soft_wrap=True)
        output = totals.output.get(failure, [])
        if not output:
            continue
        shown += 1
        if shown <= SHOWN_IN_FULL:
            for line in output:
                steps.console.print("      " + line, markup=False, soft_wrap=True)
        elif shown == SHOWN_IN_FULL + 1:
            note = f"      (output of the first {SHOWN_IN_FULL} failed cases only; all of it is in {REPORTS})"
            steps.console.print(note, markup=False, soft_wrap=True)


def run_suite(suite: Suite, selection: Selection) -> Totals:
    """Runs one suite. An error of its runner counts as a failed case; so does a suite that ran no case."""
    try:
        totals = suite.run(selection)
    except (steps.StepFailed, rtl.EmitError, proofs.FormalFailed, ValueError, OSError) as error:
        return Totals(failures=[f"{suite.name}: {error}"])
    if not totals.passed and not totals.failures and not selection.expression:
        totals.failures.append(f"{suite.name}: no test case ran, see {_log(suite.name)}")
    return totals
