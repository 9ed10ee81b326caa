# SPDX-License-Identifier: Apache-2.0
"""The folders of the source tree and of the build, used by the whole launcher."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# OPENREMAP_BUILD_DIR moves every build product, so that two builds of one tree can coexist.
BUILD = Path(os.environ.get("OPENREMAP_BUILD_DIR", ROOT / "build")).resolve()
CRASH_SCRIPTS = ROOT / "verify" / "crash" / "scripts"  # commands whose power cuts are explored

RTL = BUILD / "rtl"  # SystemVerilog of the whole controller
RTL_WIDE = BUILD / "rtl-wide"  # the same with pages of several slots (Presets.scala: configuration `wide`)
RTL_SIMULATED = BUILD / "rtl-simulated"  # that of the device `rtl`: with clocks that stop (SimulatedTop.scala)
RTL_BOARDS = BUILD / "rtl-boards"  # that of boards for simulations, a folder each (Presets.scala)
RTL_SOC = BUILD / "rtl-soc"  # SystemVerilog of the controller with its CPU's ports
RTL_SOC_SIMULATED = BUILD / "rtl-soc-simulated"  # that of the device `soc`: with clocks that stop (SimulatedSoc.scala)
SOC = BUILD / "soc"  # Verilog of the SoC around it
RTL_UNITS = BUILD / "rtl-units"  # SystemVerilog of single units, one folder each
RTL_PARAMS_VARIABLE = "OPENREMAP_RTL_PARAMS"  # tells a simulation of another configuration its parameter file
RTL_PARAMS = BUILD / "rtl-params" / "params.json"  # sizes and codes of the RTL, for test benches
COCOTB = BUILD / "cocotb"  # one folder per unit: Verilated model, results, waveforms
CODE_COVERAGE = BUILD / "coverage"  # the same, built for code coverage (`./openremap coverage`)
COVER_REPORT = "covers.json"  # in a unit's folder: hit count of each cover
RELEASE = BUILD / "release"  # CMake, optimised
SANITIZED = BUILD / "asan"  # CMake, ASan + UBSan
THREADS = BUILD / "tsan"  # CMake, ThreadSanitizer
REPORTS = BUILD / "reports"  # logs and JUnit files of the last `./openremap test`

RTL_TOP = "OpenRemapTop"
RTL_SIMULATED_TOP = "SimulatedTop"
RTL_SOC_TOP = "SocController"
RTL_SOC_SIMULATED_TOP = "SimulatedSoc"  # its module is called RTL_SOC_TOP, too
