# SPDX-License-Identifier: Apache-2.0
"""Where things lie: one place that knows the folders of the tree and of the build."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# OPENREMAP_BUILD_DIR moves every build product, so that two builds of one tree do not meet.
BUILD = Path(os.environ.get("OPENREMAP_BUILD_DIR", ROOT / "build")).resolve()

RTL = BUILD / "rtl"  # SystemVerilog of the whole controller
RTL_WIDE = BUILD / "rtl-wide"  # the same with pages of several slots (Presets.scala: configuration `wide`)
RTL_UNITS = BUILD / "rtl-units"  # SystemVerilog of single units, one folder each
RTL_PARAMS_VARIABLE = "OPENREMAP_RTL_PARAMS"  # names that file to a simulation of another configuration
RTL_PARAMS = BUILD / "rtl-params" / "params.json"  # sizes and codes of the RTL, for test benches
COCOTB = BUILD / "cocotb"  # one folder a unit: Verilated model, results, waveforms
CODE_COVERAGE = BUILD / "coverage"  # the same for benches that count lines and bits (`./openremap coverage`)
COVER_REPORT = "covers.json"  # in such a folder: how often the cases reached each cover
RELEASE = BUILD / "release"  # CMake, optimised
SANITIZED = BUILD / "asan"  # CMake, ASan + UBSan
THREADS = BUILD / "tsan"  # CMake, ThreadSanitizer
REPORTS = BUILD / "reports"  # logs and JUnit files of the last `test`

RTL_TOP = "OpenRemapTop"
