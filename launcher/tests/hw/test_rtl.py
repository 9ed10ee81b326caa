# SPDX-License-Identifier: Apache-2.0
"""launcher.hw.rtl: emission happens only if sources have changed, and writes only files that differ."""

import json
from pathlib import Path

import pytest

from launcher.hw import rtl


@pytest.fixture
def tree(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A source tree with one source, and a generator that copies its text into a file."""
    (tmp_path / "hw" / "src").mkdir(parents=True)
    (tmp_path / "build.sc").write_text("build")
    (tmp_path / "hw" / "src" / "Unit.scala").write_text("one")
    monkeypatch.setattr(rtl, "ROOT", tmp_path)
    monkeypatch.setattr(rtl, "BUILD", tmp_path / "build")
    monkeypatch.setattr(rtl, "RTL_UNITS", tmp_path / "build" / "units")
    monkeypatch.setattr(rtl, "_class_path", lambda _: "classes")

    def run(command: list[str], what: str) -> str:
        for line in Path(command[command.index("--batch") + 1]).read_text().splitlines():
            options = line.split("\t")
            emit(options[options.index("--top") + 1], Path(options[options.index("--out") + 1]), what)
        return ""

    def emit(top: str, out: Path, what: str) -> None:
        source = (tmp_path / "hw" / "src" / "Unit.scala").read_text()
        if source == "broken":
            raise rtl.EmitError(what)
        (out / "Fixed.sv").write_text("fixed")
        (out / "Unit.sv").write_text(source)
        names = ["Fixed.sv", "Unit.sv"]
        if source == "one":
            (out / "Old.sv").write_text("old")
            names.append("Old.sv")
        if source == "covered":
            scala = tmp_path / "hw" / "src" / "Covered.scala"
            scala.write_text('cover(a, "it happens")')
            (out / "Unit.fir").write_text(f'module Unit :\n  cover(clock, a, b, "") : cover @[{scala} 1:6]\n')
        if top == "params":
            (out / "params.json").write_text("{}")
        elif source != "listless":
            (out / "filelist.f").write_text("\n".join(names))

    monkeypatch.setattr(rtl, "_run", run)
    return tmp_path


def test_only_changed_files_are_touched(tree: Path) -> None:
    folder = rtl.emit_unit("Unit")
    before = (folder / "Fixed.sv").stat().st_mtime_ns
    (tree / "hw" / "src" / "Unit.scala").write_text("two")
    assert rtl.emit_unit("Unit") == folder
    assert (folder / "Fixed.sv").stat().st_mtime_ns == before
    assert (folder / "Unit.sv").read_text() == "two"
    assert not (folder / "Old.sv").exists()
    assert rtl.verilog_sources(folder) == [folder / "Fixed.sv", folder / "Unit.sv"]


def test_nothing_runs_while_sources_stay(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = rtl.emit_unit("Unit")

    def never(command: list[str], what: str) -> str:
        raise AssertionError(command)

    monkeypatch.setattr(rtl, "_run", never)
    assert rtl.emit_unit("Unit") == folder


def test_configurations_have_folders_of_their_own(tree: Path) -> None:
    assert rtl.emit_unit("Unit") != rtl.emit_unit("Unit", "large")


def test_one_start_emits_the_units_that_are_not_current(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = rtl.emit_unit("First")
    starts: list[str] = []
    run = rtl._run

    def counted(command: list[str], what: str) -> str:
        starts.append(Path(command[command.index("--batch") + 1]).read_text())
        return run(command, what)

    monkeypatch.setattr(rtl, "_run", counted)
    rtl.emit_units([("First", None), ("Second", None), ("Third", "large")])
    assert len(starts) == 1 and "First" not in starts[0]
    monkeypatch.delattr(rtl, "_run")  # nothing is left to emit
    assert rtl.emit_unit("First") == first
    for folder in (rtl.emit_unit("Second"), rtl.emit_unit("Third", "large")):
        assert (folder / "Unit.sv").read_text() == "one"


def test_firrtl_is_kept_as_the_names_of_covers_only(tree: Path) -> None:
    (tree / "hw" / "src" / "Unit.scala").write_text("covered")
    folder = rtl.emit_unit("Unit")
    assert json.loads(rtl.cover_names(folder).read_text()) == {"Unit.cover__cover": "Covered: it happens"}
    assert not list(folder.glob("*.fir"))


def test_sizes_are_written_beside_the_units(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tree / "build" / "rtl-params" / "params.json"
    monkeypatch.setattr(rtl, "RTL_PARAMS", target)
    assert rtl.emit_params() == target
    assert target.read_text() == "{}"
    other = rtl.emit_params("large")
    assert other.parent != target.parent and other.read_text() == "{}"


def test_the_generator_is_asked_once_for_many_geometries(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commands: list[list[str]] = []

    def run(command: list[str], what: str) -> str:
        commands.append(command)
        lines = Path(command[command.index("--from") + 1]).read_text().splitlines()
        answers = json.dumps([{"geometry": line, "refused": "no"} for line in lines])
        (Path(command[command.index("--out") + 1]) / "geometries.json").write_text(answers)
        return ""

    monkeypatch.setattr(rtl, "_run", run)
    found = rtl.geometries(["1x1x8x8", "2x2x8x8x4"])
    assert [answer["geometry"] for answer in found] == ["1x1x8x8", "2x2x8x8x4"]
    assert len(commands) == 1


@pytest.mark.parametrize("source", ["broken", "listless"])
def test_a_failed_emission_is_not_taken_for_current(tree: Path, source: str) -> None:
    rtl.emit_unit("Unit")
    (tree / "hw" / "src" / "Unit.scala").write_text(source)
    for _ in range(2):
        with pytest.raises(rtl.EmitError):
            rtl.emit_unit("Unit")


def test_digest_follows_names_and_contents(tree: Path) -> None:
    first = rtl.source_digest()
    source = tree / "hw" / "src" / "Unit.scala"
    source.rename(source.with_name("Other.scala"))
    second = rtl.source_digest()
    (tree / "build.sc").write_text("other")
    assert len({first, second, rtl.source_digest()}) == 3
