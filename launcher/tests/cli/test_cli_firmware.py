# SPDX-License-Identifier: Apache-2.0
"""./openremap firmware: its options, and what it writes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from launcher.cli import cli
from launcher.env import setup
from launcher.firmware import costs, images, sizes
from launcher.firmware.costs import Error
from launcher.firmware.sizes import Sizes


@pytest.fixture(autouse=True)
def _nothing_is_built(monkeypatch: pytest.MonkeyPatch) -> None:
    class Nothing:
        def activate(self) -> None:
            pass

    monkeypatch.setattr(setup, "ensure_tools", Nothing)
    monkeypatch.setattr(images, "build", lambda ports: None)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["fly"], "fly"),
        (["build", "--port", "z80"], "--port: 'z80' is not one of: litex, zynq"),
        (["build", "--json", "x.json"], "--json: only `firmware size` has figures"),
        (["test", "--port", "litex"], "--port: only zynq has a self-test"),
        (["calibrate", "--json", "x.json"], "--json: only `firmware size` has figures"),
        (["calibrate", "--port", "litex"], "--port: `firmware calibrate` runs the image for the soc"),
        (["calibrate", "--check", "--keep"], "--keep: cannot be combined with --check"),
        (["build", "--check"], "--check: only `firmware calibrate` has it"),
        (["size", "--keep"], "--keep: only `firmware calibrate` has it"),
    ],
)
def test_wrong_options_are_refused(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["firmware", *arguments]) == 2
    assert words in capsys.readouterr().err


@pytest.mark.parametrize(("limit", "code"), [(5, 0), (4, 1)])
def test_sizes_are_written_and_judged(
    limit: int, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = [Sizes("litex", "firmware", {"text": 5}, {"text": limit}, {})]
    monkeypatch.setattr(sizes, "measure", lambda ports: found)
    monkeypatch.setattr(sizes, "KINDS", ("text",))
    file = tmp_path / "sizes.json"
    assert cli.main(["firmware", "size", "--port", "litex", "--json", str(file)]) == code
    assert json.loads(file.read_text())["litex"]["firmware"]["bytes"] == {"text": 5}
    said = capsys.readouterr()
    assert "litex/firmware" in said.out
    assert ("text is 5 bytes" in said.err) == (code == 1)


@pytest.mark.parametrize("stale", [False, True])
def test_a_table_of_another_firmware_is_told(
    stale: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(costs, "is_stale", lambda table: stale)
    assert cli.main(["firmware", "calibrate", "--check"]) == (1 if stale else 0)
    said = capsys.readouterr()
    assert ("another firmware" in said.err) == stale
    assert ("with this firmware" in said.out) == (not stale)


@pytest.mark.parametrize(("model_ns", "code"), [(1050, 0), (1150, 1)])
def test_a_calibration_is_shown_and_judged(
    model_ns: int, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[bool] = []

    def calibrate(keep: bool) -> list[Error]:
        asked.append(keep)
        return [Error("a start", 1000, model_ns)]

    monkeypatch.setattr(costs, "calibrate", calibrate)
    assert cli.main(["firmware", "calibrate", "--keep"]) == code
    assert asked == [True]
    said = capsys.readouterr()
    assert "a start" in said.out and "in all" in said.out
    assert ("+15.0 %" in said.err) == (code == 1)
