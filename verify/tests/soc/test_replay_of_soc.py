# SPDX-License-Identifier: Apache-2.0
"""What replay_of_soc.py takes for a difference."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

SPEC = importlib.util.spec_from_file_location("replay_of_soc", Path(__file__).with_name("replay_of_soc.py"))
assert SPEC is not None and SPEC.loader is not None
replay_of_soc = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(replay_of_soc)


def result(**changes: Any) -> dict[str, Any]:
    figures = {"gc_pages": changes.pop("gc_pages", 3), "device_seconds": changes.pop("seconds", 1.0)}
    return {
        "device": "model",
        "remapped_pages": 5,
        "pages_verified": 9,
        "wrong_pages": 0,
        "figures": figures,
        **changes,
    }


def test_only_the_devices_time_may_differ() -> None:
    assert replay_of_soc.complaints(result(), result(device="soc", seconds=2.0)) == []
    assert replay_of_soc.complaints(result(), result(gc_pages=4)) == ["gc_pages: model 3, soc 4"]
    assert replay_of_soc.complaints(result(), result(more=1)) == ["more: model None, soc 1"]


def test_a_replay_must_be_busy_and_right() -> None:
    assert replay_of_soc.complaints(result(gc_pages=0), result(gc_pages=0)) == ["no gc_pages"]
    assert "wrong_pages is 1" in replay_of_soc.complaints(result(), result(wrong_pages=1))
