# SPDX-License-Identifier: Apache-2.0
"""Emits SystemVerilog from the Chisel sources if they have changed. Builds, test benches, proofs and synthesis use it.

Mill compiles the generator (`openremap.Emit`). It is then started directly with the class path that Mill reports:
starting Mill takes longer than elaborating a small unit, and the unit tests emit dozens of them.
"""

from __future__ import annotations

import fcntl
import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from launcher.env import digests, steps
from launcher.env.paths import (
    BUILD,
    ROOT,
    RTL,
    RTL_BOARDS,
    RTL_PARAMS,
    RTL_SIMULATED,
    RTL_SIMULATED_TOP,
    RTL_SOC,
    RTL_SOC_SIMULATED,
    RTL_SOC_SIMULATED_TOP,
    RTL_SOC_TOP,
    RTL_TOP,
    RTL_UNITS,
    RTL_WIDE,
)
from launcher.hw import clock_watch
from launcher.suites import covers

_STAMP = ".emitted"
DRAM_FLASH = "dramflash"  # configuration and folder of the controller with its flash in DRAM
_PARAMS = "params"  # --top of the generator for the parameters as JSON, without Verilog


class EmitError(Exception):
    """The generator failed; the message has the end of its output."""


@dataclass(frozen=True)
class _Request:
    """One module for the generator, by the options of openremap.Emit, and the folder for its Verilog."""

    top: str
    folder: Path
    config: str | None = None
    harness: str | None = None
    skips: bool = False
    skew: bool = False

    def options(self, out: Path) -> list[str]:
        words = ["--top", self.top, "--out", str(out)]
        words += ["--config", self.config] if self.config else []
        words += ["--harness", self.harness] if self.harness else []
        words += ["--time-skip", "on"] if self.skips else []
        words += ["--skew", "on"] if self.skew else []
        return words

    @property
    def result(self) -> str:
        """The file without which the emission has failed."""
        return RTL_PARAMS.name if self.top == _PARAMS else "filelist.f"


def source_files() -> list[Path]:
    """All inputs of the Verilog, of the list of its covers and of the assertions about its clocks."""
    found = [
        ROOT / "build.sc",
        ROOT / "launcher" / "suites" / "covers.py",
        ROOT / "launcher" / "hw" / "clock_watch.py",
        *sorted((ROOT / "hw" / "src").rglob("*")),
    ]
    return [path for path in found if path.is_file()]


def source_digest() -> str:
    """Digest of source_files()."""
    return digests.of_files(source_files(), ROOT)


def emit_controller() -> None:
    """Emits the whole controller into `paths.RTL`, for the device `rtl` into `paths.RTL_SIMULATED`, and its
    configuration `wide` into `paths.RTL_WIDE`."""
    _emit(
        [
            _Request(RTL_TOP, RTL),
            _Request(RTL_SIMULATED_TOP, RTL_SIMULATED),
            _Request(RTL_TOP, RTL_WIDE, "wide"),
        ]
    )


def emit_soc_controller() -> None:
    """Emits the controller with its CPU's ports, for the SoC, into `paths.RTL_SOC`, and for the device `soc` into
    `paths.RTL_SOC_SIMULATED`."""
    _emit([_Request(RTL_SOC_TOP, RTL_SOC), _Request(RTL_SOC_SIMULATED_TOP, RTL_SOC_SIMULATED)])


def emit_board(name: str) -> Path:
    """Emits the controller of a board (Presets.scala) for simulations, and returns the folder."""
    folder = RTL_BOARDS / name
    _emit([_Request(RTL_TOP, folder, name, skips=True)])
    return folder


def emit_dram_flash() -> Path:
    """Emits the controller with its flash in DRAM, for simulations, and returns the folder."""
    folder = RTL_BOARDS / DRAM_FLASH
    _emit([_Request("DramFlashTop", folder, DRAM_FLASH)])
    return folder


