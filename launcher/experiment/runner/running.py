# SPDX-License-Identifier: Apache-2.0
"""Runs what an experiment has no result of yet, as many runs side by side as memory allows."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from launcher.bench import bench, bench_options
from launcher.bench.bench_options import BenchOptions
from launcher.cli import documents
from launcher.experiment.runner import provenance, store
from launcher.experiment.runner.description import Case, Variant, is_too_large_for_memory
from launcher.experiment.runner.estimate import Estimate, weight
from launcher.experiment.runner.quantities import Results
from launcher.experiment.runner.schedule import Need, Schedule


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
    jobs: int,
    command: list[str],
    say: Callable[[str], None],
) -> tuple[Results, list[str]]:
    """Results by case and variant, and what failed. A run that is finished already is not repeated.

    A run that fails leaves the others alone, which may take hours yet; an option that db_bench refuses ends them all:
    OptionError, which tells what failed before, too.
    """
    runs = folder / "runs"
    runs.mkdir(parents=True, exist_ok=True)
    plans = planned(wanted, variants)
    todo = {plan.address: plan for plan in plans if _missing(plan, runs)}
    total = len(wanted) * len(variants)
    done = total - sum(len(plan.files) for plan in todo.values())
    say(f"{total} runs, {done} of them finished before")
    estimate = Estimate(sum(weight(plan.options) for plan in todo.values()))
    stamp = provenance.stamp(command)  # read now: the tree may change while db_bench runs
    stop = threading.Event()
    lock = threading.Lock()
    failures: list[str] = []
    # Flash in a file is fast, too, as long as it fits the page cache.
    needs = [Need(address, bench_options.flash_bytes(plan.options)) for address, plan in todo.items()]
    schedule = Schedule(needs, bench.memory("MemAvailable") * 9 // 10)

    def one(plan: Planned) -> None:
        nonlocal done
        case, variant, options = plan.case, plan.variant, plan.options
        scratch = folder / "scratch" / case.key
        scratch.mkdir(parents=True, exist_ok=True)
        images = scratch / "images"
        options = replace(options, image_dir=images) if is_too_large_for_memory(options) else options
        try:
            shutil.rmtree(images / variant.mode, ignore_errors=True)  # left by an interrupted run
            result = bench.run_one(options, variant.mode, command, scratch, lambda *_: None, stop)
        except bench.BenchFailed as error:
            if not stop.is_set():
                with lock:
                    estimate.finish(weight(options))
                    failures.append(f"{case.figure} {case.name}, {error}")
                    say(f"failed: {failures[-1]}")
            return
        finally:
            shutil.rmtree(images / variant.mode, ignore_errors=True)
        for name in plan.files:
            documents.write(provenance.stamped(result, stamp) | {"address": plan.address}, runs / name)
        with lock:
            done += len(plan.files)
            estimate.finish(weight(options))
            say(
                f"{done}/{total} {case.figure} {case.name} {variant.name}: "
                f"WA {result['wa']:.2f}, {result['wall_seconds']:.0f} s{estimate.rest()}"
            )

    def work() -> None:
        while (need := schedule.take()) is not None:
            try:
                one(todo[need.name])
            except BaseException:
                stop.set()
                schedule.end()
                raise
            finally:
                schedule.give_back(need)

    with ThreadPoolExecutor(max_workers=jobs) as pool:
        try:
            for future in [pool.submit(work) for _ in range(jobs)]:
                future.result()
        except BaseException as error:  # Ctrl-C is raised here, not in the threads
            stop.set()
            schedule.end()
            if isinstance(error, bench_options.OptionError):
                raise bench_options.OptionError("\n".join([*failures, str(error)])) from error
            raise
    return store.gather(wanted, variants, folder), failures
