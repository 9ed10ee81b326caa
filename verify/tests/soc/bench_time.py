#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the model with VexRiscv's time to a bench of the SoC: bench_time.py DB_BENCH [SOC.json] [--at-most SHARE].

SOC.json is what `db_bench --device=soc --json` wrote. Without one, the bench that `./openremap bench` runs by default
is run on the SoC in the modes of MODES, which takes minutes each. The same load runs on the model. Exit code 1 if the
device time of the load or of its verification, or the time in which the firmware worked, differs by more than SHARE.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from launcher.bench import bench_options
from launcher.bench.bench_description import Mode
from launcher.bench.bench_options import BenchOptions, Device
from launcher.firmware import costs

TIMES = ("device_seconds", "verify_device_seconds", "firmware_seconds")
MODES = (Mode.retain, Mode.blend)  # of the default bench
# Parameters that the benches set.
SAME = ("num", "value_size", "write_buffer", "max_file_size", "level1_bytes", "level_ratio")


def options(soc: dict[str, Any]) -> list[str]:
    """Those that make the same load."""
    same = [f"--{name.replace('_', '-')}={soc['parameters'][name]}" for name in SAME]
    same.append(f"--superblocks={soc['geometry']['superblocks']}")
    return [*same, f"--mode={soc['mode']}", f"--seed={soc['seed']}", f"--workload={soc['workload']}"]


def default(mode: Mode, out: Path) -> list[str]:
    """The options of the default bench on the SoC in this mode, with the result in `out`."""
    plain = replace(BenchOptions(), device=Device.soc)
    usual = bench_options.sizes(plain.device, plain.num, plain.key_size, plain.value_size)
    return replace(plain, **vars(usual)).arguments(mode, out)


def run(command: list[str], out: Path) -> dict[str, Any]:
    """What the command writes into `out`."""
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    found: dict[str, Any] = json.loads(out.read_text())
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("soc", type=Path, nargs="?")
    parser.add_argument("--at-most", type=float, default=costs.MOST_SHARE)
    args = parser.parse_args()
    wrong = 0
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch) / "result.json"
        if args.soc:
            measured: Iterable[dict[str, Any]] = (json.loads(args.soc.read_text()),)
        else:
            measured = (run([args.program, *default(mode, out)], out) for mode in MODES)
        for soc in measured:
            on_model = [args.program, "--device=model", f"--firmware-cpu={costs.CPU}", *options(soc), f"--json={out}"]
            model = run(on_model, out)
            for name in TIMES:
                share = model[name] / soc[name] - 1
                print(f"{soc['mode']}, {name}: soc {soc[name]:.6f}, model {model[name]:.6f}, {100 * share:+.1f} %")
                wrong += abs(share) > args.at_most
    if wrong:
        print(f"at most {100 * args.at_most:g} % are allowed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
