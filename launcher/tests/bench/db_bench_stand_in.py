# SPDX-License-Identifier: Apache-2.0
"""Stand-in for db_bench with its command line: writes a plausible result, or fails as the environment asks."""

import json
import os
import signal
import sys
from typing import Any

PARAMETERS = (
    "num",
    "operations",
    "key_size",
    "value_size",
    "value_size_max",
    "write_buffer",
    "max_file_size",
    "level1_bytes",
    "level_ratio",
    "utxo_outputs",
    "utxo_flush",
)


def main() -> int:
    options = dict(argument[2:].split("=", 1) for argument in sys.argv[1:])
    mode = options["mode"]
    behaviour = os.environ.get(f"STAND_IN_{mode}", "ok")
    for done in (0, 50, 100):
        print(f"progress {done} 100 fill", file=sys.stderr, flush=True)
    if behaviour == "device error":
        print("device error: flash gone", file=sys.stderr)
        return 1
    if behaviour == "bad option":
        print(f"db_bench: --num={options['num']}: does not fit {mode}", file=sys.stderr)
        return 2
    if behaviour == "crash":
        os.abort()
    if behaviour == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if behaviour == "silent":
        return 0
    run = result(options)
    if behaviour == "unverified":
        run["keys_verified"] = 0
    if behaviour == "full":
        print("db_bench: IO error: no space left on the device", file=sys.stderr)
        run |= {"full": True, "keys_verified": 0, "operations": run["parameters"]["operations"] // 2}
    if behaviour == "incomplete":
        del run["wa2"]
    if behaviour == "other geometry":
        run["geometry"] = {"channels": 4}
    if options.get("trace-pages"):
        with open(options["trace-pages"], "w") as out:
            out.write("p" * int(options["num"]))
    with open(options["json"], "w") as out:
        json.dump(run, out)
    return 3 if behaviour == "full" else 0


def result(options: dict[str, str]) -> dict[str, Any]:
    nand = {"off": 4000, "base": 3600, "retain": 3000, "fill": 3100, "skip": 3200, "blend": 2700}[options["mode"]]
    user, host = 1000, 2000
    geometry: dict[str, Any] = {"channels": 2, "page_bytes": 4096}
    if options["geometry"]:
        channels, dies, blocks, pages, *_ = map(int, options["geometry"].split("x"))
        geometry |= {"channels": channels, "dies": channels * dies, "superblocks": blocks, "pages_per_block": pages}
    given = {name: name.replace("_", "-") for name in PARAMETERS}
    parameters = {name: int(options[option]) for name, option in given.items() if option in options}
    parameters["operations"] = parameters["operations"] or parameters["num"]
    if options["device"].startswith("reflink:"):
        host = nand = nand + 100
        geometry = {"device": "reflink", "counted": "block device 7:3", "page_bytes": 4096}
    return {
        "workload": options["workload"],
        "device": options["device"],
        "mode": options["mode"],
        "seed": int(options["seed"]),
        "parameters": parameters,
        "geometry": geometry,
        "user_bytes": user,
        "host_bytes": host,
        "nand_bytes": nand,
        "fs_metadata_bytes": 30,
        "bytes_by_cause": {"log": 500, "flush": 400, "size_compaction": 1070, "seek_compaction": 0, "file_system": 30},
        "gc_pages": 7,
        "gc_shared_pages": 3,
        "erases": 24,
        "erase_counts": {"least": 1, "mean": 2, "most": 4},
        "wa1": host / user,
        "wa2": nand / host,
        "wa": nand / user,
        "remapped_pages": 11,
        "remap_commands": 5,
        "remap_fallbacks": 0,
        "unchanged_ratio": 0.25,
        "levels": [
            {
                "level": 1,
                "files": 2,
                "bytes": 100,
                "input_blocks": 40,
                "unchanged_blocks": 10,
                "unchanged_ratio": 0.25,
            },
            {"level": 2, "files": 0, "bytes": 0, "input_blocks": 0, "unchanged_blocks": 0, "unchanged_ratio": 0},
        ],
        "space_amplification": 1.1,
        "used_bytes": 1100,
        "latency_us": {"commit" if options["workload"] == "utxo" else "put": {"count": 100, "p50": 1.5}},
        "device_latency_us": {"read": {"count": 100, "p50": 50.0, "p99": 90.0, "p999": 2100.0}},
        "get_bytes": 10,
        "get_read_bytes_of_spans": 320,
        "operations": 100,
        "device_seconds": 0.5,
        "firmware_seconds": 0.01,
        "host_cpu_seconds": 0.1,
        "background_cpu_seconds": 0.06 if options["mode"] in ("skip", "blend") else 0.08,
        "sim_cycles": 4_000_000,
        "evaluated_cycles": 1_000_000,
        "sim_cpu_seconds": 2.0,
        "wall_seconds": 8.0,
        "short_compactions": 3,
        "plain_compactions": 2,
        "reclaim_compactions": 1,
        "full": False,
        "keys_verified": int(options["num"]),
        "keys_expected": int(options["num"]),
    }


if __name__ == "__main__":
    sys.exit(main())
