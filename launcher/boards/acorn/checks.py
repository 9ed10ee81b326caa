# SPDX-License-Identifier: Apache-2.0
"""`./openremap board check acorn`: all that can be said of the project without Vivado and without a board."""

from __future__ import annotations

import dataclasses
import re
import tempfile
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path

from launcher.boards.acorn import design, project
from launcher.boards.cosmos import crossings, tcl_record
from launcher.boards.cosmos.tcl_record import PinOf
from launcher.env import steps
from launcher.hw import crossings as netlist_crossings
from soc.boards import pins
from soc.boards.pins import Port

_IP = "xilinx.com:ip:pcie_7x"
_COSMOS_LANES, _COSMOS_BITS = 8, 128  # the core of ips.toml
_ELECTRICAL = ("PACKAGE_PIN", "IOSTANDARD")


@dataclass(frozen=True)
class Report:
    """A line for each thing that was checked, and one for each that is wrong."""

    checked: tuple[str, ...]
    wrong: tuple[str, ...]


def check() -> Report:
    """Raises BoardFailed, StepFailed or SynthFailed where something cannot even be looked at."""
    emitted = project.prepare()
    ports = pins.load(design.NAME)
    verilog = (project.WORK / f"{design.TOP}.v").read_text()
    checked: list[str] = ["the SoC's Verilog: its ports are the pins; lint, with all cells and the core as black box"]
    wrong: list[str] = []

    def add(what: str, problems: list[str]) -> None:
        checked.append(what)
        wrong.extend(problems)

    balls = sum(len(port.balls) for port in ports)
    add(f"{balls} pins: each is of one signal, pairs are complete", pin_problems(ports))
    add(
        f"PCIe core: {len(wired_pins(verilog))} pins are wired, with the widths that the IP has", core_problems(verilog)
    )
    with steps.Ticker("run the project's Tcl against stubs"):
        calls = recorded()
    add(f"project: {len(design.pcie_parameters())} parameters of the PCIe core", ip_problems(calls))
    add("constraints: every pin, clock and crossing", constraint_problems(ports, calls))
    listed = [f"  {line}" for line in crossings.shown(emitted)]
    add(f"{len(listed)} crossings between clocks:", crossings.problems(emitted))
    checked += listed
    verdict = netlist_crossings.of_unit(design.CONTROLLER)
    add(
        f"the netlist has no other path between its clocks ({sum(verdict.registers.values())} registers)",
        list(verdict.problems),
    )
    return Report(tuple(checked), tuple(wrong))


def pin_problems(ports: list[Port]) -> list[str]:
    """Of the descriptions of pins; that no pin is there twice, pins.load() has looked at."""
    found = [f"{name}: a pair needs both sides, with the same properties" for name in pins.unpaired(ports)]
    lanes = design.board()["pcie"]["lanes"]
    for port in ports:
        if re.fullmatch(r"pcie_[rt]x_[pn]", port.name) and len(port.balls) != lanes:
            found.append(f"{port.name}: {len(port.balls)} lanes of {lanes}")
    return found


def pcie_pins() -> dict[str, PinOf]:
    """The pins of the IP, which ips.toml has for eight lanes, with this board's widths."""
    bits, lanes = design.board()["pcie"]["stream_bits"], design.board()["pcie"]["lanes"]
    found = {}
    for name, pin in tcl_record.load_ips()[_IP].pins.items():
        width = pin.bits
        if name.endswith(("tdata", "tkeep")):
            width = pin.bits * bits // _COSMOS_BITS
        elif name.startswith("pci_exp_"):
            width = pin.bits * lanes // _COSMOS_LANES
        found[name] = dataclasses.replace(pin, bits=width)
    return found


def wired_pins(verilog: str) -> list[str]:
    """The pins of the PCIe core that the SoC's Verilog connects."""
    found = re.search(rf"^{design.PCIE_CORE} pcie\((.*?)^\);", verilog, re.DOTALL | re.MULTILINE)
    return re.findall(r"\.(\w+)\s*\(", found[1]) if found else []


def core_problems(verilog: str) -> list[str]:
    """Lint has compared the widths with those of `pcie_pins`; here: that all are there that must be."""
    known, wired = pcie_pins(), wired_pins(verilog)
    found = [f"{name}: the PCIe core has no such pin" for name in wired if name not in known]
    for name, pin in known.items():
        if pin.direction == "in" and not pin.optional and name not in wired:
            found.append(f"{name}: an input of the PCIe core that nothing drives")
    return found


