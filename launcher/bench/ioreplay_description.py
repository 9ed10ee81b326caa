# SPDX-License-Identifier: Apache-2.0
# Generated from interfaces/options. Do not edit: run python interfaces/generate.py
# fmt: off
# ruff: noqa
"""The numbers among the options of ioreplay with their ranges, defaults and help."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Number:
    """An inclusive range, and the program's default."""

    low: int
    high: int
    default: int
    help: str


# By its name, without the dashes before it.
NUMBERS = {
    "chunk": Number(1, 1099511627776, 64, "Records of a trace before it is the next one's turn."),
    "split": Number(0, 1099511627776, 0, "Pages: longer records are cut before they are merged. 0: none are."),
    "whole": Number(0, 100, 0, "Percent of the tables that stay whole: --split does not cut them, and no turn ends within them."),
    "window": Number(0, 1099511627776, 0, "Report write amplification also by windows of this many written pages. 0: only of the whole replay."),
    "superblocks": Number(0, 4294967295, 0, "Superblocks of the simulated flash in use. 0: all."),
    "fill": Number(0, 100, 0, "Percent of the namespace that the traces shall use: as few superblocks of --geometry as this takes. 0: as --superblocks says."),
    "over-provisioning": Number(0, 99, 0, "Percent of the usable flash that the namespace does not offer. 0: the device's default."),
    "placement-handles": Number(0, 128, 0, "Placement handles of the namespace. 0: as many as cost it nothing."),
    "seed": Number(0, 18446744073709551615, 1, "Seed of --precondition."),
    "hybrid-block": Number(1, 1048576, 256, "hybrid: pages of a flash block."),
    "hybrid-log": Number(0, 1000, 14, "hybrid: log blocks, in percent of the logical blocks."),
}
