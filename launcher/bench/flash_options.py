# SPDX-License-Identifier: Apache-2.0
"""Options of the flash, checked before a build that takes minutes: what every program would refuse after it.

The programs know more, for example which flash an RTL was built for.
"""

from __future__ import annotations

import math
import re
from functools import cache

from launcher.env.paths import ROOT

# The names that parse_nand_faults() of sim/models/nand_faults.cc knows.
SHARES = ("program-fail", "program-fail-again", "erase-fail", "cut-disturb")
FAULTS = ("factory-bad", *SHARES, "bit-errors", "wear", "read-disturb")
_MOST = {"factory-bad": 1e6, "bit-errors": 400.0, **dict.fromkeys(SHARES, 1.0)}
_NUMBER = r"[+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?"


@cache
def _limit(name: str) -> int:
    """A limit of the firmware."""
    found = re.search(rf"#define {name} (\d+)u", (ROOT / "firmware" / "include" / "firmware_limits.h").read_text())
    assert found is not None, f"no {name}"
    return int(found[1])


def wrong_faults(text: str) -> str:
    """What is wrong with a list of flash faults, NAME=NUMBER,...; empty: nothing."""
    for part in text.split(",") if text else []:
        name, _, number = part.partition("=")
        if name not in FAULTS:
            return f"'{part}' is not one of: {', '.join(FAULTS)}"
        if not re.fullmatch(_NUMBER, number) or not math.isfinite(float(number)):
            return f"{name}: '{number}' is not a number from 0 on"
        if float(number) > _MOST.get(name, math.inf):
            return f"{name}: {number} is more than {_MOST[name]:g}"
        if name == "wear" and float(number) == 0:
            return "wear: 0 is not a number of erases"
    return ""


def wrong_geometry(text: str) -> str:
    """What is wrong with a flash geometry, CHANNELSxDIESxBLOCKSxPAGES[xSLOTS]; empty: nothing."""
    if not re.fullmatch(r"[0-9]{1,9}(x[0-9]{1,9}){3,4}", text):
        return f"'{text}' is not CHANNELSxDIESxBLOCKSxPAGES[xSLOTS]"
    channels, dies, blocks, pages, slots = [*map(int, text.split("x")), 1][:5]
    if any(number.bit_count() != 1 for number in (channels, dies, pages, slots)):
        return f"{text}: channels, dies, pages and slots must be powers of two"
    superblock = channels * dies * pages
    for what, number, most in (
        ("slots of a page", slots, _limit("FW_MAX_SLOTS_PER_PAGE")),
        ("dies", channels * dies, _limit("FW_MAX_DIES")),
        ("blocks of a die", blocks, _limit("FW_MAX_SUPERBLOCKS")),
        ("slots of a superblock", superblock * slots, _limit("FW_MAX_SLOTS_PER_SB")),
    ):
        if number > most:
            return f"{text}: at most {most} {what}"
    least = _limit("FW_ALLOC_RESERVE") + 3  # FW_MIN_SUPERBLOCKS
    if blocks < least:
        return f"{text}: at least {least} blocks of a die"
    return "" if superblock >= 4 else f"{text}: at least four flash pages in a superblock"
