# SPDX-License-Identifier: Apache-2.0
"""SystemVerilog out of the Chisel sources, written again only when the sources have changed.

Mill compiles; the generator itself (`openremap.Emit`) is then started directly with the class path that Mill reports,
because Mill alone costs more than elaborating a small unit, and the unit tests want dozens of them.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from launcher.env.paths import BUILD, ROOT, RTL, RTL_PARAMS, RTL_TOP, RTL_UNITS, RTL_WIDE
from launcher.suites import covers

_STAMP = ".emitted"
_PARAMS = "params"  # the generator's name for what it writes instead of Verilog


class EmitError(Exception):
    """The generator failed; the message holds the end of what it printed."""


def source_digest() -> str:
    """Digest of everything the Verilog, and the list of its covers, is made from."""
    digest = hashlib.sha256()
    for path in [
        ROOT / "build.sc",
        ROOT / "launcher" / "suites" / "covers.py",
        *sorted((ROOT / "hw" / "src").rglob("*")),
    ]:
        if path.is_file():
            digest.update(str(path.relative_to(ROOT)).encode() + b"\0")
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def emit_controller() -> None:
    """Emits the whole controller into `paths.RTL`, and the one with wide pages into `paths.RTL_WIDE`."""
    _emit(RTL_TOP, RTL, None)
    _emit(RTL_TOP, RTL_WIDE, "wide")


def controller_is_current() -> bool:
    """Whether what emit_controller() writes was made from the sources as they are."""
    sources = source_digest()
    return all(_is_current(folder, sources) for folder in (RTL, RTL_WIDE))


def emit_unit(top: str, config: str | None = None, harness: str | None = None) -> Path:
    """Emits one unit, `harness`: inside of that (openremap.Emit knows them), and returns the folder."""
    folder = RTL_UNITS / "-".join(part for part in (top, config, harness) if part)
    _emit(top, folder, config, harness)
    return folder


def emit_formal(units: list[str]) -> Path:
    """Emits units as small as they go, for proofs; one folder each in the one that is returned."""
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
    """Writes `paths.RTL_PARAMS`, or a file beside it for another configuration; returns which."""
    folder = RTL_PARAMS.parent
    if config:
        folder = folder.with_name(f"{folder.name}-{config}")
    _emit(_PARAMS, folder, config)
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
    """Where an emitted folder names its covers (launcher/suites/covers.py)."""
    return folder / "covers.json"


def verilog_sources(folder: Path) -> list[Path]:
    """The files of an emitted folder, in the order firtool lists them."""
    listed = (folder / "filelist.f").read_text().split()
    return [folder / name for name in listed]


def bus_rules() -> list[Path]:
    """What is bound to the whole controller in each simulation: the rules of its buses."""
    return sorted((ROOT / "hw" / "checks").glob("*.sv"))


def _is_current(folder: Path, sources: str) -> bool:
    stamp = folder / _STAMP
    return stamp.is_file() and stamp.read_text() == sources


def _emit(top: str, folder: Path, config: str | None, harness: str | None = None) -> None:
    with _lock():
        sources = source_digest()
        if _is_current(folder, sources):
            return
        with tempfile.TemporaryDirectory(dir=BUILD) as scratch:
            command = [*_java(sources), "openremap.Emit", "--top", top, "--out", scratch]
            command += ["--config", config] if config else []
            command += ["--harness", harness] if harness else []
            _run(command, f"emitting {top}")
            result = RTL_PARAMS.name if top == _PARAMS else "filelist.f"
            if not (Path(scratch) / result).is_file():
                raise EmitError(f"emitting {top}: openremap.Emit wrote no {result}")
            _name_covers(Path(scratch))
            (folder / _STAMP).unlink(missing_ok=True)
            _mirror(Path(scratch), folder)
        (folder / _STAMP).write_text(sources)


def _name_covers(folder: Path) -> None:
    """Keeps of the FIRRTL what is asked of it later: it is as large as the Verilog."""
    names: dict[str, str] = {}
    try:
        for firrtl in folder.glob("*.fir"):
            names |= covers.declared(firrtl)
            firrtl.unlink()
    except (covers.CoverError, OSError) as error:
        raise EmitError(f"naming the covers: {error}") from error
    cover_names(folder).write_text(json.dumps(names, indent=1, sort_keys=True))


def _mirror(new: Path, folder: Path) -> None:
    """Makes `folder` equal to `new` and leaves equal files alone, so that Verilator sees only what changed."""
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
    """The generator's Java. It runs for seconds: the better compiler and threads to collect garbage only cost time."""
    return ["java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", _class_path(sources)]


def _class_path(sources: str) -> str:
    """Compiles the generator (when `sources` are new) and returns its class path."""
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
    """Mill without its background server (nothing of ours outlives its command) and without its ticker."""
    program = shutil.which("mill")
    if program is None:
        raise EmitError("mill is not on PATH; ./openremap sets it up")
    # Through a shell, for those who have Mill as it comes: a jar behind a shell preamble without #!.
    return ["sh", program, "--no-server", "--ticker", "false"]


def _run(command: list[str], what: str) -> str:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode != 0:
        tail = "\n".join((done.stdout + done.stderr).splitlines()[-40:])
        raise EmitError(f"{what} failed (exit code {done.returncode}):\n{tail}")
    return done.stdout


@contextmanager
def _lock() -> Iterator[None]:
    """One generator at a time: Mill's out/ folder and the class path are shared."""
    BUILD.mkdir(parents=True, exist_ok=True)
    with open(BUILD / "rtl.lock", "w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
