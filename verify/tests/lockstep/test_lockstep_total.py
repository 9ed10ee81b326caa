# SPDX-License-Identifier: Apache-2.0
"""lockstep_total.py: sums that are large enough, and such that are not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from verify.tests.lockstep import lockstep_total


@pytest.mark.parametrize(
    ("runs", "code"),
    [
        ([(60_000, 4, 2), (40_000, 2, 0)], 0),
        ([(99_999, 3, 1)], 1),
        ([(100_000, 3, 1)], 0),
        ([(100_000, 4, 1)], 1),
        ([(100_000, 0, 0)], 1),
    ],
)
def test_sums(tmp_path: Path, runs: list[tuple[int, int, int]], code: int) -> None:
    files = []
    for number, (commands, rounds, storms) in enumerate(runs):
        file = tmp_path / f"{number}.json"
        file.write_text(json.dumps({"commands": commands, "rounds": rounds, "storms": storms}))
        files.append(str(file))
    assert lockstep_total.main(files) == code
