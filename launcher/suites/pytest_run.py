# SPDX-License-Identifier: Apache-2.0
"""pytest plugin of all runs in this project: no process outlives the run, and cases can be chosen by a text.

pytest's own -k takes an expression with operators and ignores case; `./openremap test -k` takes a text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from launcher.env import keeper

if TYPE_CHECKING:  # the launcher takes CONTAINS from here before pytest is installed
    import pytest

CONTAINS = "--contains"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(CONTAINS, default="", metavar="TEXT", help="run only cases whose name contains this text")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    text = config.getoption(CONTAINS)
    chosen = [item for item in items if text in item.nodeid or text in dotted(item.nodeid)]
    config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
    items[:] = chosen


def dotted(node: str) -> str:
    """A case's name as reports have it: `folder/test_file.py::test_case` is `folder.test_file.test_case`."""
    file, _, case = node.partition("::")
    head, bracket, parameters = case.partition("[")
    return ".".join((file.removesuffix(".py").replace("/", "."), head.replace("::", "."))) + bracket + parameters


def pytest_configure(config: pytest.Config) -> None:
    """The workers of a parallel run are descendants of its first process."""
    if not hasattr(config, "workerinput"):
        keeper.keep()
