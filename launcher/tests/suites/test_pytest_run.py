# SPDX-License-Identifier: Apache-2.0
"""launcher.suites.pytest_run: what every run of pytest in this project does."""

from __future__ import annotations

import os

from launcher.env import keeper


def test_this_run_is_kept() -> None:
    kept_by = os.environ[keeper.VARIABLE].split()
    ancestors = set()
    pid = os.getpid()
    while pid > 1:
        ancestors.add(keeper._name(pid))
        with open(f"/proc/{pid}/stat") as stat:
            pid = int(stat.read().rpartition(")")[2].split()[1])
    # The innermost name is that of the run's first process: of this one, or of the one that started this worker.
    assert kept_by[-1] in ancestors
