# SPDX-License-Identifier: Apache-2.0
"""launcher.firmware.images: both images are built, with what they need at run time."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

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


def test_the_stale_image_lacks_one_instruction() -> None:
    """The mutant of the image for the SoC differs from it in what drops the data cache's lines, and nowhere else."""
    shipped, stale = (made.read_bytes() for made in (images.LITEX_IMAGE, images.LITEX_STALE_IMAGE))
    assert len(shipped) == len(stale)
    words = [(shipped[i : i + 4], stale[i : i + 4]) for i in range(0, len(shipped), 4)]
    drops, nop = ((0x500F).to_bytes(4, "little"), (0x13).to_bytes(4, "little"))
    assert [pair for pair in words if pair[0] != pair[1]] == [(drops, nop)]


# What firmware/src must not name: ports, their processors and boards, what emulates them, operating systems.
PORTS = {*(port.name for port in images.ALL), "native"}
MACHINES = re.compile(
    r"(?i)\b(riscv\w*|vexriscv|rv32\w*|arm(v\w+)?|aarch64|cortex\w*|neon|x86\w*|amd64|cosmos\w*|xilinx|qemu|verilat\w*"
    r"|linux|unix)\b|(?i:" + "|".join(sorted(PORTS)) + ")"
)
# Headers of C that need no operating system, and those of the interfaces that are no port's.
C_HEADERS = {f"{name}.h" for name in ("limits", "setjmp", "stdarg", "stdbool", "stddef", "stdint", "stdio", "string")}
PORT_HEADERS = {"orm_soc.h", "orm_zynq.h", "orm_interface.h", "pcie_function.h"}
# A condition of the preprocessor may ask for a macro of this project, not for one of the compiler or the processor.
OWN_MACRO = re.compile(r"(FW|ORM|OPENREMAP)_\w+|__cplusplus|defined")
MACHINE_CODE = re.compile(r"\b(asm|__asm__|__asm)\b|^\s*#\s*pragma|_Pragma", re.MULTILINE)
LIBRARY = {"longjmp", "memcmp", "memcpy", "memmove", "memset", "setjmp", "strlen", "strrchr", "vsnprintf"}


def wrong(text: str, headers: set[str]) -> list[str]:
    """What a source of the firmware says that depends on a port. `headers`: those that it may include."""
    found = [match[0] for match in MACHINES.finditer(text)]
    found += [name for name in re.findall(r'^\s*#\s*include\s*[<"]([^>"]+)', text, re.MULTILINE) if name not in headers]
    for condition in re.findall(r"^\s*#\s*(?:if|ifdef|ifndef|elif)\b(.*)", text, re.MULTILINE):
        asked = re.findall(r"[A-Za-z_]\w*", condition.partition("/*")[0])
        found += [name for name in asked if not OWN_MACRO.fullmatch(name)]
    return found + [match[0] for match in MACHINE_CODE.finditer(text)]


def test_no_source_of_the_firmware_knows_a_port() -> None:
    """The firmware's sources are the same for each port: they name none, and nothing that only one of them has."""
    firmware, interfaces = ROOT / "firmware", ROOT / "interfaces"
    sources = sorted((firmware / "src").rglob("*.[ch]"))
    headers = {str(source.relative_to(firmware / "src")) for source in sources} | {"fw.h"}
    for folder in (firmware / "include", interfaces / "include", interfaces / "gen" / "c"):
        headers |= {file.name for file in folder.glob("*.h")}
    headers = (headers | C_HEADERS) - PORT_HEADERS
    assert len(sources) > 100
    assert [(source, found) for source in sources if (found := wrong(source.read_text(), headers))] == []


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ('#include "orm_zynq.h"', ["zynq", "orm_zynq.h"]),
        ('#include "orm_soc.h"', ["orm_soc.h"]),
        ("#include <unistd.h>", ["unistd.h"]),
        ("#ifdef __arm__", ["__arm__"]),
        ("#if FW_X && defined(__riscv)", ["__riscv"]),
        ("#elif __BYTE_ORDER__ == 1", ["__BYTE_ORDER__"]),
        ("/* a Cortex-A9 is slow */", ["Cortex"]),
        ("bool on_litex;", ["litex"]),
        ('__asm__ volatile("dsb");', ["__asm__"]),
        ("#pragma GCC optimize", ["#pragma"]),
        ("#ifdef ORM_MUTANTS /* of an arm */", ["arm"]),
        ("#ifndef OPENREMAP_FW_H", []),
        ('#include "core/hal.h"', []),
        ("#include <string.h>", []),
        ("/* the armed watchdog alarms, natively */", ["native"]),
        ("/* the armed watchdog alarms */", []),
    ],
)
def test_what_a_source_must_not_say_is_found(line: str, found: list[str]) -> None:
    assert wrong(f"int x;\n{line}\n", {"core/hal.h", "string.h"}) == found


@pytest.mark.parametrize("port", images.ALL, ids=lambda port: port.name)
def test_the_firmware_calls_nothing_of_a_port(port: images.Port) -> None:
    """Its objects are those of all its sources, and need nothing but each other and a few functions of C."""
    listed = (ROOT / "firmware" / "sources.cmake").read_text()
    sources = sorted(Path(name).name for name in re.findall(r"^  (src/\S+\.c)\b", listed, re.MULTILINE))
    folder = port.folder / "CMakeFiles" / "orm_firmware.dir"
    made = sorted(folder.rglob("*.obj"))
    assert sorted(one.name.removesuffix(".obj") for one in made) == sources
    symbols = subprocess.run([f"{port.prefix}nm", *map(str, made)], capture_output=True, text=True, check=True).stdout
    needed = set(re.findall(r"^\s+U (\w+)$", symbols, re.MULTILINE))
    defined = set(re.findall(r"^[0-9a-f]+ [A-Z] (\w+)$", symbols, re.MULTILINE))
    helpers = {name for name in needed if re.fullmatch(r"__(aeabi_\w+|\w+[sdt]i[234])", name)}  # 64-bit numbers
    assert needed - defined - helpers <= LIBRARY
    assert "fw_poll" in defined


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
