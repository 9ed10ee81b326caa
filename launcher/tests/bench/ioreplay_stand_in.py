# SPDX-License-Identifier: Apache-2.0
"""Stand-in for ioreplay with its command line: writes a plausible result, or fails as the environment asks."""

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

FLAGS = ("--precondition", "--no-read-back")


def main() -> int:
    end = sys.argv.index("--")
    given = [argument for argument in sys.argv[1:end] if argument not in FLAGS]
    options = dict(zip(given[::2], given[1::2], strict=True))
    traces = [Path(path) for path in sys.argv[end + 1 :]]
    device = options["--device"]
    behaviour = os.environ.get(f"STAND_IN_{device}", "ok")
    if behaviour == "device error":
        print("ioreplay: flash gone", file=sys.stderr)
        return 1
    if behaviour == "bad option":
        print("ioreplay: the device has 7 pages", file=sys.stderr)
        return 2
    if behaviour == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if behaviour == "silent":
        return 0
    run = result(device, traces, int(options.get("--window", "0")))
    if behaviour == "wrong":
        run["wrong_pages"] = 1
    if behaviour == "incomplete":
        del run["figures"]["nand_program_pages"]
    Path(options["--json"]).write_text(json.dumps(run))
    return 0


def result(device: str, traces: list[Path], window: int) -> dict[str, Any]:
    pages = sum(len(trace.read_bytes()) for trace in traces)  # of a trace that the stand-in for db_bench wrote
    half = pages // 2
    figures: dict[str, Any] = {"host_write_pages": pages, "nand_program_pages": 3 * pages // 2, "erases": 5}
    if device == "hdd":
        figures = {"discontinuities": 9}
    return {
        "device": device,
        "traces": [str(trace) for trace in traces],
        "used_pages": pages,
        "records": pages,
        "written_pages": pages,
        "read_pages": 0,
        "pages_verified": 0 if device == "hdd" else pages,
        "wrong_pages": 0,
        "windows": [
            {"written_pages": pages - half, "programmed_pages": pages - half},
            {"written_pages": half, "programmed_pages": 2 * half},
        ]
        if window
        else [],
        "figures": figures | ({} if device == "hybrid" else {"device_seconds": 1.5}),
    }


if __name__ == "__main__":
    sys.exit(main())
