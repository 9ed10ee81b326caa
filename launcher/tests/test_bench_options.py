# SPDX-License-Identifier: Apache-2.0
"""Limits of `bench`'s options, and the command line they become."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from launcher.bench_options import LIMITS, BenchOptions, Mode, OptionError, check, parse_modes


def with_number(options: BenchOptions, name: str, value: int) -> BenchOptions:
    changed: dict[str, Any] = {name: value}
    return replace(options, **changed)


def test_defaults_are_within_their_own_limits() -> None:
    check(BenchOptions())


@pytest.mark.parametrize("name", LIMITS)
def test_a_number_beside_its_limits_is_refused_with_its_range(name: str) -> None:
    for value in (LIMITS[name].low - 1, LIMITS[name].high + 1):
        with pytest.raises(OptionError) as error:
            check(with_number(BenchOptions(), name, value))
        message = str(error.value)
        assert message.startswith("--" + name.replace("_", "-"))
        assert str(value) in message
        assert "\n" not in message


@pytest.mark.parametrize("name", LIMITS)
def test_a_number_at_its_limits_is_taken(name: str) -> None:
    roomy = replace(BenchOptions(), key_size=10)
    for value in (LIMITS[name].low, LIMITS[name].high):
        check(with_number(replace(roomy, num=1), name, value))


def test_more_keys_than_digits_is_refused() -> None:
    with pytest.raises(OptionError, match="--num"):
        check(replace(BenchOptions(), num=10**8 + 1, key_size=8))


def test_modes_keep_their_order() -> None:
    assert parse_modes("retain, off") == (Mode.retain, Mode.off)


@pytest.mark.parametrize("text", ["", "off,", "fast", "off,off", "OFF"])
def test_bad_modes_are_refused(text: str) -> None:
    with pytest.raises(OptionError, match="--mode"):
        parse_modes(text)


def test_results_need_a_place(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(OptionError, match="--json"):
        check(replace(BenchOptions(), json=tmp_path))
    with pytest.raises(OptionError, match="--json"):
        check(replace(BenchOptions(), json=file / "below" / "a.json"))
    with pytest.raises(OptionError, match="--plot"):
        check(replace(BenchOptions(), plot=tmp_path / "picture.svg"))
    check(replace(BenchOptions(), json=tmp_path / "new" / "folder" / "a.json"))


def test_every_option_reaches_db_bench() -> None:
    options = replace(BenchOptions(), num=77, seed=5, image_dir=Path("images"), trace_dir=Path("waves"))
    arguments = dict(argument[2:].split("=", 1) for argument in options.arguments(Mode.base, Path("r.json")))
    assert arguments["mode"] == "base"
    assert arguments["num"] == "77"
    assert arguments["seed"] == "5"
    assert arguments["json"] == "r.json"
    assert arguments["image-dir"] == "images/base"
    assert arguments["trace-file"] == "waves/base.fst"
    plain = BenchOptions().arguments(Mode.off, Path("r.json"))
    assert "--image-dir=" in plain
    assert "--trace-file=" in plain
