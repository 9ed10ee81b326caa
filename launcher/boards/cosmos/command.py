# SPDX-License-Identifier: Apache-2.0
"""The board for `./openremap board`.

The command's help names all boards before the project's packages are installed. So this file imports the rest of the
board where it is used.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from launcher.boards.board import Board, BoardFailed, Options, Reference
from launcher.boards.cosmos.configs import BITSTREAM, CONFIGS, NAME


def build(out: Path, options: Options) -> None:
    """Fills the project folder, and says what is missing here."""
    from launcher.boards.cosmos import project

    for line in project.build(out, _config(options), options.tiger4, options.fsbl, options.bitstream):
        print(line)


def check(options: Options) -> None:
    """Prints what was checked. Raises BoardFailed with what is wrong."""
    from launcher.boards.cosmos import checks

    report = checks.check(_config(options), options.tiger4)
    for line in report.checked:
        print(line)
    if report.wrong:
        raise BoardFailed(f"{len(report.wrong)} things are wrong:\n" + "\n".join(f"  {line}" for line in report.wrong))
    print("nothing is wrong")


def flash(out: Path, options: Options) -> None:
    """Loads the FPGA, or with `dry_run` a model of it. `out` has the bitstream that is taken if none is named. An FPGA
    gets only what was verified, or what is forced; of the dry run the verdict is printed."""
    from launcher.boards import deploy
    from launcher.boards.cosmos import board_facts
    from launcher.boards.jtag import bitstream, openocd

    facts = board_facts.load()
    devices = [openocd.Device(tap.name, tap.ir_bits, tap.idcode, tap.name == "fpga") for tap in facts.jtag]
    file = options.bitstream or out / BITSTREAM
    with tempfile.TemporaryDirectory() as scratch:
        if not options.dry_run:
            if not options.adapter:
                raise BoardFailed("flash: needs --adapter, or --dry-run")
            verdict = deploy.judge(file, BOARD.name)
            deploy.require(verdict, BOARD.name, _config(options), options.force, print)
            openocd.load(devices, options.adapter, deploy.copy(verdict, Path(scratch)))
            print(f"loaded: {file}")
            return
        if file.is_file():
            print(deploy.judge(file, BOARD.name).text)
        else:
            file = Path(scratch) / "stand-in.bit"
            file.write_bytes(bitstream.stand_in(facts.part, facts.bitstream))
            print(f"no bitstream here: {facts.bitstream} random bytes take its place")
        for line in openocd.load_model(devices, file):
            print(line)


def baseline(config: str) -> Reference:
    """GreedyFTL 3.0.0 with NAND in SLC mode: the sizes follow from its constants. Blocks that went bad and could not be
    replaced make the disk smaller."""
    most = _GREEDY_PAGES[config] * 4096
    return Reference("GreedyFTL", "Cosmos+ OpenSSD", most * 9 // 10, most)


def _config(options: Options) -> str:
    return options.config or CONFIGS[0]


_GREEDY_PAGES = {"cosmos2": 60_389_888, "cosmos8": 241_559_552}  # of 4096 bytes: with 2 and with 8 channels
BOARD = Board(
    NAME,
    "Cosmos+ OpenSSD (XC7Z045): a project for Vivado, with its constraints, firmware and checks",
    build,
    check,
    flash,
    configs=CONFIGS,
    baseline=baseline,
    bitstream=BITSTREAM,
)
