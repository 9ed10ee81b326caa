#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""replay_of_soc.py DB_BENCH IOREPLAY: a trace of pages costs on the device `soc` what it costs on the model.

db_bench records the trace on the model. It is replayed on both devices, which are new, then on both after they have
been brought to a steady state. All figures must be equal but for the device's time. Exit code 1 if they are not.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from launcher.bench.same_replay import complaints

SIZE = "--superblocks=8"  # the smallest, which the soc formats soonest
LOAD = ("--mode=retain", "--num=600", "--write-buffer=65536", "--max-file-size=65536", "--level1-bytes=131072")
BUSY = ("remapped_pages", "figures.gc_pages", "pages_verified")  # a replay without these would show little


def main(bench: str, replayer: str) -> int:
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as scratch:
        trace = Path(scratch) / "pages"
        record = [bench, "--device=model", *LOAD, SIZE, f"--trace-pages={trace}", f"--json={scratch}/bench.json"]
        subprocess.run(record, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for state in ((), ("--precondition",)):
            results = []
            for device in ("model", "soc"):
                out = Path(scratch) / f"{device}.json"
                command = [replayer, str(trace), f"--device={device}", SIZE, *state, f"--json={out}"]
                subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
                results.append(json.loads(out.read_text()))
            found = [f"{' '.join(state) or 'new'}: {text}" for text in complaints(results[0], results[1], BUSY, "soc")]
            print("\n".join(found) or f"{' '.join(state) or 'new'}: equal", flush=True)
            wrong += found
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
