# SPDX-License-Identifier: Apache-2.0
"""Options of flash and firmware, checked before a build that takes minutes: what every program would refuse after it.

The programs know more, for example which flash an RTL was built for.
"""

from __future__ import annotations

import math
import re

from launcher.hw import facts

# The names and bounds of parse_nand_faults() in sim/models/nand_faults.cc; a test compares them.
SHARES = ("program-fail", "program-fail-again", "erase-fail", "cut-disturb")
FAULTS = ("factory-bad", *SHARES, "bit-errors", "wear", "read-disturb")
MOST = {"factory-bad": 1e6, "bit-errors": 400.0, **dict.fromkeys(SHARES, 1.0)}
LEAST_LINE, MOST_LINE = 16, 4096  # bytes, as in sim/models/shadow_dram.h; a test compares them
_NUMBER = r"[+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?"


def wrong_faults(text: str) -> str:
    """What is wrong with a list of flash faults, NAME=NUMBER,...; empty: nothing."""
    for part in text.split(",") if text else []:
        name, _, number = part.partition("=")
        if name not in FAULTS:
            return f"'{part}' is not one of: {', '.join(FAULTS)}"
        if not re.fullmatch(_NUMBER, number) or not math.isfinite(float(number)):
            return f"{name}: '{number}' is not a number from 0 on"
        if float(number) > MOST.get(name, math.inf):
            return f"{name}: {number} is more than {MOST[name]:g}"
        if name == "wear" and float(number) == 0:
            return "wear: 0 is not a number of erases"
    return ""


def wrong_cache(text: str) -> str:
    """What is wrong with the data cache of a firmware, MODE[,line=BYTES]; empty: nothing."""
    found = re.fullmatch(r"(none|keep|evict)(?:,line=([0-9]{1,9}))?", text) if text else None
    if text and (found is None or (found[1] == "none" and found[2])):
        return f"'{text}' is not one of: none, keep[,line=BYTES], evict[,line=BYTES]"
    line = int(found[2] or LEAST_LINE) if found is not None else LEAST_LINE
    if line.bit_count() != 1 or not LEAST_LINE <= line <= MOST_LINE:
        return f"line={line}: is no power of two from {LEAST_LINE} to {MOST_LINE}"
    return ""


def wrong_firmware(text: str) -> str:
    """What is wrong with what is to run a firmware; empty: nothing."""
    if not text or re.fullmatch(r"native|remote(,image=[^,]+|,patience=[0-9]+)*", text):
        return ""
    return f"'{text}' is not native or remote[,image=FILE][,patience=SECONDS]"


def wrong_geometry(text: str) -> str:
    """What is wrong with a flash geometry, CHANNELSxDIESxBLOCKSxPAGES[xSLOTS]; empty: nothing."""
    if not re.fullmatch(r"[0-9]{1,9}(x[0-9]{1,9}){3,4}", text):
        return f"'{text}' is not CHANNELSxDIESxBLOCKSxPAGES[xSLOTS]"
    channels, dies, blocks, pages, slots = [*map(int, text.split("x")), 1][:5]
    if any(number.bit_count() != 1 for number in (channels, dies, pages, slots)):
        return f"{text}: channels, dies, pages and slots must be powers of two"
    superblock, limits = channels * dies * pages, facts.limits()
    for what, number, most in (
        ("slots of a page", slots, limits["maxSlotsPerPage"]),
        ("dies", channels * dies, limits["maxDies"]),
        ("blocks of a die", blocks, limits["maxSuperblocks"]),
        ("slots of a superblock", superblock * slots, limits["maxSlotsPerSb"]),
    ):
        if number > most:
            return f"{text}: at most {most} {what}"
    if blocks < limits["minSuperblocks"]:
        return f"{text}: at least {limits['minSuperblocks']} blocks of a die"
    return "" if superblock >= 4 else f"{text}: at least four flash pages in a superblock"
