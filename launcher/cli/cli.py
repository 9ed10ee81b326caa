# SPDX-License-Identifier: Apache-2.0
"""Command line of ./openremap. A wrong option is reported in one line, with exit code 2, before anything runs."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from launcher.bench import bench as runner
from launcher.bench import precondition as preconditioning
from launcher.bench.bench_options import LIMITS, OptionError, check_file, limits_text
from launcher.boards import BoardFailed, board_packages
from launcher.cli import (
    cli_board,
    cli_check,
    cli_experiment,
    cli_figures,
    cli_firmware,
    cli_ioreplay,
    cli_lockstep,
    cli_measure,
    cli_spread,
    documents,
)
from launcher.env import build as builder
from launcher.env import leveldb_packages, setup, steps, unpacked_packages, version
from launcher.env.paths import BUILD, CODE_COVERAGE, RELEASE, ROOT
from launcher.figures.entries import EntryFailed
from launcher.figures.figures import FiguresFailed, note, statuses
from launcher.figures.pages import PageFailed
from launcher.guest import guest_machine, guest_packages
from launcher.hw import formal as proofs
from launcher.hw import hwbench as hw
from launcher.hw import levels as timing
from launcher.hw import rtl
from launcher.hw import synth as synthesis
from launcher.spread.cluster import SpreadFailed
from launcher.suites import coverage as counting
from launcher.suites import fix as formatting
from launcher.suites import suites
from launcher.suites.call_graph import CheckError
from launcher.suites.running import DEFAULT_SEED, Selection

app = typer.Typer(
    name="openremap",
    help="OpenRemap: an open SSD controller whose mapping table the host can edit. The first use installs its tools.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for _command in (
    cli_measure.bench,
    cli_measure.precondition,
    cli_experiment.experiment,
    cli_ioreplay.ioreplay,
    cli_measure.hwbench,
    cli_check.crash,
    cli_lockstep.lockstep,
    cli_check.fuzz,
    cli_check.guest,
    cli_measure.synth,
    cli_check.formal,
    cli_firmware.firmware,
    cli_board.board,
    cli_figures.figures,
    cli_spread.scheduler,
    cli_spread.worker,
):
    app.command()(_command)


def _say_version(asked: bool) -> None:
    if asked:
        print(f"openremap {version.number()}")
        raise typer.Exit


@app.callback()
def _everywhere(
    version_: Annotated[
        bool,
        typer.Option("--version", callback=_say_version, is_eager=True, help="Print the version, and stop."),
    ] = False,
) -> None:
    pass


_WHEN_NAMED = [entry.name for entry in suites.SUITES if not entry.always]


@app.command()
def test(
    suite: Annotated[
        list[str] | None, typer.Argument(help="Suites to run.", show_default=f"all except {', '.join(_WHEN_NAMED)}")
    ] = None,
    guest_: Annotated[bool, typer.Option("--guest", help="Run the suites `guest` and `guest-long`.")] = False,
    list_: Annotated[bool, typer.Option("--list", help="List the suites and stop.")] = False,
    expression: Annotated[str, typer.Option("-k", help="Run only cases whose name contains this text.")] = "",
    seed: Annotated[int, typer.Option(help="Seed of all random tests." + limits_text("seed"))] = 1,
) -> None:
    """Run the default test suites, or some suites.

    The last line is `N passed, N failed`, also when set-up fails (`0 passed, 1 failed`); the lines before it say what
    these are made of. A case counts once: repeats of it in another build, lint commands and questions to the solver are
    counted apart. Whatever fails is counted as failed, and makes the exit code 1 (2 if something must be installed).
    Whole suites that end green are recorded with the sources that they ran on; `board flash` asks for that record.
    """
    known = {entry.name: entry for entry in suites.SUITES}
    if guest_:
        suite = [*(suite or []), "guest", "guest-long"]
    unknown = [name for name in suite or [] if name not in known]
    if unknown:
        raise OptionError(f"unknown suite '{unknown[0]}'; the suites are {', '.join(known)}")
    LIMITS["seed"].check("--seed", seed)
    if list_:
        for entry in suites.SUITES:
            print(f"{entry.name:11} {entry.about}")
        return
    try:
        setup.ensure_tools().activate()
    except (setup.SetupError, OSError) as error:
        said = setup.reason(error) if isinstance(error, OSError) else str(error)
        code = _complain(said, 1 if isinstance(error, OSError) else error.exit_code)
        print("0 passed, 1 failed", flush=True)
        raise typer.Exit(code) from None
    always = [entry.name for entry in suites.SUITES if entry.always]
    chosen = [known[name] for name in dict.fromkeys(suite or always)]
    totals = suites.run_suites(chosen, Selection(expression, seed), record=True)
    if not suite and not expression:  # a run of everything: say what the documentation cannot be trusted in
        print(note(statuses()), flush=True)
    print(f"{totals.passed} passed, {totals.failed} failed", flush=True)
    if totals.failures:
        raise typer.Exit(1)


@app.command()
def coverage(
    keep: Annotated[
        bool, typer.Option("--keep", help="Simulate nothing; report the counts of an earlier run.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Seed of the test benches." + limits_text("seed"))] = DEFAULT_SEED,
    json: Annotated[
        Path, typer.Option(help="File for the results.", show_default="coverage/coverage.json in the build folder")
    ] = CODE_COVERAGE / "coverage.json",
) -> None:
    """Measure the code coverage of the test benches.

    Runs the suite `cocotb` with instrumented models, which are slower, and prints line and toggle coverage of each
    module of the controller and of the units beside the SoC's CPU. The JSON lists each line and each casez arm that no
    bench reaches, with its place in the Chisel source. Fails if a bench fails or line coverage is below the goal.
    """
    LIMITS["seed"].check("--seed", seed)
    check_file("--json", json)
    setup.ensure_tools().activate()
    selection = Selection(seed=seed, code_coverage=True)
    failed = 0
    if not keep:
        shutil.rmtree(CODE_COVERAGE, ignore_errors=True)
        benches = [suite for suite in suites.SUITES if suite.name == "cocotb"]
        failed = suites.run_suites(benches, selection).failed
    document = counting.document(*counting.collect(beside=sorted(timing.beside())))
    documents.write(document, json)
    Console(highlight=False).print(counting.table(document))
    print(f"results: {json}")
    missed = counting.missed(document)
    if missed:
        print(f"openremap: {missed}", file=sys.stderr)
    if failed or missed:
        raise typer.Exit(1)


@app.command()
def build(
    soc: Annotated[
        bool,
        typer.Option(
            "--soc", help="Also build the device soc, which otherwise is built when it is first used and kept since."
        ),
    ] = False,
) -> None:
    """Build everything that has changed.

    Generates the interface files, emits the SystemVerilog, Verilates it, and compiles C and C++.
    """
    setup.ensure_tools().activate()
    builder.everything(with_soc=soc)
    print(f"built: {RELEASE / 'bin'}")


@app.command()
def fix(
    language: Annotated[
        list[str] | None, typer.Argument(help=f"Of {', '.join(formatting.LANGUAGES)}; none: all of them.")
    ] = None,
) -> None:
    """Format the sources in place.

    Runs clang-format, ruff check --fix, ruff format and scalafmt over the files that `test style` checks. It fails
    when ruff reports a problem that it cannot fix itself.
    """
    unknown = [name for name in language or [] if name not in formatting.LANGUAGES]
    if unknown:
        raise OptionError(f"no language '{unknown[0]}'; there are: {', '.join(formatting.LANGUAGES)}")
    setup.ensure_tools().activate()
    failures = formatting.run(tuple(language or formatting.LANGUAGES))
    for failure in failures:
        print(failure, file=sys.stderr)
    if failures:
        raise typer.Exit(1)


@app.command()
def clean(
    everything: Annotated[bool, typer.Option("--all", help="Also remove the installed tools.")] = False,
) -> None:
    """Remove build products."""
    folders = [BUILD, ROOT / "out", ROOT / ".pytest_cache", ROOT / ".mypy_cache", ROOT / ".ruff_cache"]
    if everything:
        folders += setup.environments()
        for name in (guest_packages.NAME, leveldb_packages.NAME, board_packages.NAME):
            folders += unpacked_packages.folders(name)
    for folder in folders:
        if folder == ROOT or folder in ROOT.parents:
            raise OptionError(f"OPENREMAP_BUILD_DIR={folder} contains the sources; it is not removed")
        if folder.exists():
            shutil.rmtree(folder)
            print(f"removed {folder}")


def main(arguments: list[str]) -> int:
    """Runs the command line; returns the exit code."""
    code = _run(arguments)
    try:
        sys.stdout.flush()
    except OSError as error:
        # What is left would fail once more when Python ends.
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115
        if code == 0:
            code = _complain(f"standard output: {error.strerror}", 1)
    return code


def _run(arguments: list[str]) -> int:
    # SIGTERM, which a CI sends at its time limit, ends the child processes as Ctrl-C does.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    command: Any = typer.main.get_command(app)
    try:
        code = command.main(args=arguments, prog_name="./openremap", standalone_mode=False)
    except typer.TyperException as error:
        return _complain(error.format_message().replace("Value error, ", ""), error.exit_code)
    except OptionError as error:
        return _complain(str(error), 2)
    except setup.SetupError as error:
        return _complain(str(error), error.exit_code)
    except (
        steps.StepFailed,
        rtl.EmitError,
        runner.BenchFailed,
        hw.HwbenchFailed,
        preconditioning.PreconditionFailed,
        synthesis.SynthFailed,
        BoardFailed,
        counting.CoverageError,
        proofs.FormalFailed,
        guest_machine.GuestFailed,
        EntryFailed,
        FiguresFailed,
        PageFailed,
        SpreadFailed,
        CheckError,
    ) as error:
        return _complain(str(error), 1)
    except OSError as error:  # while reading or writing: a full disk, a folder in place of a file
        return _complain(setup.reason(error), 1)
    except KeyboardInterrupt:
        return _complain("interrupted", 130)
    return int(code or 0)


def _complain(message: str, code: int) -> int:
    print(f"openremap: {message}", file=sys.stderr)
    return code
