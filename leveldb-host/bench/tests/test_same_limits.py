# SPDX-License-Identifier: Apache-2.0
"""same_limits.py names a range, a default and a name that differ, and what the help text lacks."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from launcher.bench.bench_options import LIMITS, BenchOptions, Mode, Workload

SPEC = importlib.util.spec_from_file_location("same_limits", Path(__file__).with_name("same_limits.py"))
assert SPEC is not None and SPEC.loader is not None
same_limits = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(same_limits)


def help_text() -> str:
    lines = [f"  --mode=  what ({'|'.join(Mode)}), default blend", f"  --workload=what ({'|'.join(Workload)})"]
    for name, limit in LIMITS.items():
        span = "0, 2..1000" if name == "last_level_ratio" else str(limit)
        lines.append(f"  --{name.replace('_', '-')}= bytes (of) it ({span}), default {getattr(BenchOptions(), name)}")
    return "\n".join(lines)


def test_what_agrees_is_no_difference() -> None:
    assert same_limits.differences(help_text()) == []


def test_each_difference_is_named() -> None:
    text = help_text().replace("(8..1024)", "(4..1024)").replace("default 984", "default 1000").replace("|blend)", ")")
    found = same_limits.differences(text)
    assert [line.split(":")[0] for line in found] == ["--value-size", "--key-size", "--mode"]


def test_an_option_that_is_missing_is_named() -> None:
    text = "\n".join(line for line in help_text().splitlines() if "--blend-runs" not in line)
    assert [line.split(":")[0] for line in same_limits.differences(text)] == ["--blend-runs"]
