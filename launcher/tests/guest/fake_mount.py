# SPDX-License-Identifier: Apache-2.0
"""Stand-ins for unshare and mount that mount nothing, or that fail as on a machine without the rights."""

import os
from pathlib import Path

import pytest

from launcher.env import leveldb_packages
from launcher.env.unpacked_packages import Packages

RUNS = 'shift 3; exec "$@"'  # unshare --mount --propagation private COMMAND...
NO_ROOT = "echo 'unshare: unshare failed: Operation not permitted' >&2; exit 1"
NO_XFS = "echo \"mount: unknown filesystem type 'xfs'.\" >&2; exit 32"


def install(folder: Path, monkeypatch: pytest.MonkeyPatch, unshare: str = RUNS, mount: str = "exit 0") -> None:
    """Puts the stand-ins first on the PATH, and makes images without mkfs.xfs."""
    folder.mkdir(exist_ok=True)
    for name, script in (("unshare", unshare), ("mount", mount)):
        program = folder / name
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(leveldb_packages, "ensure", lambda: Packages(folder))
    monkeypatch.setattr(leveldb_packages, "make_xfs", lambda *_: None)
