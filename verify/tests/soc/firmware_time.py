#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the model with VexRiscv's time to the SoC: firmware_time.py PROGRAM [--at-most SHARE].

`firmwaretime` (PROGRAM) runs the same short life on both: a start, writes, storms of remaps, a recovery. Prints both
device times of each part, and how far the times differ in which the firmware worked. Exit code 1 if device times of a
part in HELD, those of the whole, or the firmware's times of a part in WORKED differ by more than SHARE, or the device
times of a part in LOOSE, or the firmware's times of one in WORKED_LOOSE, by more than its bound.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from launcher.firmware import costs

# The hardware carries out remaps that ascend, the firmware those of the storm.
HELD = ("remaps that ascend", "remap storm", "recovery")
# The firmware makes room and waits for the hardware meanwhile, which it does in other steps on the model. The bound is
# there so that it does not get worse.
LOOSE = {"remaps without room": 0.25}
WORKED = ("remap storm", "recovery", "lists of trims")
# Few kinds of work make up this one (looks at superblocks, reads of registers, sorting), so that errors of their costs
# do not even out.
WORKED_LOOSE = {"remaps without room": 0.15}
# Neither the costs nor the weight of their estimates (PRIOR_WEIGHT) were chosen with a life of this seed in view.
SEED = 2


def run(program: str, device: str, cpu: str | None) -> list[costs.Window]:
    """The windows of the short life on this device."""
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch) / "windows.json"
        command = [program, "--device", device, "--load", "short", "--seed", str(SEED), "--json", str(out)]
        command += ["--firmware-cpu", cpu] if cpu else []
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return costs.read_windows(out.read_text())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--at-most", type=float, default=costs.MOST_SHARE)
    args = parser.parse_args()
    pairs = costs.pair(run(args.program, "soc", None), run(args.program, "model", costs.CPU))
    found = costs.errors(pairs)
    held = {e.name: e for e in found}
    worked = {soc.name: costs.Error(soc.name, soc.busy_ns, model.busy_ns) for soc, model in pairs}
    wrong = 0
    for e in (*found, costs.whole(found)):
        text = f"{e.name:20} soc {e.soc_ns / 1000:12.1f} us, model {e.model_ns / 1000:12.1f} us, {100 * e.share:+.1f} %"
        firmware = worked.get(e.name)
        print(text + (f"; firmware {100 * firmware.share:+.1f} %" if firmware and firmware.soc_ns else ""))
    for what, e in (
        *(("device time", held[name]) for name in HELD),
        ("device time", costs.whole(found)),
        *(("firmware's time", worked[name]) for name in WORKED),
    ):
        if abs(e.share) > args.at_most:
            print(f"{e.name}: {what}: at most {100 * args.at_most:g} % are allowed")
            wrong += 1
    for what, bounds, by_name in (("device time", LOOSE, held), ("firmware's time", WORKED_LOOSE, worked)):
        for name, bound in bounds.items():
            if abs(by_name[name].share) > bound:
                print(f"{name}: {what}: at most {100 * bound:g} % are allowed")
                wrong += 1
    if costs.is_stale(costs.read_table()):
        print("The costs were made with another firmware: ./openremap firmware calibrate makes new ones.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
