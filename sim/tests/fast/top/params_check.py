#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""params_check.py CHECK FAST_PARAMS [FUZZ]: the fast model and the firmware have the sizes and codes of the hardware.

FAST_PARAMS is the program of params_dump.cc. The hardware's side is hw/facts.json, which ParamsSpec holds to what the
generator writes; for `geometries` it is the generator itself, which is started once for all of them. Checks:

    defaults    each default, each size of the default geometry and of the presets that suit their flash
    limits      bounds of the firmware's arrays (firmware_limits.h) and FirmwareLimits in hw/src/top/Presets.scala
    codes       encodings at the NAND port (nand_types.h)
    geometries  each size of many random geometries; both sides refuse the same ones
    runs        FUZZ, a program with the firmware and the fast model, starts and serves the geometry of each preset
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from launcher.hw import facts, rtl

# What only hardware has: widths of fields, and sizes of pipelines and caches, which decide times only.
HARDWARE_ONLY = {
    *("bufBits", "chainEntryBits", "chainSegBits", "dieInChannelBits", "entryIdxBits", "epochBits", "genBits"),
    *("handleBits", "logBits", "lpnBits", "oobBits", "pageBits", "qidBits", "queueIdxBits"),
    *("queuePtrBits", "refBits", "retryBits", "sbBits", "segBits", "seqBits", "slotBits", "transferBits", "vectorBits"),
    *("wordBits", "dataBits", "dramAddrBits", "nvramAddrBits", "destageSlotBits"),
    *("destageSlots", "dataBytes", "oobWords", "wordsPerSlot", "trimWordLpns", "mdtsBytes", "copyListBytes"),
    *("mapInFlight", "mapMisses", "remapInFlight", "irqTickCycles", "lateQueues", "timeSkip"),
    *(f"mapCache{of}" for of in ("Buckets", "Claims", "Fills", "LineBits", "LineBytes", "Posted", "SetBits")),
    *(f"mapCache{of}" for of in ("WayBits", "Ways", "Writes")),
}
# Presets whose queues and budgets are not those that suit their flash best.
ODD_PRESETS = {"paired"}
GEOMETRIES = 2000
# Least number of accepted and of refused geometries; with fewer the comparison would show little.
LEAST = 200


def main() -> int:
    check, program = sys.argv[1:3]
    ours = json.loads(_output([program]))
    errors: list[str] = []
    if check == "defaults":
        _compare("default geometry", facts.params(), ours["params"], errors)
        names = sorted(facts.presets().keys() - ODD_PRESETS)
        found = _ours(program, [facts.geometry(name) for name in names])
        for name, one in zip(names, found, strict=True):
            _compare(name, facts.params(name), one.get("params", {}), errors)
    elif check == "limits":
        _equal("firmware's limits", facts.limits(), ours["limits"], errors)
    elif check == "codes":
        for enum in ("NandOp", "NandStatus"):
            _equal(enum, facts.codes(enum), ours["enums"][enum], errors)
    elif check == "geometries":
        _geometries(program, errors)
    elif check == "runs":
        for name in sorted(facts.presets()):
            command = [sys.argv[3], "--device", "model", "--geometry", facts.geometry(name), "--entries", "500"]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode != 0:
                errors.append(f"{name}: {' '.join(command)}: exit code {done.returncode}: {done.stderr[-500:]}")
    else:
        errors.append(f"no check '{check}'")
    print("\n".join(errors[:40]) or f"{check}: equal")
    return 1 if errors else 0


def _geometries(program: str, errors: list[str]) -> None:
    seed = int(os.environ.get("OPENREMAP_SEED", "1"))
    print(f"seed {seed}")
    texts = _random_geometries(random.Random(seed))
    theirs = rtl.geometries(texts)
    accepted = 0
    for text, them, us in zip(texts, theirs, _ours(program, texts), strict=True):
        if them["geometry"] != text or us["geometry"] != text:
            errors.append(f"{text}: the answer is for another geometry")
        elif "params" in them and "params" in us:
            accepted += 1
            _compare(text, them["params"], us["params"], errors)
        elif "params" in them or "params" in us:
            errors.append(f"{text}: hardware: {_verdict(them)}; model: {_verdict(us)}")
    print(f"{accepted} of {len(texts)} geometries are accepted")
    if not LEAST <= accepted <= len(texts) - LEAST:
        errors.append(f"{accepted} of {len(texts)} geometries are accepted: too few of one kind")


def _random_geometries(rng: random.Random) -> list[str]:
    """Of all sizes; some with a number that cannot be, or at a limit."""
    texts = []
    for _ in range(GEOMETRIES):
        numbers = [
            2 ** rng.randint(0, 3),
            2 ** rng.randint(0, 3),
            rng.choice([4, 5, 6, 8, 16, 64, 100, 512, 2048, 8192, 8193, rng.randint(5, 8192)]),
            2 ** rng.randint(0, 11),
            2 ** rng.randint(0, 3),
        ]
        if rng.random() < 0.25:
            at = rng.randrange(len(numbers))
            numbers[at] = rng.choice([0, 3, numbers[at] + 1, 16, 128, 2**20, 999_999_999])
        texts.append("x".join(map(str, numbers[: rng.choice([4, 5, 5, 5])])))
    return texts


def _ours(program: str, texts: list[str]) -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "geometries.txt"
        file.write_text("".join(f"{text}\n" for text in texts))
        found: list[dict[str, Any]] = json.loads(_output([program, str(file)]))
    return found


def _output(command: list[str]) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def _compare(what: str, theirs: Mapping[str, int], ours: Mapping[str, int], errors: list[str]) -> None:
    """All numbers but those that only hardware has, which the model may not have either."""
    _equal(what, {name: value for name, value in theirs.items() if name not in HARDWARE_ONLY}, ours, errors)


def _equal(what: str, theirs: Mapping[str, int], ours: Mapping[str, int], errors: list[str]) -> None:
    for name in sorted(theirs.keys() | ours.keys()):
        them, us = theirs.get(name), ours.get(name)
        if them != us:
            errors.append(f"{what}: {name} is {them} in hardware and {us} here")


def _verdict(answer: Mapping[str, Any]) -> str:
    return str(answer.get("refused", "accepted"))


if __name__ == "__main__":
    sys.exit(main())