def recorded(edits: dict[str, tuple[str, str]] | None = None) -> list[list[str]]:
    """The calls of build.tcl, and so of the whole project, then of its constraints; they run against stubs. `edits`:
    of a file, a text and what takes its place. Raises BoardFailed where Tcl fails."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        project.write_scripts(folder)
        (folder / "verilog").mkdir()
        for name in ("stand_in.v", "stand_in.init"):
            (folder / "verilog" / name).write_text("")
        for name, (old, new) in (edits or {}).items():
            text = (folder / name).read_text()
            if old not in text:
                raise ValueError(f"{name} has no '{old}'")
            (folder / name).write_text(text.replace(old, new))
        ips = tcl_record.load_ips()
        calls = tcl_record.run([folder / "build.tcl"], ips, {})
        listed = [Path(call[-1]) for call in calls if call[0] == "add_files" and "constrs_1" in call]
        return calls + tcl_record.run(listed, ips, {})


def ip_problems(calls: list[list[str]]) -> list[str]:
    """The project has the core, with the parameters that it needs; it is for the board's device."""
    found = []
    made = [call[1:] for call in calls if call[0] == "create_ip"]
    if made != [[design.PCIE_CORE, _IP]]:
        found.append(f"IPs: {made}, not {design.PCIE_CORE} alone")
    given = {call[1]: call[2] for call in calls if call[0] == "set_property" and call[-1] == f"ip:{design.PCIE_CORE}"}
    wanted = {f"CONFIG.{name}": value for name, value in design.pcie_parameters().items()}
    for name in sorted(given.keys() | wanted.keys()):
        if given.get(name) != wanted.get(name):
            found.append(f"{design.PCIE_CORE}: {name} is {given.get(name)}, not {wanted.get(name)}")
    pcie = design.board()["pcie"]
    # 8b/10b code: a byte takes ten bits of a lane.
    if pcie["lanes"] * 5e9 / 10 != pcie["stream_bits"] / 8 * pcie["user_megahertz"] * 1e6:
        found.append(f"{design.PCIE_CORE}: its streams carry more or less than its lanes at 5 GT/s")
    for name, wanted_value in (
        ("Maximum_Link_Width", f"X{pcie['lanes']}"),
        ("Interface_Width", f"{pcie['stream_bits']}_bit"),
        ("User_Clk_Freq", str(pcie["user_megahertz"])),
    ):
        if given.get(f"CONFIG.{name}") != wanted_value:
            found.append(f"{design.PCIE_CORE}: {name} is not {wanted_value}")
    parts = [call[call.index("-part") + 1] for call in calls if call[0] == "create_project"]
    if parts != [design.board()["part"]]:
        found.append(f"project: for {', '.join(parts)}")
    return found


def constraint_problems(ports: list[Port], calls: list[list[str]]) -> list[str]:
    """Every port has its pins and its standard; clocks have their periods; both ways between the clocks are bounded."""
    given: dict[str, dict[str, str]] = defaultdict(dict)
    found = []
    for call in calls:
        if call[0] == "set_property" and call[-1].startswith("port:"):
            signal = call[-1].removeprefix("port:")
            if call[1] in given[signal]:
                found.append(f"{signal}: {call[1]} is set twice")
            given[signal][call[1]] = call[2]
    wanted = {}
    for port in ports:
        for i, ball in enumerate(port.balls):
            standard = {} if port.standard == pins.GTP else {"IOSTANDARD": port.standard}
            wanted[port.bit(i)] = {"PACKAGE_PIN": ball, **standard, **port.options}
    for signal in sorted(wanted.keys() | given.keys()):
        if wanted.get(signal) != given.get(signal):
            found.append(f"{signal}: {given.get(signal)}, the board has {wanted.get(signal)}")
    places = Counter(properties.get("PACKAGE_PIN") for properties in given.values())
    found += [f"pin {place}: has {count} signals" for place, count in places.items() if count > 1]
    return found + _clocks(ports, calls) + _names(ports, calls) + _bounds(calls)


def _clocks(ports: list[Port], calls: list[list[str]]) -> list[str]:
    periods = {
        call[-1].removeprefix("port:"): float(call[call.index("-period") + 1])
        for call in calls
        if call[0] == "create_clock"
    }
    wanted = {port.name: 1000 / port.megahertz for port in ports if port.megahertz}
    return [
        f"{name}: a clock of {periods.get(name)} ns, not of {wanted.get(name)} ns"
        for name in sorted(periods.keys() | wanted.keys())
        if periods.get(name) != wanted.get(name)
    ]


def _names(ports: list[Port], calls: list[list[str]]) -> list[str]:
    """What the constraints name is in the design."""
    known = {port.name for port in ports}
    inner = {f"{design.INSTANCE}/{port}" for port in design.CLOCKS.values()}
    found = []
    for call in calls:
        for word in call[1:]:
            for kind, name in re.findall(r"(port|pin):(\S+)", word):
                if name.split("[")[0] not in known if kind == "port" else name not in inner:
                    found.append(f"{call[0]}: the design has no {kind} {name}")
    return found


def _bounds(calls: list[list[str]]) -> list[str]:
    ends = {name: f"clock of pin:{design.INSTANCE}/{port}" for name, port in design.CLOCKS.items()}
    given = {}
    found = []
    for call in calls:
        way = tuple(call[call.index(option) + 1] if option in call else None for option in ("-from", "-to"))
        if call[0] == "set_max_delay":
            given[way] = ("-datapath_only" in call, float(call[-1]))
        if call[0] == "set_false_path" and set(way) & set(ends.values()):
            found.append("paths between controller and PCIe core are false: nothing bounds the skew of Gray codes")
    for one, other in (("controller", "core"), ("core", "controller")):
        if given.get((ends[one], ends[other])) != (True, design.bound()):
            found.append(f"no bound of {design.bound()} ns from {one} to {other}")
    return found
