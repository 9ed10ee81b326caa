# SPDX-License-Identifier: Apache-2.0
"""bench_of_soc.py lets pass what did everything, and names what did not."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

SPEC = importlib.util.spec_from_file_location("bench_of_soc", Path(__file__).with_name("bench_of_soc.py"))
assert SPEC is not None and SPEC.loader is not None
bench_of_soc = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(bench_of_soc)


def result(**changed: Any) -> dict[str, Any]:
    blocks = changed.pop("blocks", (0, 40, 30))
    levels = [{"level": number, "input_blocks": count} for number, count in enumerate(blocks)]
    counts = {"remapped_pages": 5, "gc_pages": 7, "keys_verified": 9, "keys_expected": 9, "mismatches": 0}
    times = {"evaluated_cycles": 100, "device_seconds": 0.1, "sim_cpu_seconds": 1.0}
    return {"device": "soc", "levels": levels} | counts | times | changed


@pytest.mark.parametrize(
    ("changed", "word"),
    [
        ({}, ""),
        ({"device": "rtl"}, "device rtl"),
        ({"blocks": (0, 70, 0)}, "1 levels"),
        ({"remapped_pages": 0}, "remapped_pages"),
        ({"gc_pages": 0}, "gc_pages"),
        ({"keys_expected": 0, "keys_verified": 0}, "keys_expected"),
        ({"keys_verified": 8}, "8 of 9"),
        ({"mismatches": 1}, "1 with other values"),
    ],
)
def test_results(changed: dict[str, Any], word: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "bench.json"
    path.write_text(json.dumps(result(**changed)))
    assert bench_of_soc.main(str(path)) == (1 if word else 0)
    said = capsys.readouterr()
    assert "7 moved by GC" in said.out or "gc_pages" in changed
    assert len(said.err.splitlines()) == (1 if word else 0) and word in said.err
