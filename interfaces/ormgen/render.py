# SPDX-License-Identifier: Apache-2.0
"""Turns the descriptions into files. Output depends on the descriptions alone: no date, no path."""

import re
from dataclasses import dataclass
from pathlib import Path

import jinja2

from . import formats, registers, version
from .formats import Constant, Formats
from .registers import RegisterMap


@dataclass(frozen=True)
class Interfaces:
    """All descriptions of the project."""

    formats: Formats
    nvme: Formats
    fw: RegisterMap
    bar0: RegisterMap
    counters: tuple[Constant, ...]
    version: str

    @staticmethod
    def load(folder: Path) -> "Interfaces":
        """Reads the `interfaces/` folder. Raises FormatError or RDLCompileError."""
        return Interfaces(
            formats=formats.load(folder / "formats" / "formats.yaml"),
            nvme=formats.load(folder / "formats" / "nvme.yaml"),
            fw=registers.load(folder / "registers" / "openremap.rdl"),
            bar0=registers.load(folder / "registers" / "nvme_bar0.rdl"),
            counters=registers.load_counters(folder / "registers" / "counters.yaml"),
            version=version.load(folder.parent / "VERSION"),
        )


# Template -> file, from the root of the repository.
OUTPUTS = {
    "orm_regs.h.j2": "interfaces/gen/c/orm_regs.h",
    "orm_formats.h.j2": "interfaces/gen/c/orm_formats.h",
    "orm_nvme.h.j2": "interfaces/gen/c/orm_nvme.h",
    "orm_version.h.j2": "interfaces/gen/c/orm_version.h",
    "Formats.scala.j2": "hw/src/gen/Formats.scala",
    "NvmeCodes.scala.j2": "hw/src/gen/NvmeCodes.scala",
    "FwRegMap.scala.j2": "hw/src/gen/FwRegMap.scala",
    "Bar0Map.scala.j2": "hw/src/gen/Bar0Map.scala",
    "orm_regs.py.j2": "sim/cocotb/support/orm_regs.py",
    "orm_formats.py.j2": "sim/cocotb/support/orm_formats.py",
    "orm_nvme.py.j2": "sim/cocotb/support/orm_nvme.py",
    "registers-firmware.md.j2": "docs/gen/registers-firmware.md",
    "registers-bar0.md.j2": "docs/gen/registers-bar0.md",
    "formats.md.j2": "docs/gen/formats.md",
    "nvme.md.j2": "docs/gen/nvme.md",
}


def camel(name: str) -> str:
    """snake_case or UPPER_CASE to CamelCase."""
    return "".join(w.capitalize() for w in name.lower().split("_"))


def lower_camel(name: str) -> str:
    c = camel(name)
    return c[0].lower() + c[1:]


def snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def md(text: str) -> str:
    """Text in a cell of a Markdown table."""
    return text.replace("|", "\\|")


def render(interfaces: Interfaces) -> dict[str, str]:
    """File (from the root of the repository) -> content."""
    env = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    env.filters.update(camel=camel, lower_camel=lower_camel, snake=snake, md=md, hex=lambda v, n=0: f"0x{v:0{n}X}")
    return {
        path: env.get_template(template).render(
            formats=interfaces.formats,
            nvme=interfaces.nvme,
            fw=interfaces.fw,
            bar0=interfaces.bar0,
            counters=interfaces.counters,
            version=interfaces.version,
        )
        for template, path in OUTPUTS.items()
    }
