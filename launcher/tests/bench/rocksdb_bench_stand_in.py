# SPDX-License-Identifier: Apache-2.0
"""Stand-in for rocksdb_bench with LinkBench's command line: writes a plausible result."""

import json
import sys
from pathlib import Path

from launcher.experiment.noftl.measures import OPERATIONS
from launcher.tests.bench import db_bench_stand_in

UNUSED = ("key-size", "value-size", "value-size-max")  # of db_bench's parameters
BY_UNIT = ("write-buffer", "max-file-size")  # not given where the reclaim unit decides


def main() -> int:
    options = dict(argument[2:].split("=", 1) for argument in sys.argv[1:])
    assert options["workload"] == "linkbench", options
    zeros = dict.fromkeys((*UNUSED, *BY_UNIT), "0")
    run = db_bench_stand_in.result(zeros | options | {"workload": "fillrandom", "mode": "off"})
    run["device_seconds"] = {"off": 0.5, "metadata": 0.6, "data": 1.0}[options["journal"]]
    run |= {"database": options["database"], "stream": "linkbench", "side_bytes": 4096}
    run["link_device_us"] = {name: {"mean": 7.5, "p50": 0, "p99": 30, "p999": 90, "max": 99} for name in OPERATIONS}
    Path(options["trace-pages"]).write_text("p" * int(options["num"]))
    Path(options["json"]).write_text(json.dumps(run))
    return 0


if __name__ == "__main__":
    sys.exit(main())
