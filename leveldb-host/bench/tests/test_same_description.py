# SPDX-License-Identifier: Apache-2.0
"""same_description.py names each value, option and order in which the program differs from the description."""

from __future__ import annotations

import copy
import importlib.util
from pathlib import Path

SPEC = importlib.util.spec_from_file_location("same_description", Path(__file__).with_name("same_description.py"))
assert SPEC is not None and SPEC.loader is not None
same_description = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(same_description)


def test_what_agrees_is_no_difference() -> None:
    wanted = same_description.described()
    assert same_description.differences(copy.deepcopy(wanted), wanted) == []


def test_each_value_that_differs_is_named() -> None:
    wanted = same_description.described()
    program = copy.deepcopy(wanted)
    program["options"]["num"]["high"] += 1
    program["options"]["value-size"]["default"] = 1000
    program["options"]["mode"]["choices"].remove("blend")
    program["workloads"]["readseq"]["stream"] = True
    program["trace"]["version"] = 2
    found = [line.split(":")[0] for line in same_description.differences(program, wanted)]
    assert sorted(found) == [
        "/options/mode/choices",
        "/options/num/high",
        "/options/value-size/default",
        "/trace/version",
        "/workloads/readseq/stream",
    ]


def test_an_option_on_one_side_only_is_named() -> None:
    wanted = same_description.described()
    program = copy.deepcopy(wanted)
    program["options"]["nonsense"] = program["options"].pop("blend-runs")
    assert same_description.differences(program, wanted) == [
        "/options/blend-runs: only in the description",
        "/options/nonsense: only in the program",
    ]


def test_another_order_of_options_is_named() -> None:
    wanted = same_description.described()
    program = copy.deepcopy(wanted)
    program["options"]["num"] = program["options"].pop("num")
    assert same_description.differences(program, wanted) == ["/options: another order in the program"]
