# SPDX-License-Identifier: Apache-2.0
"""The description of db_bench's options: what it says of the real ones, and what is refused."""

from pathlib import Path

import pytest
import yaml

from interfaces.ormgen.formats import FormatError
from interfaces.ormgen.options import Option, load, load_replay, parse, parse_replay

FILE = Path(__file__).resolve().parents[1] / "options" / "bench.yaml"


def option(name: str) -> Option:
    (found,) = [entry for entry in load(FILE).options if entry.name == name]
    return found


def test_a_number_of_remap_options_has_its_range_and_default() -> None:
    remap = load(FILE).remap
    assert option("blend-runs").number == remap["blend_runs"]


def test_a_default_of_its_own_goes_before_that_of_remap_options() -> None:
    number, remap = option("level1-bytes").number, load(FILE).remap["level1_bytes"]
    assert number is not None and number.default == 512 << 10
    assert (number.low, number.high, remap.default) == (remap.low, remap.high, 10 << 20)


def test_a_choice_has_the_names_of_its_list() -> None:
    assert option("mix-keys").choices == ("uniform", "zipfian", "latest")
    assert option("mode").choices[0] == "off"
    assert option("num").choices == ()


def test_stream_stands_for_all_workloads_that_are_one() -> None:
    assert option("trace").workloads[0] == "fillzipfian"
    assert "readseq" not in option("trace").workloads


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("options/num/default", 0, "num: default 0 is not in 1..1000000000"),
        ("options/num/high", 2**64, "num: range .* does not fit uint64_t"),
        ("options/bloom-bits/type", "long", "bloom-bits: type long"),
        ("options/bloom-bits/kind", "float", "bloom-bits: kind float"),
        ("options/bloom-bits/or_zero", True, "bloom-bits: or_zero, but the range begins at 0"),
        ("options/mode/default", "fast", "mode: default fast is none of modes"),
        ("options/mix-keys/default", "hot", "mix-keys: default hot is none of keys"),
        ("options/trace/excludes", ["nonsense"], "trace: excludes nonsense, which is no option"),
        ("options/check/workloads", ["nonsense"], "check: no workload nonsense"),
        ("options/check/default", 5, "check: a number has a default, an optional one has none"),
        ("options/Num", {"kind": "text", "text": "x"}, "Num: names are lower case"),
        ("remap/blend_runs/low", 65, "blend_runs: range 65..64 does not fit int"),
    ],
)
def test_a_contradiction_is_named(path: str, value: object, said: str) -> None:
    data = yaml.safe_load(FILE.read_text())
    *folders, last = path.split("/")
    table = data
    for folder in folders:
        table = table[folder]
    table[last] = value
    with pytest.raises(FormatError, match=said):
        parse(yaml.safe_dump(data, sort_keys=False))


def test_numbers_of_ioreplay_have_ranges_and_defaults() -> None:
    numbers = load_replay(FILE.with_name("ioreplay.yaml"), load(FILE))
    assert (numbers["chunk"].low, numbers["chunk"].default, numbers["split"].low) == (1, 64, 0)
    shared = option("over-provisioning").number
    assert shared is not None and numbers["over-provisioning"].high == shared.high == 99


@pytest.mark.parametrize(
    ("name", "table", "words"),
    [
        ("Chunk", "{type: int, low: 0, high: 1, default: 0, text: a}", "lower case"),
        ("chunk", "{type: int, low: 0, high: 1, text: a}", "a range and a default"),
        ("chunk", "{type: int, low: 1, high: 2, or_zero: true, default: 1, text: a}", "a range and a default"),
        ("chunk", "{type: int, low: 2, high: 1, default: 1, text: a}", "range 2..1"),
        ("chunk", "{type: int, low: 0, high: 1, default: 2, text: a}", "default 2"),
        ("chunk", "{bench: geometry, text: a}", "geometry is no number of db_bench"),
        ("chunk", "{bench: last-level-ratio, text: a}", "a range and a default"),
    ],
)
def test_wrong_numbers_of_ioreplay_are_refused(name: str, table: str, words: str) -> None:
    with pytest.raises(FormatError, match=words):
        parse_replay(f"numbers:\n  {name}: {table}\n", load(FILE))
