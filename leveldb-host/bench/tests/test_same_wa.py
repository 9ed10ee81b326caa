# SPDX-License-Identifier: Apache-2.0
"""same_wa.py lets pass what agrees, and names what does not."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

SPEC = importlib.util.spec_from_file_location("same_wa", Path(__file__).with_name("same_wa.py"))
assert SPEC is not None and SPEC.loader is not None
same_wa = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(same_wa)


def result(device: str, **changed: Any) -> dict[str, Any]:
    usual = {"host_bytes": 4096 * 1000, "gc_pages": 200, "metadata_pages": 8, "nvram_bytes": 40000, "wa": 6.0}
    return {"device": device} | usual | changed


def test_results_within_a_percent_agree() -> None:
    assert same_wa.complaints(result("rtl"), result("model", wa=6.05, gc_pages=210)) == []


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"wa": 6.1}, "1.64 % apart"),
        ({"wa": 5.9}, "1.69 % apart"),
        ({"gc_pages": 99}, "GC moved 99 pages"),
        ({"metadata_pages": 11}, "model: 85056 bytes of metadata"),
        ({"nvram_bytes": 49153}, "model: 81921 bytes of metadata"),
        ({"host_bytes": 4096 * 1001}, "the host wrote"),
        ({"device": "rtl"}, "a result of device rtl where one of model"),
    ],
)
def test_what_does_not_agree_is_named(changed: dict[str, Any], said: str) -> None:
    found = same_wa.complaints(result("rtl"), result("model") | changed)
    assert len(found) == 1 and said in found[0]


def test_the_program_reads_both_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, wa, code in (("rtl", 6.0, 0), ("model", 7.0, 1)):
        (tmp_path / "rtl.json").write_text(json.dumps(result("rtl")))
        (tmp_path / "model.json").write_text(json.dumps(result("model", wa=wa)))
        assert same_wa.main([str(tmp_path / "rtl.json"), str(tmp_path / "model.json")]) == code, name
        assert f"model {wa}" in capsys.readouterr().out
