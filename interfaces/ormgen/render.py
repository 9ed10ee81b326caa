# SPDX-License-Identifier: Apache-2.0
"""Renders the descriptions into files. The output depends only on the descriptions: it has no date and no path."""

import re
from dataclasses import dataclass
from pathlib import Path

import jinja2

from . import crc, digest, formats, options, registers, soc, tiger4, version, zynq
from .formats import Constant, FormatError, Formats
from .options import Options, ReplayNumber
from .registers import RegisterMap
from .soc import Soc
from .tiger4 import Tiger4
from .zynq import Zynq


@dataclass(frozen=True)
class Interfaces:
    """All descriptions of the project."""

    formats: Formats
    nvme: Formats
    fw: RegisterMap
    bar0: RegisterMap
    soc: Soc
    tiger4: Tiger4
    zynq: Zynq
    counters: tuple[Constant, ...]
    bench: Options
    ioreplay: dict[str, ReplayNumber]
    version: str

    @staticmethod
    def load(folder: Path) -> "Interfaces":
        """Reads the `interfaces/` folder. Raises FormatError or RDLCompileError."""
        bench = options.load(folder / "options" / "bench.yaml")
        return Interfaces(
            formats=formats.load(folder / "formats" / "formats.yaml"),
            nvme=formats.load(folder / "formats" / "nvme.yaml"),
            fw=registers.load(folder / "registers" / "openremap.rdl"),
            bar0=registers.load(folder / "registers" / "nvme_bar0.rdl"),
            soc=soc.load(folder / "registers"),
            tiger4=tiger4.load(folder / "registers" / "tiger4.yaml"),
            zynq=zynq.load(folder / "registers" / "zynq.yaml"),
            counters=registers.load_counters(folder / "registers" / "counters.yaml"),
            bench=bench,
            ioreplay=options.load_replay(folder / "options" / "ioreplay.yaml", bench),
            version=version.load(folder.parent / "VERSION"),
        )


# Template -> file, relative to the root of the repository.
OUTPUTS = {
    "orm_regs.h.j2": "interfaces/gen/c/orm_regs.h",
    "orm_soc.h.j2": "interfaces/gen/c/orm_soc.h",
    "orm_tiger4.h.j2": "interfaces/gen/c/orm_tiger4.h",
    "orm_zynq.h.j2": "interfaces/gen/c/orm_zynq.h",
    "orm_crc_tables.h.j2": "interfaces/gen/c/orm_crc_tables.h",
    "orm_formats.h.j2": "interfaces/gen/c/orm_formats.h",
    "orm_nvme.h.j2": "interfaces/gen/c/orm_nvme.h",
    "orm_version.h.j2": "interfaces/gen/c/orm_version.h",
    "orm_interface.h.j2": "interfaces/gen/c/orm_interface.h",
    "Formats.scala.j2": "hw/src/gen/Formats.scala",
    "NvmeCodes.scala.j2": "hw/src/gen/NvmeCodes.scala",
    "FwRegMap.scala.j2": "hw/src/gen/FwRegMap.scala",
    "Bar0Map.scala.j2": "hw/src/gen/Bar0Map.scala",
    "SocRegMap.scala.j2": "hw/src/gen/SocRegMap.scala",
    "Tiger4Map.scala.j2": "hw/src/gen/Tiger4Map.scala",
    "ZynqMap.scala.j2": "hw/src/gen/ZynqMap.scala",
    "orm_regs.py.j2": "sim/cocotb/support/orm_regs.py",
    "orm_soc.py.j2": "sim/cocotb/support/orm_soc.py",
    "orm_tiger4.py.j2": "sim/cocotb/support/orm_tiger4.py",
    "orm_formats.py.j2": "sim/cocotb/support/orm_formats.py",
    "orm_nvme.py.j2": "sim/cocotb/support/orm_nvme.py",
    "remap_option_ranges.h.j2": "leveldb-host/include/gen/remap_option_ranges.h",
    "workload_names.h.j2": "leveldb-host/bench/gen/workload_names.h",
    "bench_options.h.j2": "leveldb-host/bench/gen/bench_options.h",
    "bench_description.py.j2": "launcher/bench/bench_description.py",
    "replay_options.h.j2": "leveldb-host/ioreplay/gen/replay_options.h",
    "ioreplay_description.py.j2": "launcher/bench/ioreplay_description.py",
    "registers-firmware.md.j2": "docs/gen/registers-firmware.md",
    "registers-bar0.md.j2": "docs/gen/registers-bar0.md",
    "registers-soc.md.j2": "docs/gen/registers-soc.md",
    "tiger4.md.j2": "docs/gen/tiger4.md",
    "formats.md.j2": "docs/gen/formats.md",
    "nvme.md.j2": "docs/gen/nvme.md",
}

# What the digest of orm_interface.h is made of: the interface of firmware and controller, and the memory of the port
# whose controller may be elsewhere.
DIGESTED = ("orm_regs.h.j2", "orm_formats.h.j2", "orm_nvme.h.j2", "orm_zynq.h.j2")


def camel(name: str) -> str:
    """Converts snake_case or UPPER_CASE to CamelCase."""
    return "".join(w.capitalize() for w in name.lower().split("_"))


def lower_camel(name: str) -> str:
    c = camel(name)
    return c[0].lower() + c[1:]


def snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def pascal(name: str) -> str:
    """Words joined by - to CamelCase."""
    return camel(name.replace("-", "_"))


def quoted(text: str) -> str:
    """A string literal of C++ and Python; the descriptions have neither quotes nor backslashes in their texts."""
    if '"' in text or "\\" in text:
        raise FormatError(f"{text}: has a quote or a backslash")
    return f'"{text}"'


def literal(number: int, of: str) -> str:
    """A number as a literal of this C++ type."""
    return str(number) if of == "int" else f"{number}u"


def md(text: str) -> str:
    """Escapes text for a cell of a Markdown table."""
    return text.replace("|", "\\|")


def render(interfaces: Interfaces) -> dict[str, str]:
    """Returns the content of each file, by its path relative to the root of the repository."""
    env = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    env.filters.update(
        camel=camel,
        lower_camel=lower_camel,
        snake=snake,
        md=md,
        pascal=pascal,
        quoted=quoted,
        literal=literal,
        hex=lambda v, n=0: f"0x{v:0{n}X}",
    )
    values = {
        "crc": crc,
        "formats": interfaces.formats,
        "nvme": interfaces.nvme,
        "fw": interfaces.fw,
        "bar0": interfaces.bar0,
        "soc": interfaces.soc,
        "tiger4": interfaces.tiger4,
        "zynq": interfaces.zynq,
        "counters": interfaces.counters,
        "bench": interfaces.bench,
        "ioreplay": interfaces.ioreplay,
        "version": interfaces.version,
    }
    values["digest"] = digest.of([env.get_template(template).render(values) for template in DIGESTED])
    return {path: env.get_template(template).render(values) for template, path in OUTPUTS.items()}
