# SPDX-License-Identifier: Apache-2.0
"""Loads an FPGA with OpenOCD: over a cable, or into a model of the chain."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from launcher.boards import board_packages
from launcher.boards.board import BoardFailed
from launcher.boards.jtag import bitstream
from launcher.boards.jtag.bitbang import Server
from launcher.boards.jtag.tap import Chain, Fpga, Tap
from launcher.env import steps

_VERSION_BITS = 28
_MODEL_VERSION = {"dap": 0x4, "fpga": 0x2}  # of the IDCODEs of the model; OpenOCD ignores them
_PATIENCE = 1800  # seconds
_KHZ = 10000  # of TCK, over a cable
# What OpenOCD says when the model, on a busy machine, is not read from as fast as it writes; it does not wait.
_TOO_FAST = "remote_bitbang_putc"
_ATTEMPTS = 3


@dataclass(frozen=True)
class Device:
    """A device of the chain as board data has it: an IDCODE without its version."""

    name: str
    ir_bits: int
    idcode: int
    fpga: bool


def commands(devices: Sequence[Device], adapter: Sequence[str], file: Path) -> list[str]:
    """What OpenOCD is told. `devices` are in the order from TDI to TDO, and it wants them the other way round."""
    found = [*adapter, "transport select jtag", "gdb_port disabled", "tcl_port disabled", "telnet_port disabled"]
    for device in reversed(devices):
        found.append(
            f"jtag newtap board {device.name} -irlen {device.ir_bits} -ircapture 0x1 -irmask 0x3"
            f" -expected-id {device.idcode:#010x} -ignore-version"
        )
    fpga = next(device for device in devices if device.fpga)
    return [*found, f"pld device virtex2 board.{fpga.name}", "init", f"pld load 0 {{{file}}}", "shutdown"]


def load(devices: Sequence[Device], adapter: str, file: Path) -> None:
    """Loads a real FPGA. `adapter` names OpenOCD's file about the cable. Raises BoardFailed."""
    bitstream.configuration(_read(file))
    _run(
        commands(devices, [f"source [find interface/{adapter}.cfg]", f"adapter speed {_KHZ}"], file),
        f"load {file.name}",
    )


def load_model(devices: Sequence[Device], file: Path) -> list[str]:
    """Loads a model of the chain, and compares what came with the file. Returns lines that say what was compared.
    Raises BoardFailed."""
    wanted = bitstream.configuration(_read(file))
    begun = time.monotonic()
    for attempt in range(_ATTEMPTS):
        taps = [_model(device) for device in devices]
        fpga = next(tap for tap in taps if isinstance(tap, Fpga))
        chain = Chain(taps)
        try:
            _play(devices, chain, file)
            break
        except BoardFailed as failed:
            if _TOO_FAST not in str(failed) or attempt == _ATTEMPTS - 1:
                raise
    came = fpga.configuration()
    if came[: len(wanted)] != wanted:
        at = next((i for i, (a, b) in enumerate(zip(came, wanted, strict=False)) if a != b), len(came))
        raise BoardFailed(f"the bitstream that came differs from the file at byte {at} behind the synchronisation word")
    if not fpga.done:
        raise BoardFailed("the FPGA was loaded, and not started")
    return [
        f"{len(wanted)} bytes of configuration came as they are in {file.name}; the model was started",
        f"{chain.clocks} cycles of TCK in {time.monotonic() - begun:.0f} s",
    ]


def _play(devices: Sequence[Device], chain: Chain, file: Path) -> None:
    with Server(chain) as server:
        adapter = [
            "adapter driver remote_bitbang",
            "remote_bitbang host 127.0.0.1",
            f"remote_bitbang port {server.port}",
        ]
        _run(commands(devices, adapter, file), f"load {file.name} into the model", server.cpu)
        if server.error is not None:
            raise BoardFailed(f"the model of the chain failed: {server.error}")


def _model(device: Device) -> Tap:
    idcode = device.idcode | _MODEL_VERSION.get(device.name, 0) << _VERSION_BITS
    if device.fpga:
        return Fpga(device.name, device.ir_bits, idcode, idcode_instruction=0x09)
    return Tap(device.name, device.ir_bits, idcode, idcode_instruction=0x0E)  # an ARM debug port


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise BoardFailed(f"{file}: {error.strerror}") from None


def _run(orders: Sequence[str], title: str, cpu: int | None = None) -> None:
    openocd = board_packages.find("openocd")
    before = [] if cpu is None else ["taskset", "--cpu-list", str(cpu), "nice", "-n", "5"]
    arguments = [word for order in orders for word in ("-c", order)]
    with steps.Ticker(title):
        try:
            done = subprocess.run(
                [*before, openocd.path, *arguments],
                env=openocd.environment,
                capture_output=True,
                text=True,
                timeout=_PATIENCE,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise BoardFailed(f"OpenOCD has not ended after {_PATIENCE} s") from None
    # It ends with 0 also where a device has another IDCODE than expected.
    wrong = [line for line in done.stderr.splitlines() if line.startswith(("Error", "Warn : JTAG tap"))]
    if done.returncode != 0 or wrong:
        said = "\n  ".join(wrong or done.stderr.splitlines()[-5:])
        raise BoardFailed(f"OpenOCD ({steps.exit_text(done.returncode)}):\n  {said}")
