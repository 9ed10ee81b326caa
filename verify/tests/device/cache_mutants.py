#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cache_mutants.py CONTROLLER_TEST: fails unless for each call of the firmware that moves cache lines a test misses it.

FW_CACHE_MUTANT_LIST (firmware/include/fw_mutant.h) names the calls and the tests. LD_LIBRARY_PATH is the folder of the
device that can leave one out. The tests run on the device on which lines leave the cache only when firmware says so.
"""

from __future__ import annotations

import os
import subprocess
import sys

from launcher.suites import crash

LIST = ("firmware/include/fw_mutant.h", "FW_CACHE_MUTANT_LIST")
KIND = "keep_model"  # testing/device_kind.h


def is_found(program: str, mutant: str, test: str) -> bool:
    """Runs the test on a device without the call. A program that does not end by a failed test found nothing."""
    case = f"Cached/{test}/{KIND}"
    done = subprocess.run(
        [program, f"--gtest_filter={case}"],
        env=os.environ | {"OPENREMAP_MUTANT": mutant},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    found = done.returncode == 1 and f"[  FAILED  ] {case}" in done.stdout
    if not found:
        print(done.stdout)
    return found


def main(program: str) -> int:
    """See above."""
    mutants = crash.listed_mutants(*LIST)
    found = 0
    for name, test, what in mutants:
        shown = is_found(program, name, test)
        found += shown
        print(f"{name}: {what}: {'found' if shown else 'NOT found'} by {test}", flush=True)
    print(f"{len(mutants)} mutants, {found} found")
    return 0 if mutants and found == len(mutants) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
