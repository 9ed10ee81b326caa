# SPDX-License-Identifier: Apache-2.0
"""Digests of programs: of their files and of the build's libraries that they load."""

import shutil
from pathlib import Path

import pytest

from launcher.env import programs


def test_a_script_is_its_file(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    one.write_text("#!/bin/sh\n")
    other.write_text("#!/bin/sh\n\n")
    assert programs.libraries(one) == []
    assert programs.digest(one) != programs.digest(other)
    other.write_text(one.read_text())
    assert programs.digest(one) == programs.digest(other)
    with pytest.raises(FileNotFoundError):
        programs.digest(tmp_path / "none")


def test_a_library_of_the_build_is_part_of_its_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = Path(shutil.which("sh") or "sh").resolve()
    (library, *_) = programs.libraries(program, Path("/"))
    assert programs.libraries(program, tmp_path) == [], "libc is none of the build"
    assert programs.digest(program, tmp_path) != programs.digest(program, Path("/"))
    changed = tmp_path / library.name
    changed.write_bytes(library.read_bytes())
    monkeypatch.setattr(programs, "libraries", lambda *_: [changed])
    same = programs.digest(program)
    changed.write_bytes(library.read_bytes() + b"x")
    assert programs.digest(program) != same
