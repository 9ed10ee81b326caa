# SPDX-License-Identifier: Apache-2.0
"""Where the boards' programs come from."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from launcher.boards import board_packages
from launcher.env.unpacked_packages import Packages


def test_a_program_of_the_machine_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = tmp_path / "openocd"
    own.write_text("#!/bin/sh\n")
    own.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert board_packages.find("openocd") == board_packages.Program(str(own), {})


def test_else_it_is_one_of_the_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packages = Packages(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(board_packages, "ensure", lambda: packages)
    found = board_packages.find("bootgen")
    assert found.path == str(packages.root / "usr/bin/bootgen")
    assert found.environment["LD_LIBRARY_PATH"] == str(packages.libraries)


def test_tcl_runs(tmp_path: Path) -> None:
    program = board_packages.find("tclsh")
    script = tmp_path / "sort.tcl"
    script.write_text("puts [lsort -dictionary {v10 v9}]\n")
    done = subprocess.run([program.path, str(script)], env=program.environment, capture_output=True, text=True)
    assert done.stdout == "v9 v10\n"
