# SPDX-License-Identifier: Apache-2.0
"""The benches' copy of the platform is the firmware's."""

from __future__ import annotations

from pathlib import Path

import pytest

from launcher.env.paths import ROOT
from sim.cocotb.top.open_remap_top import native_firmware

HEADER = ROOT / "firmware" / "include" / "platform.h"


def test_the_structs_are_those_of_the_header() -> None:
    native_firmware.check_platform(HEADER)


@pytest.mark.parametrize("struct", ["platform", "platform_options", "platform_identity"])
def test_another_member_in_the_header_is_found(tmp_path: Path, struct: str) -> None:
    other = tmp_path / "platform.h"
    other.write_text(HEADER.read_text().replace(f"struct {struct} {{\n", f"struct {struct} {{\n  int more;\n"))
    with pytest.raises(AssertionError, match=f"struct {struct} has .*'more'"):
        native_firmware.check_platform(other)
