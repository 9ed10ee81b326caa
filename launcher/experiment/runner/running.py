# SPDX-License-Identifier: Apache-2.0
"""Runs what an experiment has no result of yet, on all workers of a cluster, as many side by side as memory allows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from launcher.bench import bench, bench_options
from launcher.bench.bench_options import BenchOptions
from launcher.cli import documents
from launcher.experiment.runner import provenance, store
from launcher.experiment.runner.description import Case, Variant
from launcher.experiment.runner.estimate import Estimate, weight
from launcher.experiment.runner.quantities import Results
from launcher.experiment.runner.task import run_case
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


def planned(wanted: list[Case], variants: tuple[Variant, ...]) -> list[Planned]:
    """All runs of the cases, in order. Those of one address are one run."""
    found: dict[str, Planned] = {}
    for case in wanted:
        for variant in variants:
            address = store.address(variant.options(case), variant.mode)
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


def run(
    wanted: list[Case],
    variants: tuple[Variant, ...],
    folder: Path,
    where: Where,
    command: list[str],
    say: Callable[[str], None],
    programs: tuple[str, ...] = (bench.PROGRAM,),
) -> tuple[Results, list[str]]:
    """Results by case and variant, and what failed. A run that is finished already is not repeated.

    `command` starts db_bench; workers elsewhere take that of their own tree if it is this tree's. `programs` are those
    of which they must have the same build. A run that fails leaves the others alone, which may take hours yet; an
    option that db_bench refuses ends them all: OptionError, which tells what failed before, too.
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
    estimate = Estimate(sum(weight(plan.options) for plan in todo.values()))
    stamp = provenance.stamp(command)  # read now: the tree may change while db_bench runs
    there = () if where.scheduler and command == [str(bench.program())] else tuple(command)

    def work(plan: Planned) -> Work:
        # Flash in a file is fast, too, as long as it fits the page cache: it counts as memory.
        log = None if where.scheduler else folder / "scratch" / plan.case.key / f"{plan.variant.name}.log"
        name = f"{plan.case.figure} {plan.case.name} {plan.variant.name}"
        arguments = (plan.options, plan.variant.mode, there, log)
        return Work(name, plan.address, run_case, arguments, bench_options.flash_bytes(plan.options))

    def finish(work: Work, outcome: Outcome) -> None:
        nonlocal done
        plan = todo[work.key]
        estimate.finish(weight(plan.options))
        if isinstance(outcome.error, bench.BenchFailed | SpreadFailed):
            # An error names the mode, which several variants may have.
            variant = "" if plan.variant.name == plan.variant.mode else f" {plan.variant.name}"
            failures.append(f"{plan.case.figure} {plan.case.name}{variant}, {outcome.error}")
            say(f"failed: {failures[-1]}")
            return
        if outcome.error is not None:
            raise outcome.error
        result = provenance.stamped(outcome.value, stamp) | {"address": plan.address}
        for name in plan.files:
            documents.write(result, runs / name)
        done += len(plan.files)
        say(f"{done}/{total} {work.name}: WA {result['wa']:.2f}, {result['wall_seconds']:.0f} s{estimate.rest()}")

    try:
        with spread(where, programs, say) as cluster:
            cluster.run([work(plan) for plan in todo.values()], finish)
    except bench_options.OptionError as error:
        raise bench_options.OptionError("\n".join([*failures, str(error)])) from error
    return store.gather(wanted, variants, folder), failures
