# SPDX-License-Identifier: Apache-2.0
"""launcher.env.digests: names, contents and order count."""

import os
from pathlib import Path

import pytest

from launcher.env import digests


def test_everything_counts(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_text("a")
    two.write_text("b")
    seen = {digests.of_files([one, two], tmp_path), digests.of_files([two, one], tmp_path)}
    seen.add(digests.of_files([one], tmp_path))
    seen.add(digests.of_files([one], tmp_path, "first"))
    seen.add(digests.of_files([one], tmp_path.parent))
    seen.add(digests.of_files([one.rename(tmp_path / "three")], tmp_path))
    (tmp_path / "three").write_text("c")
    seen.add(digests.of_files([tmp_path / "three"], tmp_path))
    assert len(seen) == 7


def test_any_name_of_a_file(tmp_path: Path) -> None:
    odd = tmp_path / os.fsdecode(b"odd\xff")
    odd.write_text("")
    assert digests.of_files([odd], tmp_path) != digests.of_files([], tmp_path)


def test_a_file_that_is_gone(tmp_path: Path) -> None:
    with pytest.raises(OSError):
        digests.of_files([tmp_path / "gone"], tmp_path)
