# SPDX-License-Identifier: Apache-2.0
"""Results of variants of `tuned`, made up."""

from typing import Any


def run(nand: int, used: int, seconds: float = 1.0) -> dict[str, Any]:
    return {
        "nand_bytes": nand,
        "used_bytes": used,
        "wa1": nand / 100,
        "wa2": 1.0,
        "wa": nand / 100,
        "space_amplification": used / 1000,
        "operations": 5000,
        "device_seconds": seconds,
        "host_cpu_seconds": 0.1,
    }
