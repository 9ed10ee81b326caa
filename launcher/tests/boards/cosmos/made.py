# SPDX-License-Identifier: Apache-2.0
"""A project as tests need it, made from the ports that CosmosTop has, without emitting it.

`./openremap board check cosmos`, a part of the suite `long`, compares with the emitted one: a port that differs is an
error of wrapper.make().
"""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

from launcher.boards.cosmos import board_facts, project, wrapper
from launcher.boards.cosmos.block_design import BlockDesign
from launcher.boards.cosmos.project import Project
from launcher.boards.cosmos.wrapper import Port
from launcher.hw import facts as hardware

_ADDRESS = {"id": 1, "addr": 32, "len": 8, "size": 3, "burst": 2, "lock": 1, "cache": 4, "prot": 3, "qos": 4}
_LITE = {"addr": 32, "prot": 3}


def _bus(prefix: str, master: bool, lite: bool, addr: int, data: int) -> list[Port]:
    """The signals of a bus, as seen from the module."""
    fields = {channel: dict(_LITE if lite else _ADDRESS) for channel in ("aw", "ar")}
    for signals in fields.values():
        signals["addr"] = addr
    forward = {
        "w": {"data": data, "strb": data // 8} | ({} if lite else {"last": 1}),
        **fields,
    }
    back = {"b": {"resp": 2} | ({} if lite else {"id": 1}), "r": {"data": data, "resp": 2}}
    if not lite:
        back["r"] |= {"id": 1, "last": 1}
    found = []
    for channels, goes in ((forward, master), (back, not master)):
        for channel, signals in channels.items():
            found.append(Port(f"{prefix}_{channel}valid", goes, 1))
            found.append(Port(f"{prefix}_{channel}ready", not goes, 1))
            found += [Port(f"{prefix}_{channel}{name}", goes, bits) for name, bits in signals.items()]
    return found


def top_ports(channels: int) -> list[Port]:
    """The ports of CosmosTop."""
    inputs = {"reset": 1, "controller_clock": 1, "core_clock": 1}
    inputs |= {"pcie_rx_valid": 1, "pcie_rx_bits_data": 128, "pcie_rx_bits_keep": 16, "pcie_rx_bits_last": 1}
    inputs |= {"pcie_rx_bits_user": 22, "pcie_tx_ready": 1, "pcie_config_id": 16, "pcie_config_busMaster": 1}
    inputs |= {"pcie_config_payload": 3, "pcie_config_request": 3, "pcie_config_msixEnable": 1}
    inputs |= {"pcie_config_msixMask": 1, "pcie_functionReset": 1, "pcie_linkUp": 1}
    outputs = {"controller_reset": 1, "core_reset": 1, "pcie_rx_ready": 1, "pcie_tx_valid": 1, "fw_irq": 1}
    outputs |= {"pcie_tx_bits_data": 128, "pcie_tx_bits_keep": 16, "pcie_tx_bits_last": 1, "pcie_npOk": 1}
    for error in ("malformed", "poisoned", "unsupported", "unexpected", "timeout"):
        outputs[f"pcie_errors_{error}"] = 1
    found = [Port(name, False, bits) for name, bits in inputs.items()]
    found += [Port(name, True, bits) for name, bits in outputs.items()]
    found += _bus("s_axil_fw", False, True, 16, 32)
    for name in ("dram", "nvram"):
        found += _bus(f"m_axi_{name}", True, False, 32, 128)
    for channel in range(channels):
        found += _bus(f"m_axil_tiger_{channel}", True, True, 6, 32)
        found += _bus(f"s_axi_tiger_{channel}", False, False, 20, 32)
    return found


@cache
def made(config: str = "cosmos2") -> Project:
    """A project whose Verilog has not been emitted: only its scripts can be had."""
    core = wrapper.make(top_ports(hardware.params(config)["channels"]))
    return Project(board_facts.load(), config, Path("nothing-is-emitted"), core)


def recorded(
    config: str = "cosmos2", edits: dict[str, tuple[str, str]] | None = None
) -> tuple[BlockDesign, list[list[str]]]:
    """Design and constraints that the scripts make after edits of files: a text that is there once becomes another."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        made(config).write_scripts(folder, None)
        for name, (old, new) in (edits or {}).items():
            text = (folder / name).read_text()
            assert text.count(old) == 1, f"{name} has {text.count(old)} times: {old}"
            (folder / name).write_text(text.replace(old, new))
        return project.recorded(made(config), folder)
