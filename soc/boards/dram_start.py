# SPDX-License-Identifier: Apache-2.0
"""What starts a board's DDR3 must know of LiteDRAM's registers and pins."""

from __future__ import annotations

from typing import Any

from litedram.init import get_sdram_phy_init_sequence
from migen import Signal


def facts_of(phy: Any) -> dict[str, int]:
    """A clock cycle of the pins has `phases` parts; a write is given in part `write`, a read in part `read`, and each
    part has `phase_bytes` of data. Of its `bytes`, each has `delays` delays and `slips` shifts to choose from."""

    def number(of: Any) -> int:
        """A register of the pins stands for what it is after a reset."""
        return int(of.reset.value) if isinstance(of, Signal) else int(of)

    return {
        "phases": phy.nphases,
        "read": number(phy.rdphase),
        "write": number(phy.wrphase),
        "bytes": phy.databits // 8,
        "phase_bytes": phy.dfi_databits // 8,
        "delays": phy.delays,
        "slips": phy.bitslips,
    }


def start_of(phy: object, timing: object) -> list[dict[str, int]]:
    """LiteDRAM's sequence for a DDR3 that has just got its supply: bits for the register dfii_control, or a command,
    with address and bank, and the cycles to wait then."""
    control = {"CKE": 2, "ODT": 4, "RESET_N": 8}
    command = {"CS": 1, "WE": 2, "CAS": 4, "RAS": 8}
    steps, _ = get_sdram_phy_init_sequence(phy, timing)
    found = []
    for _, address, bank, text, cycles in steps:
        kind = "control" if "CONTROL" in text else "command"
        known = control if kind == "control" else command
        bits = sum(known[name.removeprefix(f"DFII_{kind.upper()}_")] for name in text.split("|"))
        found.append({kind: bits, "address": address, "bank": bank, "cycles": cycles})
    return found
