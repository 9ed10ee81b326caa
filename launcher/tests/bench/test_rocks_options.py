# SPDX-License-Identifier: Apache-2.0
"""The command line of LinkBench's runs."""

from dataclasses import replace
from pathlib import Path

from launcher.bench.bench_description import Mode
from launcher.bench.bench_options import BenchOptions, Device
from launcher.bench.rocks_options import PROGRAM, Database, LinkOptions
from launcher.experiment.runner import store

OPTIONS = LinkOptions(device=Device.model, num=70, operations=90, journal="data", side="files", links=3)


def given(options: LinkOptions) -> dict[str, str]:
    return dict(argument.split("=", 1) for argument in options.arguments(Mode.off, Path("a.json")))


def test_the_program_gets_its_own_options_and_those_that_it_shares() -> None:
    assert (OPTIONS.program, BenchOptions().program) == (PROGRAM, "db_bench")
    there = given(OPTIONS)
    expected = {
        "--workload": "linkbench",
        "--database": "rocksdb",
        "--links": "3",
        "--num": "70",
        "--journal": "data",
        "--side": "files",
        "--json": "a.json",
    }
    assert {name: there[name] for name in expected} == expected
    assert not {"--mode", "--key-size", "--value-size", "--blend-runs", "--seek-compactions"} & set(there)


def test_a_reclaim_unit_decides_the_sizes_of_rocksdb_alone() -> None:
    units = replace(OPTIONS, placement="table")
    assert "--max-file-size" in given(OPTIONS) and "--max-file-size" not in given(units)
    level = given(replace(units, database=Database.leveldb, seek_compactions="off"))
    assert "--max-file-size" in level and level["--seek-compactions"] == "off"


def test_an_address_is_of_the_program_and_of_all_that_decides() -> None:
    address = store.address(OPTIONS, Mode.off)
    assert address != store.address(replace(OPTIONS, links=4), Mode.off)
    assert address != store.address(replace(OPTIONS, database=Database.leveldb), Mode.off)
    assert address != store.address(replace(OPTIONS, side="all"), Mode.off)
    assert address == store.address(replace(OPTIONS, trace_pages=Path("elsewhere")), Mode.off)
    assert store.effective(OPTIONS, Mode.off)["--journal"] == "data"
