# SPDX-License-Identifier: Apache-2.0
"""launcher.suites.crash: the program's arguments, and options that are rejected."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from launcher.bench.bench_description import Mode
from launcher.bench.bench_options import OptionError
from launcher.env.paths import ROOT
from launcher.spread.cluster import Where
from launcher.spread.seeds import Seeds
from launcher.suites import crash


def test_exhaustive_runs_all_scripts() -> None:
    given = crash.arguments(crash.Options(exhaustive=True, every=7))
    assert given[given.index("--every") + 1] == "7"
    scripts = [Path(name) for name in given[given.index("--script") + 1 :]]
    assert scripts == sorted(crash.SCRIPTS.iterdir())
    assert {"gc.txt", "destage.txt", "compaction.txt", "blank.txt"} <= {script.name for script in scripts}


def test_orders_beside_the_scripts_and_alone() -> None:
    given = crash.arguments(crash.Options(exhaustive=True))
    assert given[given.index("--orders") + 1] == "2"
    given = crash.arguments(crash.Options(exhaustive=True, orders=4))
    assert given[given.index("--orders") + 1] == "4" and "--script" in given
    given = crash.arguments(crash.Options(orders=3, every=5))
    assert given[given.index("--orders") :] == ["--orders", "3", "--every", "5"]
    assert "--exhaustive" not in given and "--script" not in given and "--cuts" not in given
    # Each mutant names its script.
    assert "--orders" not in crash.arguments(crash.Options(exhaustive=True), (crash.SCRIPTS / "gc.txt",))


def test_devices_of_random_commands() -> None:
    options = crash.Options(sessions=3, shutdowns=True, faults="erase-fail=0.02", superblocks=24, segments=68)
    given = crash.arguments(options)
    assert given[given.index("--sessions") :] == [
        *("--sessions", "3", "--shutdowns", "--faults", "erase-fail=0.02"),
        *("--superblocks", "24", "--segments", "68"),
    ]
    assert {"--shutdowns", "--faults", "--superblocks", "--segments"}.isdisjoint(crash.arguments(crash.Options()))


def test_random_commands() -> None:
    given = crash.arguments(crash.Options(device=crash.Device.rtl, cuts=5, seed=9, wide=True))
    assert given[given.index("--device") + 1] == "rtl"
    assert given[given.index("--cuts") + 1] == "5"
    assert given[given.index("--seed") + 1] == "9"
    assert "--wide" in given and "--script" not in given
    given = crash.arguments(crash.Options(cache="evict,line=64"))
    assert given[given.index("--cache") + 1] == "evict,line=64"
    given = crash.arguments(crash.Options(firmware="remote,patience=5"))
    assert given[given.index("--firmware") + 1] == "remote,patience=5"


def test_the_soc_and_its_stores() -> None:
    given = crash.arguments(crash.Options(device=crash.Device.soc, stores=True, cuts_a_run=7))
    assert given[:2] == ["--device", "soc"] and "--stores" in given
    assert given[given.index("--cuts-a-run") + 1] == "7"
    usual = crash.arguments(crash.Options(device=crash.Device.soc))
    assert not {"--stores", "--cuts-a-run"} & set(usual)


def test_leveldb_runs_in_every_mode_or_in_those_named() -> None:
    options = crash.Options(leveldb=True, cuts=7, seed=3)
    given = crash.arguments(options)
    assert options.program == crash.LEVELDB and crash.Options().program == crash.PROGRAM
    assert [given[at + 1] for at, word in enumerate(given) if word == "--mode"] == [
        "off",
        "base",
        "retain",
        "fill",
        "skip",
        "blend",
    ]
    assert given[: given.index("--mode")] == ["--device", "model", "--seed", "3", "--cuts", "7"]
    assert crash.arguments(replace(options, modes=(Mode.base,)))[-2:] == ["--mode", "base"]


def test_leveldb_runs_with_each_collector_that_is_named() -> None:
    options = crash.Options(leveldb=True, modes=(Mode.off,), value_log=crash.ValueLog.on)
    given = crash.arguments(replace(options, collectors=crash.parse_collectors("remap, copy")))
    assert given[given.index("--mode") :] == [
        *("--mode", "off", "--value-log", "on"),
        *("--collector", "remap", "--collector", "copy"),
    ]
    assert crash.parse_collectors("each") == ("copy", "remap", "punch", "cost")
    assert crash.parse_collectors("") == ()
    for text in ("move", "copy,", "copy,copy", "each,copy"):
        with pytest.raises(OptionError, match="--collector: "):
            crash.parse_collectors(text)


def test_leveldb_runs_on_devices_that_are_nearly_full() -> None:
    assert crash.arguments(crash.Options(leveldb=True, modes=(Mode.off,), tight=True))[-3:] == [
        *("--mode", "off"),
        "--tight",
    ]


def test_leveldb_runs_as_kvssds_systems_have_it() -> None:
    options = crash.Options(leveldb=True, modes=(Mode.off, Mode.blend), table_units=True, runs_rule=2)
    assert crash.arguments(options)[-6:] == ["--table-units", "--value-log", "off", "--runs-rule", "--blend-runs", "2"]
    usual = crash.arguments(crash.Options(leveldb=True))
    assert not {"--table-units", "--runs-rule", "--blend-runs"} & set(usual)


def test_rocksdb_has_a_program_of_its_own_and_no_modes() -> None:
    options = crash.Options(rocksdb=True, cuts=7, seed=3)
    assert options.program == crash.ROCKSDB
    assert crash.arguments(options) == ["--device", "model", "--seed", "3", "--cuts", "7"]


@pytest.mark.parametrize(
    ("change", "flag"),
    [
        ({"cuts": 0}, "--cuts"),
        ({"commands": 0}, "--commands"),
        ({"seed": -1}, "--seed"),
        ({"sessions": 0}, "--sessions: 0 is not between 1 and 10000"),
        ({"exhaustive": True, "sessions": 2}, "--sessions"),
        ({"leveldb": True, "sessions": 2}, "--sessions: cannot be combined with --leveldb"),
        ({"exhaustive": True, "every": 0}, "--every"),
        ({"every": 2}, "--every"),
        ({"exhaustive": True, "wide": True}, "--wide"),
        ({"exhaustive": True, "geometry": "4x2x64x64"}, "--geometry"),
        ({"wide": True, "geometry": "4x2x64x64"}, "--geometry"),
        ({"device": crash.Device.rtl, "geometry": "4x2x64x64"}, "--geometry"),
        ({"exhaustive": True, "shutdowns": True}, "--shutdowns"),
        ({"exhaustive": True, "faults": "erase-fail=0.1"}, "--faults"),
        ({"cache": "keep,line=48"}, "--cache"),
        ({"leveldb": True, "cache": "keep"}, "--cache: cannot be combined with --leveldb"),
        ({"firmware": "remote,patience"}, "--firmware"),
        ({"leveldb": True, "firmware": "remote"}, "--firmware: cannot be combined with --leveldb"),
        ({"exhaustive": True, "superblocks": 16}, "--superblocks"),
        ({"exhaustive": True, "segments": 68}, "--segments"),
        ({"orders": 3, "wide": True}, "--wide"),
        ({"orders": 3, "segments": 68}, "--segments"),
        ({"orders": 0}, "--orders: 0 is not between 1 and 4"),
        ({"orders": 5}, "--orders"),
        ({"exhaustive": True, "orders": 5}, "--orders"),
        ({"superblocks": 7}, "--superblocks: 7 is not between 8 and 64"),
        ({"superblocks": 65}, "--superblocks"),
        ({"segments": 0}, "--segments"),
        ({"modes": (Mode.off,)}, "--mode"),
        ({"value_log": crash.ValueLog.on}, "--value-log: requires --leveldb"),
        ({"collectors": ("copy",)}, "--collector: requires --leveldb"),
        ({"leveldb": True, "collectors": ("copy",), "value_log": crash.ValueLog.off}, "--collector: not with"),
        ({"table_units": True}, "--table-units: requires --leveldb"),
        ({"rocksdb": True, "table_units": True}, "--table-units: requires --leveldb"),
        ({"tight": True}, "--tight: requires --leveldb"),
        ({"leveldb": True, "tight": True, "table_units": True}, "--tight: not with --table-units"),
        ({"runs_rule": 2}, "--runs-rule: requires --leveldb"),
        ({"leveldb": True, "runs_rule": 0}, "--runs-rule: 0 is not between 1 and 64"),
        ({"leveldb": True, "runs_rule": 2, "modes": (Mode.off,)}, "--runs-rule: is of mode blend"),
        ({"leveldb": True, "table_units": True, "collectors": ("copy",)}, "--table-units: there is no value log"),
        ({"leveldb": True, "exhaustive": True}, "--exhaustive"),
        ({"leveldb": True, "wide": True}, "--wide"),
        ({"leveldb": True, "commands": 5}, "--commands"),
        ({"leveldb": True, "orders": 2}, "--orders: cannot be combined with --leveldb"),
        ({"leveldb": True, "shutdowns": True}, "--shutdowns: cannot be combined with --leveldb"),
        ({"leveldb": True, "faults": "erase-fail=0.1"}, "--faults"),
        ({"leveldb": True, "superblocks": 16}, "--superblocks"),
        ({"leveldb": True, "segments": 68}, "--segments"),
        ({"leveldb": True, "cuts": 0}, "--cuts"),
        ({"rocksdb": True, "sessions": 2}, "--sessions: cannot be combined with --rocksdb"),
        ({"rocksdb": True, "orders": 2}, "--orders: cannot be combined with --rocksdb"),
        ({"rocksdb": True, "modes": (Mode.base,)}, "--mode: requires --leveldb"),
        ({"rocksdb": True, "leveldb": True}, "--rocksdb: cannot be combined with --leveldb"),
        ({"device": crash.Device.soc, "wide": True}, "--wide: the soc"),
        ({"device": crash.Device.soc, "cache": "keep"}, "--cache: the soc"),
        ({"device": crash.Device.soc, "firmware": "remote"}, "--firmware: the soc"),
        ({"device": crash.Device.soc, "geometry": "2x2x64x32"}, "--geometry"),
        ({"device": crash.Device.rtl, "stores": True}, "--stores: requires --device soc"),
        ({"device": crash.Device.soc, "stores": True, "leveldb": True}, "--stores"),
        ({"device": crash.Device.soc, "stores": True, "exhaustive": True}, "--stores"),
        ({"cuts_a_run": 0}, "--cuts-a-run"),
        ({"cuts_a_run": 2, "sessions": 3}, "--cuts-a-run"),
        ({"cuts_a_run": 2, "exhaustive": True}, "--cuts-a-run"),
    ],
)
def test_what_is_refused(change: dict[str, int | bool | str | tuple[Mode, ...]], flag: str) -> None:
    with pytest.raises(OptionError, match=flag):
        crash.arguments(replace(crash.Options(), **change))  # type: ignore[arg-type]


def test_mutants_are_those_of_the_header() -> None:
    model, firmware = ((ROOT / name).read_text() for name in crash.MUTANT_LISTS)
    model = model[: model.index("#define ORM_LOCKSTEP_MUTANT_LIST")]
    listed = model.count("X(k"), firmware.count("X(FW_MUTANT_")
    assert len(crash.mutants()) == sum(listed) and listed[0] >= 11 and listed[1] >= 5
    assert "commit-early" in [mutant.name for mutant in crash.mutants()]
    for mutant in crash.mutants():
        assert (mutant.script is None or mutant.script.is_file()) and mutant.what.startswith(("a ", "the "))


@pytest.mark.parametrize("code", [1, 0])
def test_each_mutant_is_looked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str], code: int) -> None:
    program = tmp_path / "bin" / crash.PROGRAM
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\necho "$OPENREMAP_MUTANT $*: 3 cuts, {code} violations"\nexit {code}\n')
    program.chmod(0o755)
    assert crash.run_mutants(crash.Options(), tmp_path) == 1 - code
    lines = capsys.readouterr().out.splitlines()
    count = len(crash.mutants())
    assert len(lines) == count + 1 and lines[-1] == f"{count} mutants, {code * count} found"
    assert lines[0].startswith("commit-early") and "gc.txt --violations 1: 3 cuts" in lines[0]
    assert lines[-2].startswith("summary-trusted") and "--sessions 40" in lines[-2]


@pytest.mark.parametrize("code", [1, 2])
def test_an_explorer_that_fails_finds_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str], code: int) -> None:
    program = tmp_path / "bin" / crash.PROGRAM
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\necho data.txt: 3 events\nexit {code}\n")
    program.chmod(0o755)
    assert crash.run_mutants(crash.Options(), tmp_path) == 1
    out = capsys.readouterr().out
    assert f"failed (exit code {code})" in out and out.endswith("0 found\n")


@pytest.mark.parametrize("code", [0, 1])
def test_the_programs_exit_code_is_the_commands(tmp_path: Path, code: int) -> None:
    program = tmp_path / "crash"
    program.write_text(f"#!/bin/sh\nexit {code}\n")
    program.chmod(0o755)
    assert crash.run(crash.Options(), program) == code


def test_several_seeds_are_summed_up(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = tmp_path / "crash"
    program.write_text('#!/bin/sh\nfor word; do [ "$word" = gc.txt ] && exit 3; done\necho "$4 cuts, 0 violations"\n')
    program.chmod(0o755)
    assert crash.run_seeds(crash.Options(), Seeds(6, 3, Where(jobs=2)), program) == 0
    assert capsys.readouterr().out.splitlines()[-2:] == ["8 cuts, 0 violations", "21 cuts, 0 violations"]
