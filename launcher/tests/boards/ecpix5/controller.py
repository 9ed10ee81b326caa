# SPDX-License-Identifier: Apache-2.0
"""The ports of the ECPIX-5's controller (DramBoard), so that its SoC can be generated without emitting it."""

from __future__ import annotations

from pathlib import Path

_WISHBONE = {"cyc": 1, "stb": 1, "we": 1, "adr": 30, "datW": 32, "sel": 4, "cti": 3}
_ANSWER = {"datR": 32, "ack": 1, "err": 1}
_WATCHED = {"cyc": 1, "stb": 1, "we": 1, "adr": 30, "ack": 1, "err": 1}
_ADDRESS = {"id": 1, "addr": 30, "len": 8, "size": 3, "burst": 2}


def inputs() -> dict[str, int]:
    found = {"clock": 1, "reset": 1, "function_reset": 1, "flash_forget": 1, "msix_ready": 1}
    for bus in ("dram", "nvram", "fw", "regs", "bar"):
        found |= {f"wb_{bus}_{name}": width for name, width in _WISHBONE.items()}
    for bus in ("fetch", "data"):
        found |= {f"cpu_{bus}_{name}": width for name, width in _WATCHED.items()}
    answers = {"awready": 1, "wready": 1, "bvalid": 1, "bresp": 2, "bid": 1, "arready": 1}
    answers |= {"rvalid": 1, "rdata": 128, "rresp": 2, "rlast": 1, "rid": 1}
    return found | {f"m_axi_{name}": width for name, width in answers.items()}


def outputs() -> dict[str, int]:
    found = {"msix_valid": 1, "msix_bits": 2, "cpu_expired_0": 1, "cpu_expired_1": 1, "cpu_fault": 1, "fw_state": 2}
    for bus in ("dram", "nvram", "fw", "regs", "bar"):
        found |= {f"wb_{bus}_{name}": width for name, width in _ANSWER.items()}
    asked = {"awvalid": 1, "wvalid": 1, "wdata": 128, "wstrb": 16, "wlast": 1, "bready": 1, "arvalid": 1, "rready": 1}
    for channel in ("aw", "ar"):
        asked |= {f"{channel}{name}": width for name, width in _ADDRESS.items()}
    return found | {f"m_axi_{name}": width for name, width in asked.items()}


def write(folder: Path, less: str = "", more: str = "") -> None:
    """Writes DramBoard.sv, with the ports but for `less`, and with the input `more`."""
    write_module(folder, "DramBoard", inputs(), outputs(), less, more)


def write_module(
    folder: Path, module: str, given: dict[str, int], told: dict[str, int], less: str = "", more: str = ""
) -> None:
    """Writes MODULE.sv, with these ports but for `less`, and with the input `more`."""
    lines = [f"  input  [{width - 1}:0] {name}" for name, width in given.items() if name != less]
    lines += [f"  output [{width - 1}:0] {name}" for name, width in told.items() if name != less]
    lines += [f"  input  [0:0] {more}"] if more else []
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{module}.sv").write_text(f"module {module}(\n" + ",\n".join(lines) + "\n);\nendmodule\n")
