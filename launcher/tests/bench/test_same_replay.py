# SPDX-License-Identifier: Apache-2.0
"""What counts as a difference between two replays."""

from __future__ import annotations

from typing import Any

from launcher.bench.same_replay import complaints, differences

BUSY = ("remapped_pages", "figures.gc_pages")


def result(**changes: Any) -> dict[str, Any]:
    figures = {"gc_pages": changes.pop("gc_pages", 3), "device_seconds": changes.pop("seconds", 1.0)}
    return {"device": "model", "remapped_pages": 5, "wrong_pages": 0, "windows": [], "figures": figures, **changes}


def test_only_the_devices_time_may_differ() -> None:
    assert complaints(result(), result(device="soc", seconds=2.0), BUSY, "soc") == []
    assert complaints(result(), result(gc_pages=4), BUSY, "soc") == ["figures.gc_pages: model 3, soc 4"]
    assert complaints(result(), result(more=1), BUSY, "rtl") == ["more: model None, rtl 1"]


def test_a_replay_must_be_busy_and_right() -> None:
    assert complaints(result(gc_pages=0), result(gc_pages=0), BUSY, "soc") == ["no figures.gc_pages"]
    assert "wrong_pages is 1" in complaints(result(), result(wrong_pages=1), (), "soc")


def test_each_figure_has_its_place() -> None:
    """One of an inner object or of a list is not taken for another one with its name."""
    first = {"pages": 1, "inner": {"pages": 2, "wall": 1.5}, "levels": [{"pages": 3}]}
    second = {"pages": 1, "inner": {"pages": 4, "wall": 2.5}, "levels": [{"pages": 5}]}
    assert differences(first, second, ["levels[0].pages"], ("a", "b"), ["wall"]) == [
        "inner.pages: a 2, b 4",
        "levels[0].pages: a 3, b 5",
    ]
