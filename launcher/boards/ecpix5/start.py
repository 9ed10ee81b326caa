# SPDX-License-Identifier: Apache-2.0
"""`./openremap board start ecpix5`: brings a board to life that has its bitstream, over its Ethernet.

The bitstream holds all but the link in reset. From here DDR3 is started, then the controller; the firmware's image is
put into DDR3, and the CPU starts it.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from launcher.boards import deploy
from launcher.boards.board import BoardFailed
from launcher.boards.ecpix5 import dram, link
from launcher.boards.identity import soc_board
from launcher.firmware import images
from launcher.suites import verified
from sim.cocotb.support import orm_soc

CONFIG = "ecpix5"  # hw/src/top/Presets.scala; the board's name, too
BITSTREAM = "openremap-ecpix5.bit"
# board_control (soc/boards/link.py)
RUN, CPU, FORGET = 1, 2, 4
# A start formats the flash (64 MiB of records and tables) and then the device; the SoC needs 28 ms for that.
PATIENCE = 10.0  # seconds
_TESTED = 256  # words of DDR3 that are written and read back


def read_facts(path: Path) -> dict[str, Any]:
    """host.json, which the build of the bitstream has written. Raises BoardFailed."""
    try:
        found: dict[str, Any] = json.loads(path.read_text())
        return found
    except (OSError, ValueError) as error:
        raise BoardFailed(f"{path}: {error}; `./openremap board build ecpix5` writes it") from error


def dram_facts(facts: dict[str, Any]) -> dram.Facts:
    return dram.Facts(
        registers=facts["registers"],
        **facts["dram"],
        start=tuple(facts["start"]),
        clock_hz=facts["link"]["clock_hz"],
    )


def start(
    bus: link.Bus,
    facts: dict[str, Any],
    image: bytes,
    serial: str,
    say: Callable[[str], None],
    unverified: bool = False,
    sleep: Callable[[float], None] = time.sleep,
) -> None:
    """Starts a board whose bitstream has just been loaded. `unverified`: bitstream or firmware has no green record, and
    the device shall say so. Raises BoardFailed."""
    places: dict[str, int] = facts["places"]
    control = facts["registers"]["board_control"]
    room = places["board"] - places["image"]
    if len(image) > room:
        raise BoardFailed(f"the firmware's image has {len(image)} bytes, and there is room for {room}")
    try:
        bus.write(control, [0])
        # A simulation has a memory that needs no start.
        settings = dram.start(bus, dram_facts(facts), sleep) if "dram" in facts else []
        for byte, found in enumerate(settings):
            say(f"DDR3, byte {byte}: shift {found.slip}, delay {found.delay}; {found.width} delays work")
        # DDR3 is new: the flash in it has to be made.
        bus.write(control, [RUN | FORGET])
        pattern = random.Random(1)
        link.store(bus, places["host_memory"], [pattern.getrandbits(32) for _ in range(_TESTED)])
        say("the controller is out of reset, and DDR3 reads as it was written")
        link.store(bus, places["image"], words(image))
        link.store(bus, places["board"], words(soc_board(serial, unverified=unverified)))
        say(f"the firmware is in place, {len(image)} bytes")
        bus.write(control, [RUN | CPU])
        await_firmware(bus, places["state"], sleep)
    except (link.LinkFailed, dram.DramFailed) as error:
        raise BoardFailed(str(error)) from error
    say("the firmware runs")


def await_firmware(bus: link.Bus, state: int, sleep: Callable[[float], None]) -> None:
    """Waits until the firmware says that it runs. Raises BoardFailed when it fails or says nothing."""
    step = 0.1
    found = orm_soc.SocState.NONE
    for _ in range(int(PATIENCE / step)):
        found = orm_soc.SocState(bus.read(state)[0] & 3)
        if found == orm_soc.SocState.RUNNING:
            return
        if found == orm_soc.SocState.FAILED:
            break
        sleep(step)
    raise BoardFailed(f"the firmware's state is '{found.name.lower()}'; the serial console has its log")


def words(data: bytes) -> list[int]:
    """Of memory, the last one filled up with zeroes."""
    return [int.from_bytes(data[at : at + 4], "little") for at in range(0, len(data), 4)]


def start_board(folder: Path, host: str, serial: str, say: Callable[[str], None], force: bool = False) -> None:
    """Starts the board at address `host` with the firmware of this tree; `folder` has its build. The bitstream there
    and this firmware must be verified together, unless they are forced. Raises BoardFailed."""
    facts = read_facts(folder / "host.json")
    for line in deploy.remarks(folder / BITSTREAM):
        say(line)
    here = verified.digests()
    verdict = deploy.judge(folder / BITSTREAM, CONFIG, here.firmware)
    deploy.require(verdict, CONFIG, CONFIG, force, say)
    unverified = bool(verdict.why)
    images.build((images.LITEX,))
    image = images.LITEX_IMAGE.read_bytes()
    deploy.require_unchanged(here)
    bus = link.Link(host, facts["link"]["port"], facts["link"]["words"])
    try:
        start(bus, facts, image, serial, say, unverified)
    finally:
        bus.close()
