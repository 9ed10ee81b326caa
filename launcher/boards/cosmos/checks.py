# SPDX-License-Identifier: Apache-2.0
"""`./openremap board check cosmos`: all that can be said of the project without Vivado and without a board."""

from __future__ import annotations

import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from launcher.boards import sidecar
from launcher.boards.cosmos import (
    boot,
    crossings,
    design_checks,
    names,
    pins,
    project,
    tcl_record,
    tiger4,
    xdc,
    xdc_checks,
)
from launcher.boards.cosmos.wrapper import TOP
from launcher.env import steps
from launcher.firmware import images
from launcher.hw import crossings as netlist_crossings
from launcher.hw import rtl
from launcher.suites import verified
from launcher.suites.checks import LINT_WAIVERS

_LINT_SECONDS = 600


@dataclass(frozen=True)
class Report:
    """A line for each thing that was checked, and one for each that is wrong."""

    checked: tuple[str, ...]
    wrong: tuple[str, ...]


def check(config: str, clone: Path | None) -> Report:
    """Checks a configuration, and the clone with Tiger4 if there is one.

    Raises BoardFailed, EmitError, StepFailed or SynthFailed where something cannot even be looked at.
    """
    made = project.prepare(config)
    facts = made.facts
    wanted = names.ports(made.channels, facts.lanes)
    checked: list[str] = []
    wrong: list[str] = []

    def add(what: str, problems: list[str]) -> None:
        checked.append(what)
        wrong.extend(problems)

    stale = [f"constraints/cosmos/{name} is not what board.toml and pins.csv say" for name in xdc.differing(facts)]
    add("constraints/cosmos is as its data says", stale)
    everything = names.ports(xdc.CHANNELS, facts.lanes)
    add(
        f"{sum(everything.values())} pins: banks, supplies, pairs, byte groups, lanes", pins.problems(facts, everything)
    )
    with steps.Ticker("run the project's Tcl against stubs"):
        design, constraints = project.recorded(made)
    add(
        f"block design: {len(design.ips)} cells, {len(design.nets)} nets, {len(design.buses)} buses, "
        f"{len(design.segments)} addresses, {sum(map(len, design.parameters.values()))} parameters",
        design_checks.problems(facts, config, design),
    )
    add(
        f"constraints: {len(constraints)} commands for {sum(wanted.values())} pins",
        xdc_checks.problems(facts, made.channels, design, constraints),
    )
    listed = [f"  {line}" for line in [*design_checks.crossings(facts, design)[0], *crossings.shown(made.emitted)]]
    add(f"{len(listed)} crossings between clocks:", crossings.problems(made.emitted))
    checked += listed
    verdict = netlist_crossings.of_unit(TOP)
    add(
        f"the netlist has no other path between its clocks ({sum(verdict.registers.values())} registers)",
        list(verdict.problems),
    )
    with steps.Ticker("lint the Verilog"):
        add("lint of the Verilog, with its wrapper", _lint(made))
    add("boot image: header, parts, addresses (without FSBL and bitstream)", _boot_format(made))
    if clone is not None:
        found = tiger4.find(facts, clone)
        add("Tiger4's IPs have the pins that the design uses", tiger4.differences(facts, found, tcl_record.load_ips()))
    return Report(tuple(checked), tuple(wrong))


def _lint(made: project.Project) -> list[str]:
    with tempfile.TemporaryDirectory() as scratch:
        top = Path(scratch) / f"{names.CORE_MODULE}.v"
        top.write_text(made.wrapper.text)
        command = ["verilator", "--lint-only", "-Wall", "--top-module", names.CORE_MODULE, str(LINT_WAIVERS), str(top)]
        command += map(str, rtl.verilog_sources(made.emitted))
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=_LINT_SECONDS, check=False)
        except subprocess.TimeoutExpired:
            return [f"lint: has not ended after {_LINT_SECONDS} s"]
    return [line for line in done.stderr.splitlines() if line.startswith("%")]


def _boot_format(made: project.Project) -> list[str]:
    images.build((images.ZYNQ,))
    elf = images.ZYNQ.elf(images.ZYNQ_FIRMWARE)
    record = boot.board_record(made.facts, "FORMAT0")
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / project.RECORD).write_bytes(record)
        (folder / project.FIRMWARE).write_bytes(elf.read_bytes())
        stamp = sidecar.stamp(verified.digests(), False)
        (folder / project.STAMP).write_text(stamp.hex())
        bif = folder / project.BIF
        parts = [boot.stamp_part(project.STAMP), project.FIRMWARE, boot.record_part(project.RECORD)]
        bif.write_text(boot.bif(parts))
        boot.make_image(bif, folder / project.IMAGE)
        image = (folder / project.IMAGE).read_bytes()
        return boot.image_problems(image, elf.read_bytes(), record) + boot.stamp_problems(image, stamp)
