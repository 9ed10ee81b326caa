# SPDX-License-Identifier: Apache-2.0
"""launcher.firmware.sizes: the images keep their limits, and what does not is told."""

from __future__ import annotations

import re

import pytest

from launcher.firmware import images, sizes
from launcher.firmware.sizes import KINDS, LIMITS, SECTIONS, Sizes, read_limits


def test_the_images_keep_their_limits() -> None:
    images.build()
    found = sizes.measure()
    assert [line for one in found for line in one.beyond] == []
    document = sizes.document(found)
    assert {port: set(by_image) for port, by_image in document.items()} == {
        port.name: {image.name for image in port.images} for port in images.ALL
    }
    for port in images.ALL:
        firmware = document[port.name]["firmware"]
        assert set(firmware["bytes"]) == set(KINDS)
        assert firmware["paths"]["stack"][0].endswith("_main") and "fw_poll" in firmware["paths"]["stack"]
        assert firmware["paths"]["trap"][0].endswith("_trap")
        assert all(firmware["bytes"][kind] > 1000 for kind in ("text", "bss", "stack", "trap"))


def test_the_limits_are_within_what_the_linker_scripts_reserve() -> None:
    text = (images.PORTS / "image.cmake").read_text()
    for kind, name in (("stack", "ORM_STACK_BYTES"), ("trap", "ORM_TRAP_STACK_BYTES")):
        found = re.search(rf"set\({name} (\d+)\)", text)
        assert found is not None
        for port in images.ALL:
            assert read_limits(LIMITS.read_text())[port.name]["firmware"][kind] <= int(found[1])


def test_what_is_beyond_a_limit_is_told() -> None:
    one = Sizes("p", "i", {"text": 5, "data": 2}, {"text": 4, "data": 2}, {})
    assert one.beyond == ["p/i: text is 5 bytes, at most 4 are allowed (firmware/ports/limits.toml)"]


def test_limits_are_complete() -> None:
    text = "[p.i]\n" + "".join(f"{kind} = 1\n" for kind in SECTIONS)
    assert read_limits(text) == {"p": {"i": dict.fromkeys(SECTIONS, 1)}}
    for wrong in (text + "stack = 1\n", text + "heap = 1\n", "[p.i]\ntext = 1\n"):
        with pytest.raises(ValueError, match=r"p\.i needs text, data, bss"):
            read_limits(wrong)
