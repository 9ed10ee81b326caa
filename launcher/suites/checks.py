# SPDX-License-Identifier: Apache-2.0
"""The suites of sources: generated interfaces, style of every language, Python's tests, Chisel's specs."""

from __future__ import annotations

import re
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from launcher.env import build, paths, steps
from launcher.env.paths import ROOT, RTL, RTL_SOC, RTL_SOC_TOP, RTL_TOP
from launcher.hw import rtl
from launcher.hw.levels import ENDPOINTS
from launcher.suites import running
from launcher.suites.reports import COMMANDS, Totals, read_folder
from launcher.suites.running import Selection


def interfaces(selection: Selection) -> Totals:
    """Checks that the generated files match their descriptions."""
    return running.run_checks("interfaces", {"drift": [*build.GENERATE, "--check"]}, selection)


# Python that mypy checks in strict mode.
TYPED = (
    "openremap",
    "launcher",
    "interfaces",
    "leveldb-host",
    "rocksdb-host",
    "sim",
    "soc",
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
        "rocksdb-host",
        "sim",
        "testing",
        "verify",
    ):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in suffixes and path.is_file() and "gen" not in path.parts:
                found.append(str(path.relative_to(ROOT)))
    return found


def style(selection: Selection) -> Totals:
    """Checks formatting, lint and types of every language. That is one case; its commands are counted apart."""
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
        lint = any(selection.expression in f"style.verilator-lint-{name}" for name in ("soc", *ENDPOINTS))
        if lint:  # In parallel: the first emission mostly waits for downloads and a single-threaded compiler.
            pool.submit(rtl.emit_controller)
        totals.add(running.run_checks("style", quick, selection, workers=running.JOBS))
        if lint:
            try:
                build.verilog()  # Waits for the emission above. If that failed, this raises the same error.
                rtl.emit_soc_controller()
                for name, top, folder in (
                    ("verilator-lint", RTL_TOP, RTL),
                    ("verilator-lint-soc", RTL_SOC_TOP, RTL_SOC),
                    *((f"verilator-lint-{top}", top, rtl.emit_unit(top)) for top in ENDPOINTS),
                ):
                    command = ["verilator", "--lint-only", "-Wall", "--top-module", top, str(LINT_WAIVERS)]
                    late[name] = [*command, *map(str, [*rtl.verilog_sources(folder), *rtl.bus_rules()])]
            except rtl.EmitError as error:
                totals.failures.append(f"style.verilator-lint: {error}")
    totals.add(running.run_checks("style", late, selection, workers=running.JOBS))
    totals.make_one_case(COMMANDS)
    return totals


def python(selection: Selection) -> Totals:
    """Python tests: the launcher's, the generator's and all others except the hardware benches."""
    folders = sorted({path.parent for path in ROOT.glob("*/**/test_*.py")})
    cocotb = ROOT / "sim" / "cocotb"
    own = [folder for folder in folders if cocotb not in folder.parents and not _built(folder)]
    return running.run_pytest("python", [str(folder.relative_to(ROOT)) for folder in own], selection, running.PYTESTS)


def _built(folder: Path) -> bool:
    return folder.relative_to(ROOT).parts[0] in ("build", "out")


def scala(selection: Selection) -> Totals:
    """Specs of the Chisel units."""
    folder, log = paths.REPORTS / "scala", running.log_file("scala")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    command = [*rtl.mill(), "hw.test.test", "-u", str(folder), *chosen_specs(specs(), selection.expression)]
    outcome = steps.run("scala: scalatest", command, log, env=selection.environment(), timeout=running.SUITE_SECONDS)
    return running.blame(read_folder(folder), "scala (scalatest)", outcome, log)


def specs() -> list[str]:
    """The qualified class names of the specs."""
    found = []
    for path in sorted((ROOT / "hw" / "test").rglob("*.scala")):
        text = path.read_text()
        package = re.search(r"^package (\S+)", text, re.M)
        found += [f"{package[1]}.{name}" if package else name for name in re.findall(r"^class (\w+Spec)\b", text, re.M)]
    return found


def chosen_specs(names: list[str], text: str) -> list[str]:
    """Arguments of scalatest's runner for the cases, of name SPEC.TEST, that contain `text`. None: all cases."""
    arguments: list[str] = []
    for name in names if text else []:
        arguments += ["-s", name]
        if text in name:
            continue  # all of its cases
        # The text may begin in the spec's name and end in the test's.
        ends = [text[at:] for at in range(1, len(text) + 1) if f"{name}.".endswith(text[:at])]
        for part in (text, *ends) if "" not in ends else ():
            arguments += ["-z", part]
    return arguments
