# SPDX-License-Identifier: Apache-2.0
"""pytest plugin of all runs in this project: no process outlives the run."""

from __future__ import annotations

import pytest

from launcher.env import keeper


def pytest_configure(config: pytest.Config) -> None:
    """The workers of a parallel run are descendants of its first process."""
    if not hasattr(config, "workerinput"):
        keeper.keep()
