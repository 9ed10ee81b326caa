# SPDX-License-Identifier: Apache-2.0
"""The whole SoC of the ECPIX-5 in RTL, but for the pins of DDR3 and Ethernet: it is started over UDP as the board is,
with the shipped firmware, and does what a host asks. It takes minutes, so it runs in the suite `long`."""

from __future__ import annotations

import json
import random
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from launcher.boards.ecpix5 import link, simulation
from launcher.boards.ecpix5 import start as starting
from launcher.boards.ecpix5.link import Link
from launcher.env import build
from launcher.env.paths import RELEASE
from launcher.firmware import images
from launcher.tests.boards.ecpix5.nvme import Nvme

HERE, THERE = "127.0.0.1", "127.0.0.2"
PATIENCE = 900.0  # seconds; a busy machine must not reach it
IDENTIFY, WRITE, READ = 6, 1, 2
SLOWER = 2000  # at least so many times slower than the board, so that no time-out of the driver comes too early

pytestmark = pytest.mark.long


@pytest.fixture
def bus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Link]:
    """The link to a simulation that has just been switched on."""
    monkeypatch.setattr(starting, "PATIENCE", PATIENCE)
    monkeypatch.setattr(link, "PATIENCE", 5.0)
    program = simulation.make()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind((THERE, 0))
        port = probe.getsockname()[1]
    with open(tmp_path / "console.txt", "w") as console:
        running = subprocess.Popen([program, THERE, str(port)], stdout=console)
        made = Link(THERE, port, 128, HERE)
        try:
            yield made
        finally:
            made.close()
            running.terminate()
            code = running.wait()
            print((tmp_path / "console.txt").read_text())
    assert code == 0, "an assertion of the RTL has failed"


def test_starts_and_keeps_what_is_written(bus: Link) -> None:
    images.build((images.LITEX,))
    facts = json.loads((simulation.FOLDER / "host.json").read_text())
    places, control = facts["places"], facts["registers"]["board_control"]
    faults = facts["registers"]["board_faults"]

    # All but the link is held: an access of the controller's registers ends, and is counted.
    assert len(bus.read(places["bar"])) == 1
    assert bus.read(faults) == [1]

    said: list[str] = []
    starting.start(bus, facts, images.LITEX_IMAGE.read_bytes(), "SIM-1", said.append)
    assert said[-1] == "the firmware runs"

    nvme = Nvme(bus, places["bar"], places["host_memory"], PATIENCE)
    page = places["host_memory"] + 0x10000
    assert nvme.command(nvme.admin, IDENTIFY, data=page, cdw10=1) == 0
    assert nvme.get(page + 4, 20).rstrip() == b"SIM-1"
    assert bus.read(facts["registers"]["board_messages"])[0] & 1

    io = nvme.io_queues()
    wanted = random.Random(1).randbytes(4096)
    nvme.put(page, wanted)
    assert nvme.command(io, WRITE, nsid=1, data=page, cdw10=7) == 0
    assert nvme.command(io, READ, nsid=1, data=page + 0x1000, cdw10=7) == 0
    assert nvme.get(page + 0x1000, 4096) == wanted
    assert bus.read(facts["registers"]["board_messages"])[0] == 0b11
    bus.write(facts["registers"]["board_taken"], [0b10])
    assert bus.read(facts["registers"]["board_messages"])[0] == 0b01

    # A page that lies beyond the memory that host and controller share.
    status = nvme.command(io, READ, nsid=1, data=places["dram"], cdw10=7)
    assert status & 0xFF == 4, "Data Transfer Error"

    # A second start, with the flash as it is.
    bus.write(control, [0])
    bus.write(control, [starting.RUN])
    bus.write(control, [starting.RUN | starting.CPU])
    starting.await_firmware(bus, places["state"], time.sleep)
    nvme = Nvme(bus, places["bar"], places["host_memory"], PATIENCE)
    io = nvme.io_queues()
    assert nvme.command(io, READ, nsid=1, data=page + 0x2000, cdw10=7) == 0
    assert nvme.get(page + 0x2000, 4096) == wanted
    assert bus.read(faults) == [1]


def test_the_command_line_uses_it_as_any_device(bus: Link) -> None:
    images.build((images.LITEX,))
    facts = json.loads((simulation.FOLDER / "host.json").read_text())
    starting.start(bus, facts, images.LITEX_IMAGE.read_bytes(), "SIM-1", print)
    _, port = bus.address()
    bus.close()  # one program at a time
    build.everything(("openremap-cli",))
    device = f"board:{THERE}:{port},facts={simulation.FOLDER / 'host.json'},slower={SLOWER}"

    def cli(*arguments: str) -> str:
        command = [str(RELEASE / "bin" / "openremap-cli"), "--device", device, *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True, timeout=PATIENCE).stdout

    assert "SIM-1" in cli("identify")
    cli("write", "5", "--text", "hello")
    cli("remap", "5", "1000")
    assert "hello" in cli("read", "1000")
