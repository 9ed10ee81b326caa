# SPDX-License-Identifier: Apache-2.0
"""Runs what an experiment has no result of yet, on all workers of a cluster, as many side by side as memory allows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from launcher.bench import bench, bench_options, ioreplay
from launcher.bench.bench_options import BenchOptions
from launcher.cli import documents
from launcher.experiment.runner import provenance, steps, store
from launcher.experiment.runner.description import Case, Variant
from launcher.experiment.runner.estimate import Estimate, weight_of
from launcher.experiment.runner.quantities import Results
from launcher.experiment.runner.steps import Bench, Replay, Run
from launcher.experiment.runner.task import Changed, Measured, run_case, run_replays, run_to_the_end
from launcher.spread.cluster import SpreadFailed, Where
from launcher.spread.spreading import spread
from launcher.spread.work import Outcome, Work


@dataclass(frozen=True)
class Planned:
    """One run, and all files that get its result: of cases that ask for the same."""

    address: str
    case: Case
    variant: Variant
    files: tuple[str, ...]

    @property
    def options(self) -> BenchOptions:
        return self.variant.options(self.case)

    @property
    def run(self) -> Run:
        return self.variant.run(self.case)


def planned(wanted: list[Case], variants: tuple[Variant, ...]) -> list[Planned]:
    """All runs of the cases, in order. Those of one address are one run."""
    found: dict[str, Planned] = {}
    for case in wanted:
        for variant in variants:
            address = store.address_of(variant.run(case))
            file = case.file(variant.name)
            if address in found:
                found[address] = replace(found[address], files=(*found[address].files, file))
            else:
                found[address] = Planned(address, case, variant, (file,))
    return list(found.values())


def _missing(plan: Planned, runs: Path) -> tuple[str, ...]:
    """The files that have no result of this run, after copying one that is there already."""
    there = {name: store.finished(runs / name, plan.case, plan.variant) for name in plan.files}
    result = next((run for run in there.values() if run is not None), None)
    if result is None:
        return plan.files
    for name in [name for name, run in there.items() if run is None]:
        documents.write(result, runs / name)
    return ()


def grouped(plans: list[Planned]) -> list[tuple[Planned, ...]]:
    """What is done together: one run of db_bench, or all replays of the same recordings."""
    groups: dict[tuple[Bench, ...] | str, list[Planned]] = {}
    for plan in plans:
        run = plan.run
        groups.setdefault(run.recorded if isinstance(run, Replay) else plan.address, []).append(plan)
    return [tuple(group) for group in groups.values()]


def run(
    wanted: list[Case],
    variants: tuple[Variant, ...],
    folder: Path,
    where: Where,
    command: list[str],
    say: Callable[[str], None],
    programs: tuple[str, ...] = (bench.PROGRAM,),
    replayer: list[str] | None = None,
) -> tuple[Results, list[str]]:
    """Results by case and variant, and what failed. A run that is finished already is not repeated.

    `command` starts the program that runs databases, and `replayer` ioreplay (None: this tree's); workers elsewhere
    take those of their own tree if they are this tree's. `programs` are those of which they must have the same build.
    A run that fails leaves the others alone, which may take hours yet. An option that a program refuses ends them all
    (OptionError), and so does a program that was built anew meanwhile (BenchFailed); both errors tell what failed
    before, too.
    """
    runs = folder / "runs"
    runs.mkdir(parents=True, exist_ok=True)
    plans = planned(wanted, variants)
    todo = {plan.address: plan for plan in plans if _missing(plan, runs)}
    total = len(wanted) * len(variants)
    done = total - sum(len(plan.files) for plan in todo.values())
    say(f"{total} runs, {done} of them finished before")
    failures: list[str] = []
    if not todo:
        return store.gather(wanted, variants, folder), failures
    groups = {group[0].address: group for group in grouped(list(todo.values()))}
    weights = {key: weight_of([plan.run for plan in group]) for key, group in groups.items()}
    estimate = Estimate(sum(weights.values()))
    replays = any(isinstance(plan.run, Replay) for plan in todo.values())
    replayer = replayer or [str(ioreplay.program())]
    # Read now: the tree may change while the programs run.
    stamp = provenance.stamp(command)
    stamp_of_replays = stamp | (provenance.stamp_of_replays(replayer) if replays else {})

    def there(program: list[str], own: Path) -> tuple[str, ...]:
        return () if where.scheduler and program == [str(own)] else tuple(program)

    def work(group: tuple[Planned, ...]) -> Work:
        first = group[0]
        # Flash in a file is fast, too, as long as it fits the page cache: it counts as memory.
        log = None if where.scheduler else folder / "scratch" / first.case.key / f"{first.variant.name}.log"
        name = f"{first.case.figure} {first.case.name} {', '.join(plan.variant.name for plan in group)}"
        memory = max(steps.flash_bytes(plan.run) for plan in group)
        measure = there(command, bench.program(steps.recordings(first.run)[0].options.program))
        if isinstance(first.run, Bench):
            arguments = (first.run.options, first.run.mode, measure, stamp["program"], log)
            call = run_to_the_end if first.run.may_be_full else run_case
            return Work(name, first.address, call, arguments, memory)
        options = tuple(plan.run.options for plan in group if isinstance(plan.run, Replay))
        digests = (stamp["program"], stamp_of_replays["replayer"])
        several = (first.run.recorded, options, measure, there(replayer, ioreplay.program()), digests, log)
        return Work(name, first.address, run_replays, several, memory)

    def fail(plan: Planned, error: Exception) -> None:
        # An error names the mode, which several variants may have.
        variant = "" if plan.variant.name == plan.variant.mode else f" {plan.variant.name}"
        failures.append(f"{plan.case.figure} {plan.case.name}{variant}, {error}")
        say(f"failed: {failures[-1]}")

    def keep(plan: Planned, measured: Measured) -> None:
        nonlocal done
        if isinstance(measured, bench.BenchFailed):
            fail(plan, measured)
            return
        of = stamp_of_replays if isinstance(plan.run, Replay) else stamp
        result = provenance.stamped(measured, of) | {"address": plan.address}
        for name in plan.files:
            documents.write(result, runs / name)
        done += len(plan.files)
        name = f"{plan.case.figure} {plan.case.name} {plan.variant.name}"
        # That of a replay has two factors: what the databases make of a byte, and what the device makes of that.
        wa = f"{result['wa1']:.2f} x {result['wa2']:.2f}" if isinstance(plan.run, Replay) else f"{result['wa']:.2f}"
        full = ", no space left" if bench.is_full(result) else ""
        say(f"{done}/{total} {name}: WA {wa}{full}, {result['wall_seconds']:.0f} s{estimate.rest()}")

    def finish(work: Work, outcome: Outcome) -> None:
        group = groups[work.key]
        estimate.finish(weights[work.key])
        if isinstance(outcome.error, Changed):
            raise bench.BenchFailed("\n".join([*failures, str(outcome.error)])) from outcome.error
        if isinstance(outcome.error, bench.BenchFailed | SpreadFailed):
            for plan in group:
                fail(plan, outcome.error)
            return
        if outcome.error is not None:
            raise outcome.error
        measured = outcome.value if work.call is run_replays else [outcome.value]
        for plan, one in zip(group, measured, strict=True):
            keep(plan, one)

    try:
        with spread(where, programs, say) as cluster:
            cluster.run([work(group) for group in groups.values()], finish)
    except bench_options.OptionError as error:
        raise bench_options.OptionError("\n".join([*failures, str(error)])) from error
    return store.gather(wanted, variants, folder), failures
