# SPDX-License-Identifier: Apache-2.0
"""What crash_replay.py reads from the output of `crash`."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

SPEC = importlib.util.spec_from_file_location("crash_replay", Path(__file__).with_name("crash_replay.py"))
assert SPEC is not None and SPEC.loader is not None
crash_replay = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(crash_replay)

OUTPUT = """crash: seed 1, model
VIOLATION in seed 3, cut at 720,112/300, in burst flush; write 1 2 data 3: LPN 1, which was durable, is gone
  again with: crash --script a.txt --at 720,112/300; on the RTL: --device rtl --trace FILE
9 cuts, 1 violations
"""


def test_the_violation_and_its_command() -> None:
    what, arguments = crash_replay.found(OUTPUT)
    assert what == "cut at 720,112/300, in burst flush; write 1 2 data 3: LPN 1, which was durable, is gone"
    assert arguments == ["--script", "a.txt", "--at", "720,112/300"]


@pytest.mark.parametrize("missing", ["VIOLATION", "again with"])
def test_output_without_one(missing: str) -> None:
    with pytest.raises(SystemExit, match="no violation"):
        crash_replay.found(OUTPUT.replace(missing, ""))


def stand_in(folder: Path, code: int, again: str) -> str:
    """A `crash` that finds something each time; with `again` in place of what it found the first time."""
    path = folder / "crash"
    path.write_text(
        f"#!{sys.executable}\n"
        "import sys\n"
        "where = 'gone' if '--violations' in sys.argv else " + repr(again) + "\n"
        "print(f'VIOLATION in x, cut at 7, in flush: {where}')\n"
        "print('  again with: crash --script crash-replay-m.txt --at 7; on the RTL: no')\n"
        f"sys.exit({code})\n"
    )
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize(
    ("code", "again", "complaint"), [(1, "gone", ""), (1, "other", "then: "), (0, "gone", "exit code 0")]
)
def test_the_second_run_must_show_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, again: str, complaint: str
) -> None:
    monkeypatch.setenv("OPENREMAP_MUTANT", "m")
    program = stand_in(tmp_path, code, again)
    if not complaint:
        crash_replay.main(program, [])
        return
    with pytest.raises(SystemExit, match=complaint):
        crash_replay.main(program, [])
