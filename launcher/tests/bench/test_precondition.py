# SPDX-License-Identifier: Apache-2.0
"""`./openremap precondition`, with a program that stands in for openremap-cli."""

import io
import json
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from rich.console import Console

from launcher.bench import precondition
from launcher.bench.bench_options import Device, OptionError
from launcher.bench.precondition import PreconditionFailed, PreconditionOptions, check, parse, run, table
from launcher.cli import cli_measure
from launcher.env import build, setup

RESULT = {"command": "precondition", "pages": 300, "wa_round_1": 2.5, "wa_round_2": 3.25, "steady": True}


@pytest.fixture
def options(tmp_path: Path) -> PreconditionOptions:
    return PreconditionOptions(image=tmp_path / "ssd", json=tmp_path / "result.json")


def stand_in(tmp_path: Path, lines: str) -> list[str]:
    program = tmp_path / "stand_in.py"
    program.write_text(f"import sys\n{lines}\n")
    return [sys.executable, str(program)]


def test_the_device_is_as_asked_for(options: PreconditionOptions) -> None:
    arguments = replace(options, over_provisioning=7, geometry="2x4x64x64", seed=9).arguments()
    assert arguments[:4] == [
        "--device=model",
        f"--image={options.image}",
        "--geometry=2x4x64x64",
        "--over-provisioning=7",
    ]
    assert arguments[4:] == ["--json", "precondition", "--yes", "--progress", "--seed=9"]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"over_provisioning": 100}, "--over-provisioning: 100"),
        ({"placement_handles": -1}, "--placement-handles: -1"),
        ({"seed": -1}, "--seed: -1"),
        ({"superblocks": 10**6}, "--superblocks: 1000000"),
        ({"geometry": "3x4"}, "--geometry: '3x4' is not"),
        ({"geometry": "2x4x64x64", "device": Device.rtl}, "--geometry: the flash of rtl is fixed"),
        ({"image": Path(__file__)}, "--image: .* is not a folder"),
        ({"json": Path("/")}, "--json: / is a folder"),
    ],
)
def test_a_wrong_option_is_named(options: PreconditionOptions, wrong: dict[str, object], said: str) -> None:
    check(options)
    with pytest.raises(OptionError, match=said):
        check(replace(options, **wrong))  # type: ignore[arg-type]


def test_a_device_that_is_there_is_overwritten_only_if_that_is_said(options: PreconditionOptions) -> None:
    assert options.image is not None
    options.image.mkdir()
    check(options)  # empty: there is nothing to lose
    (options.image / "nand").write_text("data")
    with pytest.raises(
        OptionError, match=r"--image: .*ssd is not empty, and all data on the device is lost; say --yes"
    ):
        check(options)
    check(replace(options, yes=True))


def test_the_rounds_are_told_and_returned(
    options: PreconditionOptions, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = f"print('progress 5 300 fill 1', file=sys.stderr)\nprint({json.dumps(json.dumps(RESULT))})"
    document = run(options, stand_in(tmp_path, lines))
    assert document["wa_of_rounds"] == [2.5, 3.25]
    assert document["steady"] is True
    assert document["pages"] == 300
    assert options.image is not None and options.image.is_dir()
    out = io.StringIO()
    Console(file=out, width=100).print(table(document))
    assert "3.250" in out.getvalue()


def test_what_fails_is_told(options: PreconditionOptions, tmp_path: Path) -> None:
    unsteady = "print('openremap-cli: no steady state in 25 rounds', file=sys.stderr)\nsys.exit(1)"
    with pytest.raises(PreconditionFailed, match=r"^no steady state in 25 rounds$"):
        run(options, stand_in(tmp_path, unsteady))
    with pytest.raises(OptionError, match=r"^placement handles: 99$"):
        run(options, stand_in(tmp_path, "print('openremap-cli: placement handles: 99', file=sys.stderr)\nsys.exit(2)"))
    with pytest.raises(PreconditionFailed, match="printed no result"):
        run(options, stand_in(tmp_path, "print('hello')"))


def test_the_rounds_of_a_device_that_is_not_steady_are_kept(
    options: PreconditionOptions, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said = f"print({json.dumps(json.dumps(RESULT | {'steady': False}))})"
    said += "\nprint('openremap-cli: no steady state in 25 rounds', file=sys.stderr)\nsys.exit(1)"
    command = stand_in(tmp_path, said)
    monkeypatch.setattr(setup, "ensure_tools", lambda: SimpleNamespace(activate=lambda: None))
    monkeypatch.setattr(build, "everything", lambda *_, **__: None)
    monkeypatch.setattr(precondition, "run", lambda options: run(options, command))
    with pytest.raises(PreconditionFailed, match=r"^no steady state in 25 rounds$"):
        cli_measure.precondition(image=options.image, json=options.json)
    kept = json.loads(options.json.read_text())
    assert kept["steady"] is False and kept["wa_of_rounds"] == [2.5, 3.25]
    assert "3.250" in capsys.readouterr().out


def test_a_result_without_rounds_is_none(options: PreconditionOptions) -> None:
    del_rounds = {name: value for name, value in RESULT.items() if name != "wa_round_1"}
    with pytest.raises(PreconditionFailed):
        parse(options, json.dumps(del_rounds))
