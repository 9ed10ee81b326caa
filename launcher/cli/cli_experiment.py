# SPDX-License-Identifier: Apache-2.0
"""The command ./openremap experiment."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from launcher.bench import bench
from launcher.bench.bench_options import OptionError, check_file
from launcher.cli import cli_spread
from launcher.env import build as builder
from launcher.env import setup, steps
from launcher.env.paths import BUILD
from launcher.experiment.experiments import EXPERIMENTS
from launcher.experiment.runner import report, running, store
from launcher.experiment.runner.description import Case, Elsewhere, Experiment, Place, Scale

LIST = "list"


def experiment(
    name: Annotated[
        str,
        typer.Argument(
            help=f"What to rerun: {', '.join(f'{one.name} ({one.about})' for one in EXPERIMENTS.values())}. "
            f"{LIST}: name all experiments with their variants and cases."
        ),
    ],
    scale: Annotated[
        Scale,
        typer.Option(
            help="Amount of data. small: megabytes, takes minutes; medium: 2 GiB of puts, takes hours; full: the "
            "paper's amounts, takes longer and needs much memory; quarter: a quarter of medium, of some only."
        ),
    ] = Scale.small,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder for the results.", show_default="experiment/NAME/SCALE in the build folder"),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(help=f"Run only this case, or the cases of this figure (see `{LIST}`); repeatable."),
    ] = None,
    jobs: cli_spread.Jobs = None,
    scheduler: cli_spread.Scheduler = "",
    tls: cli_spread.Tls = None,
    report_only: Annotated[
        bool, typer.Option("--report-only", help="Run nothing; report the cases that are finished in all variants.")
    ] = False,
) -> None:
    """Reproduce a paper's evaluation on the model.

    Runs every case in every variant and shows the results beside the paper's: one HTML page, its tables as Markdown,
    and all results as JSON. Started again with the same folder, it continues where it ended. Cases of a place that this
    machine does not have are left out, and the report says why: XFS with reflinks takes root.
    """
    where = cli_spread.where(jobs, scheduler, tls)
    if name == LIST:
        for one in EXPERIMENTS.values():
            if scale in one.scales:
                _tell(one, scale)
        return
    if name not in EXPERIMENTS:
        raise OptionError(f"unknown experiment '{name}'; the experiments are {', '.join(EXPERIMENTS)}")
    if report_only and only:
        raise OptionError("--only: not with --report-only, which reports all cases that are finished")
    chosen = EXPERIMENTS[name]
    if scale not in chosen.scales:
        raise OptionError(f"--scale: {name} has no {scale}, but {', '.join(chosen.scales)}")
    folder = out or BUILD / "experiment" / name / scale
    for file in report.FILES.values():
        check_file("--out", folder / file)
    wanted = chosen.cases(scale)
    over = [(place, place.cases(scale)) for place in chosen.places]
    keep = _selected([*wanted, *(case for _, cases in over for case in cases)], only or [])
    elsewhere: dict[str, Elsewhere] = {}
    failures: list[str] = []
    store.check_mark(folder, chosen, scale)
    if report_only:  # also while another command runs there
        results = store.gather(wanted, chosen.variants, folder)
        if not results:
            raise OptionError(f"--report-only: no case in {folder} is finished in all variants")
        steps.say(f"{len(results)} of {len(wanted)} cases are finished in all variants")
        elsewhere = {place.name: place.report(cases, folder) for place, cases in over}
        store.mark(folder, chosen, scale)
        report.write(chosen, report.told(chosen, scale, results, elsewhere), folder)
    else:
        cli_spread.forget_devices(steps.say)
        folder.mkdir(parents=True, exist_ok=True)
        with store.alone(folder):
            store.mark(folder, chosen, scale)
            setup.ensure_tools().activate()
            builder.everything(chosen.programs)
            command = [str(bench.program(chosen.program))]
            now = [case for case in wanted if case.key in keep]
            with steps.Ticker(f"experiment {name}", shown=steps.LIVE):
                failures += running.run(now, chosen.variants, folder, where, command, steps.say, chosen.programs)[1]
            results = store.gather(wanted, chosen.variants, folder)
            for place, cases in over:
                elsewhere[place.name] = _over(place, cases, keep, folder, command, failures)
            report.write(chosen, report.told(chosen, scale, results, elsewhere), folder)
    print("\n".join(f"{what}: {folder / file}" for what, file in report.FILES.items()))
    if failures:
        raise bench.BenchFailed("\n".join(failures))


def _over(
    place: Place, cases: list[Case], keep: set[str], folder: Path, command: list[str], failures: list[str]
) -> Elsewhere:
    """Runs the chosen cases of a further place; adds to `failures` what failed."""
    now = [case for case in cases if case.key in keep]
    try:
        ran = place.run(now, folder, command, steps.say) if now else None
    except (bench.BenchFailed, steps.StepFailed) as error:
        failures.append(f"over {place.name}, {error}")
        return place.report(cases, folder, error)
    return ran if ran is not None and len(now) == len(cases) else place.report(cases, folder)


def _selected(cases: Iterable[Case], only: list[str]) -> set[str]:
    """The cases that `only` names, alone or by their figures; all if it names none."""
    known = list(cases)
    for name in only:
        if not any(name in (case.key, case.figure) for case in known):
            figures = dict.fromkeys(case.figure for case in known)
            raise OptionError(
                f"--only: no case '{name}' at this scale; the figures are {', '.join(figures)}, and the cases of "
                f"{known[0].figure} {', '.join(case.key for case in known if case.figure == known[0].figure)}"
            )
    return {case.key for case in known if not only or case.key in only or case.figure in only}


def _tell(one: Experiment, scale: Scale) -> None:
    print(f"{one.name}: {one.about}")
    print(f"  variants: {', '.join(map(str, one.names))}")
    figures: dict[str, list[str]] = {}
    for case in [*one.cases(scale), *(case for place in one.places for case in place.cases(scale))]:
        figures.setdefault(case.figure, []).append(case.key)
    print(f"  cases at scale {scale}, by figure:")
    for figure, keys in figures.items():
        print(f"    {figure}: {', '.join(keys)}")
