# SPDX-License-Identifier: Apache-2.0
"""The suites of hardware: proofs, and test benches with the covers that they reach."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

from launcher.env import paths, steps
from launcher.env.paths import COVER_REPORT, ROOT, RTL_TOP
from launcher.hw import crossings, rtl
from launcher.hw import formal as proofs
from launcher.hw import levels as timing
from launcher.hw.netlist import NetlistError
from launcher.hw.synth import SynthFailed
from launcher.suites import covers, running
from launcher.suites.reports import QUESTIONS, Totals
from launcher.suites.running import Selection


def formal(selection: Selection) -> Totals:
    """Proofs that take seconds. The proof of a unit is a case; its questions to the solver are counted apart."""
    units = tuple(
        unit
        for unit, proof in proofs.known().items()
        if proof.quick and any(selection.expression in f"formal.{unit}.{goal}" for goal in proofs.GOALS)
    )
    totals = Totals()
    for result in proofs.run(proofs.Options(units=units, mutants=False)) if units else []:
        proof = Totals()
        for check in result.checks:
            if check.failures:
                name = f"formal.{result.unit}.{check.goal}"
                proof.failures.append(f"{name}: {'; '.join(check.failures)}")
                proof.output[proof.failures[-1]] = [f"trace: {check.trace}"] if check.trace else []
            else:
                proof.passed += 1
        proof.make_one_case(QUESTIONS)
        totals.add(proof)
    return totals


def levels(selection: Selection) -> Totals:
    """The levels of logic of each unit, mapped by itself, against the rules and the list of what still breaks them; and
    the crossings of each unit with two clocks."""
    listed = timing.allowed()
    cases = timing.cases()
    totals = Totals()
    unknown = listed.keys() - {unit for unit, _ in cases} - {RTL_TOP}
    totals.failures += [f"levels: {timing.ALLOWED.name} lists an unknown unit {unit}" for unit in sorted(unknown)]
    chosen = [case for case in cases if selection.expression in f"levels.{case[0]}"]
    rtl.emit_units(chosen)
    with ThreadPoolExecutor(running.JOBS) as pool:
        for (unit, _), result in zip(chosen, pool.map(lambda case: _levels_of(*case), chosen), strict=True):
            if isinstance(result, str):
                totals.failures.append(f"levels.{unit}: {result}")
                continue
            failures = timing.complaints(result, listed.get(unit, {}))
            totals.failures += [f"levels.{text}" for text in failures]
            totals.passed += not failures
    for unit in crossings.units():
        if selection.expression in f"levels.crossings.{unit}":
            problems = _crossings_of(unit)
            totals.failures += [f"levels.crossings.{unit}: {problem}" for problem in problems]
            totals.passed += not problems
    return totals


def _crossings_of(unit: str) -> tuple[str, ...]:
    try:
        return crossings.of_unit(unit).problems
    except (SynthFailed, NetlistError) as error:
        return (str(error),)


def _levels_of(unit: str, config: str | None) -> timing.Result | str:
    try:
        return timing.of_unit(unit, config)
    except (SynthFailed, NetlistError) as error:
        return str(error)


# Covers that may stay unreached, with the reasons.
UNHIT_COVERS = ROOT / "sim" / "cocotb" / "covers_unhit.toml"


def cocotb(selection: Selection) -> Totals:
    """Test benches of the hardware units and of the whole controller, and a check of the covers that they reach."""
    for report in selection.benches.glob(f"*/{COVER_REPORT}"):
        report.unlink()
    if not selection.expression:
        rtl.emit_units(timing.cases())  # nearly all have a bench
    totals = running.run_pytest("cocotb", ["sim/cocotb"], selection, running.PYTESTS)
    if not selection.expression:
        totals.add(_covers(selection))
    return totals


def _covers(selection: Selection) -> Totals:
    """One case: every cover is reached unless it is listed. With a seed other than the default it only prints."""
    merged = covers.merge(selection.benches.glob(f"*/{COVER_REPORT}"))
    try:
        verdict = covers.judge(merged, covers.accepted(UNHIT_COVERS))
    except (covers.CoverError, ValueError, OSError) as error:
        return Totals(failures=[f"cocotb.covers: {error}"])
    (paths.REPORTS / "covers.json").write_text(json.dumps(merged, indent=1, sort_keys=True))
    steps.console.print(f"covers: {verdict.hit} of {verdict.total} reached; never:")
    for name in verdict.unhit:
        steps.console.print(f"  {name}", markup=False, highlight=False)
    if selection.seed != running.DEFAULT_SEED:
        return Totals()
    failures = [f"cocotb.covers: {failure}" for failure in verdict.failures]
    return Totals(failures=failures) if failures else Totals(passed=1)
