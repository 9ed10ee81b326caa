# SPDX-License-Identifier: Apache-2.0
"""Writes the parameters of the RTL before pytest imports the test benches, which read sizes and codes from them
(support/params.py).
"""

import pytest

from launcher.hw import rtl

rtl.emit_params()

# It takes as long as all the others together, so it is begun first; otherwise a core would idle at the end.
LONGEST = "test_open_remap_top"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long benches first."""
    items.sort(key=lambda item: not item.name.startswith(LONGEST))
