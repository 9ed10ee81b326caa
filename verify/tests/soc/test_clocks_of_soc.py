# SPDX-License-Identifier: Apache-2.0
"""What clocks_of_soc.py takes for a difference."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

SPEC = importlib.util.spec_from_file_location("clocks_of_soc", Path(__file__).with_name("clocks_of_soc.py"))
assert SPEC is not None and SPEC.loader is not None
clocks_of_soc = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(clocks_of_soc)


def result(**changes: Any) -> dict[str, Any]:
    figures: dict[str, Any] = {"sim_cycles": 9, "evaluated_cycles": 5, "firmware_seconds": 0.5, "sizes": {"max": 1.5}}
    return {"mode": "retain", "wall_seconds": 2.0, "list": [{"pages": 4}], **figures, **changes}


def test_only_the_hosts_times_may_differ() -> None:
    assert clocks_of_soc.complaints(result(), result(wall_seconds=3.0)) == []
    found = clocks_of_soc.complaints(result(sizes={"max": 1.25}), result(list=[{"pages": 5}]))
    assert found == [
        "list[0].pages: where all clocks run 5, where they stop 4",
        "sizes.max: where all clocks run 1.5, where they stop 1.25",
    ]
    assert clocks_of_soc.complaints(result(more=1), result()) == [
        "more: where all clocks run None, where they stop 1",
    ]


def test_a_run_must_have_done_something() -> None:
    assert clocks_of_soc.complaints(result(firmware_seconds=0), result(firmware_seconds=0)) == ["no firmware_seconds"]


@pytest.mark.parametrize(("wave", "code"), [("waves", 0), ("", 1), (None, 1)], ids=["waveform", "empty", "none"])
def test_the_run_where_clocks_run_must_write_its_waveform(tmp_path: Path, wave: str | None, code: int) -> None:
    program, folder = tmp_path / "openremap", tmp_path / "out"
    program.write_text(
        f"#!{sys.executable}\n"
        "import json, pathlib, sys\n"
        "after = lambda name: pathlib.Path(sys.argv[sys.argv.index(name) + 1])\n"
        f"after('--json').write_text(json.dumps({{'runs': [{result()}]}}))\n"
        f"if '--trace-dir' in sys.argv and {wave!r} is not None:\n"
        f"    (after('--trace-dir') / 'retain.fst').write_text({wave!r})\n"
    )
    program.chmod(0o755)
    folder.mkdir()
    (folder / "retain.fst").write_text("of an earlier run")
    assert clocks_of_soc.main(str(program), str(folder)) == code
