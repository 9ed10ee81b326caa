#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the model with VexRiscv's time to a bench of the SoC: bench_time.py DB_BENCH SOC.json [--at-most SHARE].

SOC.json is what `db_bench --device=soc --json` wrote. The same load runs on the model. Exit code 1 if the device time
of the load or of its verification differs by more than SHARE.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from launcher.firmware import costs

TIMES = ("device_seconds", "verify_device_seconds")
SAME = ("num", "value_size", "write_buffer", "max_file_size", "level1_bytes")  # parameters that a short bench sets


def options(soc: dict[str, Any]) -> list[str]:
    """Those that make the same load."""
    same = [f"--{name.replace('_', '-')}={soc['parameters'][name]}" for name in SAME]
    same.append(f"--superblocks={soc['geometry']['superblocks']}")
    return [*same, f"--mode={soc['mode']}", f"--seed={soc['seed']}", f"--workload={soc['workload']}"]


def run(program: str, given: list[str]) -> dict[str, Any]:
    """The result on the model."""
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch) / "model.json"
        command = [program, "--device=model", f"--firmware-cpu={costs.CPU}", *given, f"--json={out}"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        found: dict[str, Any] = json.loads(out.read_text())
        return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("soc", type=Path)
    parser.add_argument("--at-most", type=float, default=costs.MOST_SHARE)
    args = parser.parse_args()
    soc = json.loads(args.soc.read_text())
    model = run(args.program, options(soc))
    wrong = 0
    for name in TIMES:
        share = model[name] / soc[name] - 1
        print(f"{name}: soc {soc[name]:.6f}, model {model[name]:.6f}, {100 * share:+.1f} %")
        wrong += abs(share) > args.at_most
    if wrong:
        print(f"at most {100 * args.at_most:g} % are allowed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
