# SPDX-License-Identifier: Apache-2.0
"""Records of green suites, as tests of boards need them."""

from __future__ import annotations

from pathlib import Path
from unittest import mock

import pytest

from launcher.suites import verified
from launcher.suites.reports import Totals
from launcher.suites.running import Selection
from launcher.suites.verified import VERILATED, Digests

HERE = Digests("1" * 64, "a" * 64)  # the digests of the sources of a test
OLDER = Digests("2" * 64, "b" * 64)


def own_record(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A record of the test's own, and sources with the digests HERE."""
    monkeypatch.setattr(verified, "FILE", folder / "verified.json")
    monkeypatch.setattr(verified, "digests", lambda: HERE)
    monkeypatch.setattr(verified, "commit", lambda: "0123abc")


def make(built: Digests = HERE, without: tuple[str, ...] = ()) -> None:
    """All suites are green on these sources, but for some."""
    with mock.patch.object(verified, "digests", return_value=built):
        for name in VERILATED:
            if name not in without:
                verified.note(name, Selection(), Totals(passed=1), verified.state())
