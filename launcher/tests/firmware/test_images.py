# SPDX-License-Identifier: Apache-2.0
"""launcher.firmware.images: both images are built, with what they need at run time."""

from __future__ import annotations

import subprocess

import pytest

from launcher.env import setup
from launcher.env.paths import ROOT
from launcher.firmware import images


@pytest.fixture(scope="module", autouse=True)
def built() -> None:
    images.build()


@pytest.mark.parametrize("port", images.ALL, ids=lambda port: port.name)
def test_each_image_has_its_entry_and_its_bytes(port: images.Port) -> None:
    for image in port.images:
        header = subprocess.run(
            [f"{port.prefix}readelf", "-h", "-S", str(port.elf(image))], capture_output=True, text=True, check=True
        ).stdout
        assert "EXEC" in header and ".text" in header
        code = port.elf(image).with_suffix(".bin").read_bytes()
        assert len(code) > 10_000
        objects = port.objects(image)
        assert len(objects) == len(set(objects)) and any(made.name.startswith("start.S") for made in objects)


def test_an_image_knows_no_port_below_it() -> None:
    """The firmware's own sources are the same for each port, and name none."""
    names = {port.name for port in images.ALL}
    for source in sorted((ROOT / "firmware" / "src").rglob("*.[ch]")):
        text = source.read_text().lower()
        assert not any(name in text for name in names), source


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(setup, "missing_debian_packages", lambda wanted: [wanted[1]])
    with pytest.raises(setup.SetupError, match=r"apt-get install .* picolibc-riscv64-unknown-elf$") as caught:
        images.check_tools(images.LITEX)
    assert caught.value.exit_code == 2


def test_the_packages_are_those_that_set_up_installs() -> None:
    listed = (ROOT / "toolchain.toml").read_text()
    for port in images.ALL:
        for package in port.packages:
            assert f'"{package}" = ' in listed


def test_an_image_begins_where_the_memory_map_says() -> None:
    """The image lies where the generated memory map says."""
    for port, image, header, name in (
        (images.LITEX, images.LITEX.images[0], "orm_soc.h", "ORM_SOC_ROM_BASE"),
        (images.ZYNQ, images.ZYNQ_FIRMWARE, "orm_zynq.h", "ORM_ZYNQ_CODE_BASE"),
    ):
        text = (ROOT / "interfaces" / "gen" / "c" / header).read_text()
        base = int(text.partition(f"#define {name} ")[2].split("u")[0], 16)
        entry = subprocess.run(
            [f"{port.prefix}readelf", "-h", str(port.elf(image))], capture_output=True, text=True, check=True
        ).stdout.partition("Entry point address:")[2]
        assert int(entry.split()[0], 16) == base
