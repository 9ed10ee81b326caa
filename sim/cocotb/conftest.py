# SPDX-License-Identifier: Apache-2.0
"""The test benches take sizes and codes from the RTL (lib/params.py) as they are imported: these are written first."""

import pytest

from launcher.hw import rtl

rtl.emit_params()

# It takes as long as all the others together: were it not begun first, a core would wait for it at the end.
LONGEST = "test_open_remap_top"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long benches first."""
    items.sort(key=lambda item: not item.name.startswith(LONGEST))
