#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the SoC of a board: `python -m soc.boards.generate BOARD --rtl DIR --out DIR`.

DIR of --rtl has the board's emitted controller. Written are the SoC's Verilog, that of its CPU, filelist.f with the
names of both, pins.lpf or *.xdc if it has pins, and host.json with what must be known to start the board. They
depend on their inputs alone: no date, no path.
"""

from __future__ import annotations

import argparse
import json
import logging
import re
import shutil
import sys
from pathlib import Path

logging.disable(logging.INFO)  # LiteX tells all it does

from interfaces.ormgen import soc as description  # noqa: E402
from soc.boards import acorn, ecpix5, pins, simulated  # noqa: E402
from soc.boards.dram_soc import DramCpuSoc  # noqa: E402
from soc.cpu_soc import MapError  # noqa: E402
from soc.generate import REGISTERS, without_dates  # noqa: E402
from soc.ports import PortError  # noqa: E402

SOCS = {"acorn": acorn, "ecpix5": ecpix5, "ecpix5-simulation": simulated}
# LiteX lists its black boxes in an order that differs from run to run.
_HIERARCHY = re.compile(r"^/\*\n.*?^\*/\n", re.MULTILINE | re.DOTALL)
_DIRECTION = {"in": "input", "out": "output", "both": "inout"}


def write(board: str, rtl: Path, out: Path) -> None:
    """Writes the SoC of `board` around the controller in `rtl`. Raises PortError, MapError, PinError."""
    module = SOCS[board]
    described = description.load(REGISTERS)
    soc, ports = module.build(rtl, described)
    soc.finalize()
    soc.check_map(described)
    made = soc.platform.get_verilog(soc, name=module.TOP)
    # The contents of memories are not LiteX's: the board's build writes their files.
    verilog = _HIERARCHY.sub("", without_dates(made.main_source if made.data_files else str(made)))
    out.mkdir(parents=True, exist_ok=True)
    if ports is not None:
        verilog = both_ways(verilog, module.TOP, ports)
        check_ports(verilog, module.TOP, ports)
        _constraints(ports, module.DEVICE, out)
    names = []
    for source, *_ in soc.platform.sources:
        shutil.copyfile(source, out / Path(source).name)
        names.append(Path(source).name)
    (out / f"{module.TOP}.v").write_text(verilog)
    (out / "filelist.f").write_text("".join(f"{name}\n" for name in [*names, f"{module.TOP}.v"]))
    host = {"registers": registers(soc), **soc.for_the_host()}
    (out / "host.json").write_text(json.dumps(host, indent=1) + "\n")


def _constraints(ports: list[pins.Port], device: str, out: Path) -> None:
    """In the form of the device's tools: one file for Lattice's, one for each description of pins for Xilinx's."""
    if not device.startswith("xc7"):
        (out / "pins.lpf").write_text(pins.lpf(ports))
        return
    for file in sorted({port.file for port in ports}):
        (out / Path(file).with_suffix(".xdc").name).write_text(pins.xdc(ports, file))


def registers(soc: DramCpuSoc) -> dict[str, int]:
    """The address of each of LiteX's registers on the CPU's bus."""
    found = {}
    for block, region in soc.csr_regions.items():
        address = region.origin
        for register in region.obj:
            found[f"{block}_{register.name}"] = address
            address += 4 * -(-register.size // 32)
    return found


def both_ways(verilog: str, top: str, ports: list[pins.Port]) -> str:
    """LiteX calls a pin that an instance drives an input; one that goes both ways becomes an inout."""
    names = "|".join(port.name for port in ports if port.direction == "both" and not port.unused)
    begin, end = verilog.index(f"module {top} ("), verilog.index(");")
    head = re.sub(rf"\binput  wire (.*\b(?:{names})\b)", r"inout  wire \1", verilog[begin:end])
    return verilog[:begin] + head + verilog[end:]


def check_ports(verilog: str, top: str, ports: list[pins.Port]) -> None:
    """Every port of the top has its pins, and the other way round. Raises PinError."""
    head = re.search(rf"\bmodule {top}\s*\((.*?)\)\s*;", verilog, re.DOTALL)
    if head is None:
        raise pins.PinError(f"no module {top}")
    pattern = re.compile(r"(input|output|inout)\s+(?:wire|reg)\s+(?:\[(\d+):0\]\s*)?(\w+)")
    given = {name: (kind, int(high or 0) + 1) for kind, high, name in pattern.findall(head[1])}
    wanted = {port.name: port for port in ports if not port.unused}
    if missing := sorted(given.keys() ^ wanted.keys()):
        raise pins.PinError(f"{missing[0]}: is only {'a port' if missing[0] in given else 'in the constraints'}")
    for name, port in wanted.items():
        kind, width = given[name]
        if width != len(port.balls):
            raise pins.PinError(f"{name}: {width} bits for {len(port.balls)} balls")
        if kind != _DIRECTION[port.direction]:
            raise pins.PinError(f"{name}: is an {kind}, but its pins are '{port.direction}'")


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("board", choices=sorted(SOCS))
    parser.add_argument("--rtl", type=Path, required=True, help="folder with the emitted controller")
    parser.add_argument("--out", type=Path, required=True, help="folder to write into")
    args = parser.parse_args(argv)
    try:
        write(args.board, args.rtl, args.out)
    except (PortError, MapError, pins.PinError) as error:
        print(f"{args.board}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