def controller_is_current() -> bool:
    """Whether the output of emit_controller() matches the present sources."""
    sources = source_digest()
    return all(_is_current(folder, sources) for folder in (RTL, RTL_SIMULATED, RTL_WIDE))


def soc_controller_is_current() -> bool:
    """The same of emit_soc_controller()."""
    sources = source_digest()
    return all(_is_current(folder, sources) for folder in (RTL_SOC, RTL_SOC_SIMULATED))


def emit_unit(top: str, config: str | None = None, harness: str | None = None, skew: bool = False) -> Path:
    """Emits one unit and returns the folder. `harness`: one of openremap.Emit's to put around the unit. `skew`: bits
    that cross to another clock come late at random, for simulations."""
    request = _of_unit(top, config, harness, skew)
    _emit([request])
    return request.folder


def emit_units(units: Iterable[tuple[str, str | None]]) -> None:
    """Emits units, each with the name of its configuration or None, as emit_unit() would, but all of them in one start
    of the generator: a start takes longer than to emit a small unit."""
    _emit([_of_unit(top, config) for top, config in units])


def _of_unit(top: str, config: str | None, harness: str | None = None, skew: bool = False) -> _Request:
    name = "-".join(part for part in (top, config, harness, "skew" if skew else None) if part)
    return _Request(top, RTL_UNITS / name, config, harness, skew=skew)


def emit_formal(units: list[str]) -> Path:
    """Emits units with their smallest parameters, for proofs. Returns the folder that holds one folder per unit."""
    folder = BUILD / "formal" / "rtl"
    with _lock():
        sources = source_digest() + "".join(f" {unit}" for unit in units)
        if not _is_current(folder, sources):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            command = [*_java(source_digest()), "openremap.EmitFormal", str(folder), *units]
            _run(command, "emitting units for proofs")
            (folder / _STAMP).write_text(sources)
    return folder


def emit_params(config: str | None = None) -> Path:
    """Writes the parameters to `paths.RTL_PARAMS`, or another configuration's to a file beside it; returns the path."""
    folder = RTL_PARAMS.parent
    if config:
        folder = folder.with_name(f"{folder.name}-{config}")
    _emit([_Request(_PARAMS, folder, config)])
    return folder / RTL_PARAMS.name


def geometries(texts: list[str]) -> list[dict[str, Any]]:
    """What the generator says of each flash, CHANNELSxDIESxBLOCKSxPAGES[xSLOTS]: its sizes as "params", or why it is
    "refused". One start of the generator answers for all of them."""
    with _lock(), tempfile.TemporaryDirectory(dir=BUILD) as scratch:
        asked = Path(scratch) / "asked.txt"
        asked.write_text("".join(f"{text}\n" for text in texts))
        command = [*_java(source_digest()), "openremap.Emit", "--top", "geometries"]
        _run([*command, "--from", str(asked), "--out", scratch], "asking for sizes of geometries")
        found: list[dict[str, Any]] = json.loads((Path(scratch) / "geometries.json").read_text())
    return found


def cover_names(folder: Path) -> Path:
    """The file in an emitted folder that lists its covers (launcher/suites/covers.py)."""
    return folder / "covers.json"


def verilog_sources(folder: Path) -> list[Path]:
    """The files of an emitted folder, in firtool's order."""
    listed = (folder / "filelist.f").read_text().split()
    return [folder / name for name in listed]


def bus_rules() -> list[Path]:
    """The bus protocol checkers that every simulation of the whole controller binds to it."""
    return sorted((ROOT / "hw" / "checks").glob("*.sv"))


def _is_current(folder: Path, sources: str) -> bool:
    stamp = folder / _STAMP
    return stamp.is_file() and stamp.read_text() == sources


