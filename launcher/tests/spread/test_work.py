# SPDX-License-Identifier: Apache-2.0
"""What a worker says of its build, and what two builds differ in."""

from pathlib import Path

import pytest

from launcher.env.paths import ROOT
from launcher.spread import work


def test_a_build_is_its_launcher_tools_and_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "bin" / "db_bench"
    program.parent.mkdir()
    program.write_text("one")
    monkeypatch.setattr(work, "RELEASE", tmp_path)
    ours = work.build(("db_bench",))
    assert (
        set(ours) == {"launcher", "pinned tools", "crash scripts", "db_bench"}
        and work.differences(ours, work.build(("db_bench",))) == []
    )
    program.write_text("other")
    (different,) = work.differences(ours, work.build(("db_bench",)))
    assert different.startswith(f"db_bench: {ours['db_bench'][:12]} here, ") and different.endswith(" there")
    program.unlink()
    assert work.build(("db_bench",))["db_bench"] == "not built"
    assert work.differences(ours, {}) == [f"{name}: {digest[:12]} here, missing there" for name, digest in ours.items()]


def test_sources_count_by_name_and_content(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("1")
    first = work._sources(tmp_path)
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_a.py").write_text("2")
    (tmp_path / "notes.txt").write_text("3")
    assert work._sources(tmp_path) == first, "what no work runs"
    (tmp_path / "a.py").rename(tmp_path / "b.py")
    assert work._sources(tmp_path) != first


def test_a_worker_says_the_memory_that_it_was_given(monkeypatch: pytest.MonkeyPatch) -> None:
    assert work.introduce(()).memory > 0
    monkeypatch.setenv(work.MEMORY_VARIABLE, "123")
    assert work.introduce(()).memory == 123
    assert set(work.introduce(()).build) == {"launcher", "pinned tools", "crash scripts"}
    assert (ROOT / "requirements.txt").is_file()
