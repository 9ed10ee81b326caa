# SPDX-License-Identifier: Apache-2.0
"""The board for `./openremap board`.

The command's help names all boards before the project's packages are installed. So this file imports the rest of the
board where it is used.
"""

from __future__ import annotations

from pathlib import Path

from launcher.boards.acorn import design
from launcher.boards.board import Board, BoardFailed, Options
from launcher.hw import facts


def build(out: Path, options: Options) -> None:
    """Fills the project folder, and says what is missing here; with `area_only` measures what the SoC takes."""
    from launcher.boards.acorn import area, project

    if options.area_only:
        area.measure()
        return
    for line in project.build(out):
        print(line)


def check(options: Options) -> None:
    """Prints what was checked. Raises BoardFailed with what is wrong."""
    from launcher.boards.acorn import checks

    report = checks.check()
    for line in report.checked:
        print(line)
    if report.wrong:
        raise BoardFailed(f"{len(report.wrong)} things are wrong:\n" + "\n".join(f"  {line}" for line in report.wrong))
    print("nothing is wrong")


_PARAMS = facts.params(design.CONFIG)
BOARD = Board(
    design.NAME,
    "SQRL Acorn CLE-215+ (XC7A200T, M.2): an NVMe disk; flash of "
    f"{_PARAMS['slots'] * _PARAMS['slotBytes'] >> 20} MiB in DDR3; a project for Vivado, with its checks",
    build,
    check,
    configs=(design.CONFIG,),
    bitstream=design.BITSTREAM,
)
