# SPDX-License-Identifier: Apache-2.0
"""What tests of several packages share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from launcher.tests.spread import calls


@pytest.fixture(scope="session")
def two_workers() -> Iterator[calls.Cluster]:
    """A cluster for all tests that end none of its processes."""
    with calls.started_cluster() as found:
        yield found
