# SPDX-License-Identifier: Apache-2.0
"""Paths of result documents: which are accepted, and what happens to existing files. Uses temporary folders only."""

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from launcher.cli import documents
from launcher.env.paths import ROOT


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "new" / "bench.json"
    documents.write({"runs": []}, path)
    assert json.loads(path.read_text()) == {"runs": []}
    with pytest.raises(ValueError, match="JSON"):
        documents.write({"wa": float("nan")}, path)
    assert json.loads(path.read_text()) == {"runs": []}
    assert list(path.parent.iterdir()) == [path], "no partial is left"


def test_a_full_disk_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "bench.json"
    documents.write({"a": 1}, path)

    def fills_up(_: Path, to: Path) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(to))

    monkeypatch.setattr(Path, "replace", fills_up)
    with pytest.raises(OSError, match="No space left"):
        documents.write({"a": 2}, path)
    assert json.loads(path.read_text()) == {"a": 1}
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_stays_one_and_where_it_leads_is_written(tmp_path: Path) -> None:
    link = tmp_path / "link.json"
    link.symlink_to(Path("there") / "a.json")
    for number in (1, 2):
        documents.write({"a": number}, link)
        assert link.is_symlink()
        assert json.loads((tmp_path / "there" / "a.json").read_text()) == {"a": number}


def test_a_pipe_gets_the_document_and_stays_one(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    (tmp_path / "link").symlink_to(pipe)
    reader = os.open(pipe, os.O_RDWR)  # opened for reading and writing, so that neither blocks
    try:
        for path in (pipe, tmp_path / "link"):
            documents.write({"a": 1}, path)
            assert pipe.is_fifo(), "else nothing comes out of it"
            assert json.loads(os.read(reader, 4096)) == {"a": 1}
    finally:
        os.close(reader)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["link", "pipe"]


def test_what_output_goes_to_is_written_where_that_is(tmp_path: Path) -> None:
    log = tmp_path / "log"
    program = "from pathlib import Path; from launcher.cli import documents; print('before', flush=True); "
    program += "documents.write({'a': 1}, Path('/dev/stdout')); print('after')"
    with log.open("w") as out:
        subprocess.run([sys.executable, "-c", program], stdout=out, check=True, cwd=ROOT)
    assert log.read_text().split() == ["before", "{", '"a":', "1", "}", "after"]
    assert list(tmp_path.iterdir()) == [log]
