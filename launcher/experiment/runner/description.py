# SPDX-License-Identifier: Apache-2.0
"""What an experiment is: variants that each run all cases, and how their results are told beside a paper's."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol

from launcher.bench import bench, ioreplay
from launcher.bench.bench_description import Mode
from launcher.bench.bench_options import BenchOptions, Device, flash_bytes
from launcher.experiment.runner.parts import Part
from launcher.experiment.runner.quantities import Results
from launcher.experiment.runner.steps import Bench, Replay, Run


class Scale(StrEnum):
    """The amount of data, relative to the paper's."""

    small = "small"
    quarter = "quarter"  # of medium, for experiments that have it
    medium = "medium"
    full = "full"


USUAL = (Scale.small, Scale.medium, Scale.full)  # those that every experiment has


@dataclass(frozen=True)
class Case:
    """One workload with one amount of data. Every variant runs it."""

    figure: str  # part of the evaluation
    name: str  # within the figure
    options: BenchOptions
    writers: int = 1  # databases that a variant with a replay records and merges, each with a seed of its own

    @property
    def key(self) -> str:
        """Its name among the results."""
        return f"{self.figure}-{self.name}"

    def file(self, variant: str) -> str:
        return f"{self.key}-{variant}.json"


@dataclass(frozen=True)
class Variant:
    """A way to run a case: LevelDB's mode, the device below it, and options that differ from the case's."""

    name: str  # in files and reports
    mode: Mode
    device: Device = Device.model
    changes: Mapping[str, Any] = field(default_factory=dict)  # of BenchOptions, by attribute
    # How the traces of the runs are replayed, by the options that they were recorded with and the number of traces;
    # None: the runs themselves are measured.
    replay: Callable[[BenchOptions, int], ioreplay.Options] | None = None
    writers: int = 1  # a replay is of so many times the databases that the case has
    may_be_full: bool = False  # that the device has no space left is a result, too

    def options(self, case: Case) -> BenchOptions:
        return replace(case.options, **{"device": self.device, **self.changes})

    def run(self, case: Case) -> Run:
        """The steps of a case."""
        options = self.options(case)
        if self.replay is None:
            return Bench(options, self.mode, self.may_be_full)
        writers = case.writers * self.writers
        recorded = tuple(Bench(replace(options, seed=options.seed + n), self.mode) for n in range(writers))
        return Replay(recorded, self.replay(options, writers))


@dataclass(frozen=True)
class Elsewhere:
    """The results of a further place."""

    results: Results  # finished cases
    not_run: str = ""  # why the other cases did not run; empty: all did


class Place(Protocol):
    """A further place that an experiment runs cases in, which not every machine has."""

    name: str  # in results.json
    variants: tuple[Variant, ...]

    def cases(self, scale: Scale) -> list[Case]: ...

    def run(self, wanted: list[Case], folder: Path, command: list[str], say: Callable[[str], None]) -> Elsewhere:
        """Runs what has no result. Whatever it raises of BenchFailed and StepFailed is told after the report."""

    def report(self, wanted: list[Case], folder: Path, failed: Exception | None = None) -> Elsewhere:
        """Finished cases, without running anything; and why the others are not."""


@dataclass(frozen=True)
class Told:
    """All that a report is made of."""

    scale: Scale
    seed: int
    command: str  # that makes these results
    variants: tuple[str, ...]  # the first is the reference
    results: Results  # cases that are finished in all variants
    total: int  # cases
    elsewhere: Mapping[str, Elsewhere]  # by place

    @property
    def all_results(self) -> list[Results]:
        """Those on the device, then those of each further place."""
        return [self.results, *(place.results for place in self.elsewhere.values())]


@dataclass(frozen=True)
class Experiment:
    """One paper's evaluation."""

    name: str
    about: str  # one line: the paper
    title: str  # of the report
    variants: tuple[Variant, ...]  # the first is the reference
    cases: Callable[[Scale], list[Case]]
    page: Callable[[Told], Sequence[Part]]  # the whole report
    tables: Callable[[Told], Sequence[Part]]  # those for a page of documentation
    summary: Callable[[Results], list[dict[str, Any]]]
    seed: int = 1
    places: tuple[Place, ...] = ()
    scales: tuple[Scale, ...] = USUAL
    program: str = bench.PROGRAM  # that runs the databases

    @property
    def names(self) -> tuple[str, ...]:
        """Of the variants."""
        return tuple(variant.name for variant in self.variants)

    @property
    def programs(self) -> tuple[str, ...]:
        """Those that its runs need."""
        replays = any(variant.replay for variant in self.variants)
        return (self.program, *([ioreplay.PROGRAM] if replays else []))


def is_too_large_for_memory(options: BenchOptions) -> bool:
    """Whether a run on this machine keeps its flash in a file instead of in memory."""
    return flash_bytes(options) > bench.memory("MemTotal") * 3 // 4 > 0