def _emit(requests: list[_Request]) -> None:
    with _lock():
        sources = source_digest()
        wanted = [request for request in requests if not _is_current(request.folder, sources)]
        if not wanted:
            return
        with tempfile.TemporaryDirectory(dir=BUILD) as scratch:
            outputs = [Path(scratch) / str(number) for number in range(len(wanted))]
            batch = Path(scratch) / "requests.tsv"
            batch.write_text(
                "".join("\t".join(one.options(out)) + "\n" for one, out in zip(wanted, outputs, strict=True))
            )
            for out in outputs:
                out.mkdir()
            what = f"emitting {wanted[0].top if len(wanted) == 1 else f'{len(wanted)} modules'}"
            _run([*_java(sources), "openremap.Emit", "--batch", str(batch)], what)
            for request, out in zip(wanted, outputs, strict=True):
                if not (out / request.result).is_file():
                    raise EmitError(f"emitting {request.top}: openremap.Emit wrote no {request.result}")
                _name_covers(out)
                if request.top == RTL_SIMULATED_TOP:
                    clock_watch.write(out)
                (request.folder / _STAMP).unlink(missing_ok=True)
                mirror(out, request.folder)
                (request.folder / _STAMP).write_text(sources)


def _name_covers(folder: Path) -> None:
    """Writes the names of the covers and deletes the FIRRTL, which is as large as the Verilog."""
    names: dict[str, str] = {}
    try:
        for firrtl in folder.glob("*.fir"):
            names |= covers.declared(firrtl)
            firrtl.unlink()
    except (covers.CoverError, OSError) as error:
        raise EmitError(f"naming the covers: {error}") from error
    cover_names(folder).write_text(json.dumps(names, indent=1, sort_keys=True))


def mirror(new: Path, folder: Path) -> None:
    """Makes `folder` equal to `new` without touching equal files, so that Verilator rebuilds only what changed."""
    folder.mkdir(parents=True, exist_ok=True)
    wanted = {path.relative_to(new) for path in new.rglob("*") if path.is_file()}
    for name in wanted:
        target = folder / name
        if not target.is_file() or target.read_bytes() != (new / name).read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(new / name, target)
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_file() and path.relative_to(folder) not in wanted:
            path.unlink()


def _java(sources: str) -> list[str]:
    """The Java command. The generator runs for seconds, so the C2 compiler and parallel GC would only cost time."""
    return ["java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", _class_path(sources)]


def _class_path(sources: str) -> str:
    """Compiles the generator if `sources` are new, and returns its class path."""
    cache = BUILD / "rtl-classpath.json"
    if cache.is_file():
        known = json.loads(cache.read_text())
        if known["sources"] == sources and all(Path(entry).exists() for entry in known["class_path"]):
            return ":".join(known["class_path"])
    _run([*mill(), "hw.compile"], "compiling hw/")
    # Each entry reads "ref:v0:<hash>:<path>".
    entries = json.loads(_run([*mill(), "show", "hw.runClasspath"], "asking Mill for the class path"))
    class_path = [entry.split(":", 3)[3] for entry in entries]
    cache.write_text(
        json.dumps({"sources": sources, "class_path": [path for path in class_path if Path(path).exists()]})
    )
    return _class_path(sources)


def mill() -> list[str]:
    """The Mill command, without a background server (no process outlives its command) and without a ticker."""
    program = shutil.which("mill")
    if program is None:
        raise EmitError("mill is not on PATH; ./openremap sets it up")
    # Run by a shell: Mill as distributed is a jar behind a shell preamble without #!.
    return ["sh", program, "--no-server", "--ticker", "false"]


def _run(command: list[str], what: str) -> str:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode != 0:
        tail = "\n".join((done.stdout + done.stderr).splitlines()[-40:])
        raise EmitError(f"{what} failed ({steps.exit_text(done.returncode)}):\n{tail}")
    return done.stdout


@contextmanager
def _lock() -> Iterator[None]:
    """Allows one generator at a time, as Mill's out/ folder and the class path are shared."""
    BUILD.mkdir(parents=True, exist_ok=True)
    with open(BUILD / "rtl.lock", "w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
