# SPDX-License-Identifier: Apache-2.0
"""What `streams` measures."""

from typing import Any

from launcher.bench.bench_options import PAGE_BYTES
from launcher.experiment.streams.measures import ERASES, FILL, FIRST, LATE, MOVED, VERIFIED, WHOLE, late


def run(windows: list[tuple[int, int]], **figures: float) -> dict[str, Any]:
    names = ("written_pages", "programmed_pages")
    return {
        "replay": {
            "windows": [dict(zip(names, window, strict=True)) for window in windows],
            "figures": {"host_write_pages": 200} | figures,
            "pages_verified": 7,
            "used_pages": 20,
        },
        "wa2": 1.5,
        "recordings": [{"used_bytes": 8 * PAGE_BYTES}, {"used_bytes": 9 * PAGE_BYTES}],
    }


def test_the_second_half_has_what_the_middle_window_has() -> None:
    assert late(run([(10, 10), (10, 20), (10, 40), (5, 5)])) == 3
    assert late(run([(10, 10), (10, 20), (10, 40)])) == 3
    assert late(run([(10, 10)])) is None and late(run([])) is None


def test_figures_are_those_of_the_device() -> None:
    runs = {FIRST: run([(10, 10), (10, 20)], gc_pages=50, erases=3), "whole": run([(1, 1)])}
    assert [one.value(runs, FIRST) for one in (LATE, WHOLE, MOVED, ERASES, FILL, VERIFIED)] == [2, 1.5, 0.25, 3, 85, 7]
    assert [one.value(runs, "whole") for one in (LATE, WHOLE, MOVED)] == [None, 1.5, None]
    runs["whole"]["replay"]["figures"]["host_write_pages"] = 0
    assert MOVED.value(runs, "whole") is None
