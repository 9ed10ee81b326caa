#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the SoC's Verilog: `python -m soc.generate --rtl DIR --out DIR`.

DIR of --rtl has the emitted SocController. The output is OpenRemapSoc.v, VexRiscv.v and filelist.f, which names them;
the controller's files are not copied. It depends on its inputs alone: no date, no path.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
from pathlib import Path

from interfaces.ormgen import soc as description
from soc.openremap_soc import TOP, MapError, OpenRemapSoc
from soc.ports import PortError

REGISTERS = Path(__file__).resolve().parents[1] / "interfaces" / "registers"
# Lines of LiteX's header that differ from run to run.
_VARYING = re.compile(r"^//.*(?:\bDate\b|Auto-[Gg]enerated by LiteX|\bon \d{4}-\d\d-\d\d).*\n", re.MULTILINE)


def without_dates(verilog: str) -> str:
    """LiteX's Verilog without what differs from run to run."""
    return _VARYING.sub("", verilog)


def write(rtl: Path, out: Path) -> None:
    """Writes the SoC around the controller in `rtl`. Raises PortError, MapError."""
    described = description.load(REGISTERS)
    soc = OpenRemapSoc(rtl, described)
    soc.finalize()
    soc.check_map(described)
    verilog = soc.platform.get_verilog(soc, name=TOP)
    out.mkdir(parents=True, exist_ok=True)
    names = []
    for source, *_ in soc.platform.sources:
        shutil.copyfile(source, out / Path(source).name)
        names.append(Path(source).name)
    (out / f"{TOP}.v").write_text(without_dates(str(verilog)))
    (out / "filelist.f").write_text("".join(f"{name}\n" for name in [*names, f"{TOP}.v"]))


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rtl", type=Path, required=True, help="folder with the emitted SocController")
    parser.add_argument("--out", type=Path, required=True, help="folder to write into")
    args = parser.parse_args(argv)
    try:
        write(args.rtl, args.out)
    except (PortError, MapError) as error:
        print(f"soc: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
