#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""same_wa.py RTL.json MODEL.json: the write amplification on both devices must agree within 1 %.

Garbage collection must have moved pages. Without it, both devices write only the host's data, and the comparison shows
nothing. The device's own writes to flash and NVRAM must be few compared with the host's.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

MOST_APART = 0.01
LEAST_GC_SHARE = 0.1  # GC pages of the host's pages
MOST_METADATA_SHARE = 0.02  # of the host's bytes
PAGE_BYTES = 4096


def complaints(rtl: Mapping[str, Any], model: Mapping[str, Any]) -> list[str]:
    """What is wrong with the two results; none: they agree."""
    found = []
    for name, run in (("rtl", rtl), ("model", model)):
        if run["device"] != name:
            found.append(f"a result of device {run['device']} where one of {name} is expected")
        host_pages = run["host_bytes"] / PAGE_BYTES
        if run["gc_pages"] < LEAST_GC_SHARE * host_pages:
            found.append(f"{name}: GC moved {run['gc_pages']} pages beside {host_pages:.0f} of the host: too few")
        metadata = run["metadata_pages"] * PAGE_BYTES + run["nvram_bytes"]
        if metadata > MOST_METADATA_SHARE * run["host_bytes"]:
            found.append(f"{name}: {metadata} bytes of metadata beside {run['host_bytes']} of the host: too many")
    if rtl["host_bytes"] != model["host_bytes"]:
        found.append(f"the host wrote {rtl['host_bytes']} bytes on the rtl, {model['host_bytes']} on the model")
    apart = abs(rtl["wa"] / model["wa"] - 1)
    if apart > MOST_APART:
        found.append(f"WA is {rtl['wa']} on the rtl, {model['wa']} on the model: {100 * apart:.2f} % apart")
    return found


def main(paths: list[str]) -> int:
    """Prints both figures; 1 when they do not agree."""
    rtl, model = (json.loads(Path(path).read_text()) for path in paths)
    print(f"WA: rtl {rtl['wa']} ({rtl['gc_pages']} pages by GC), model {model['wa']} ({model['gc_pages']})")
    found = complaints(rtl, model)
    for complaint in found:
        print(complaint, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
