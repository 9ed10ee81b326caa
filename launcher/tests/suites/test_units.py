# SPDX-License-Identifier: Apache-2.0
"""Every hardware unit has a test bench: a Chisel module, a line in Emit.scala, a folder in sim/cocotb.

The lines of Emit.scala are read from hw/facts.json, where the generator has written their names.
"""

from __future__ import annotations

import re

from launcher.env.paths import ROOT
from launcher.hw import facts

SOURCES = ROOT / "hw" / "src"
BENCHES = ROOT / "sim" / "cocotb"
# Modules without a test bench, with the reasons.
ALLOWED = {
    "AxiAddressStage": "private to AxiReadArbiter and AxiWriteArbiter: the address half of both, and both have benches",
    "AxiGuard": "private to AxiReadArbiter and AxiWriteArbiter: the benches of MemoryReadArbiter and its like",
    "BusCrossing": "the common part of the crossings of buses, which have benches",
    "ClockedModule": "the common part of the tops with several clocks",
    "ClockedPcieModule": "the common part of those of them that have a PCIe endpoint",
    "ClockGate": "only for simulations of the whole controller; CTest `verify.gating.*`, in the suite `long`, watch it",
    "DramBoard": "wiring only; the suite `long` runs it in the whole SoC of the ECPIX-5 (ecpix5-simulation)",
    "DramBoardModule": "the common part of DramBoard and DramPcieBoard",
    "DramPcieSide": "private to DramPcieBoard: what it has in the controller's clock",
    "DramFlashTop": "wiring only; the suite `long` runs it in lockstep, as a whole device",
    "GcReader": "private to GcMover: its read requests; GcMover's bench reaches all of its covers",
    "GcSpares": "private to GcMover: its spares; GcMover's bench generates and checks good and bad ones",
    "GrayFifo": "private to AsyncFifo and the crossings of buses: AsyncFifo's bench reaches all of its covers",
    "HeldPort": "only for the proof of HeldChoice, which is not a module",
    "IndexedQueues": "only for the proof of QueueIndex, which is not a module",
    "JoinedPorts": "only for the proof of RoundRobin, which is not a module",
    "NandPortRules": "assertions only, private to NandInDram: its bench breaks them and looks for their messages",
    "PaddingCrc": "private to PageGatherer: the CRC of a padding record, a module so that the proof can leave it out",
    "RangeDecoder": "private to RangeEngine: its bench checks the verdict on each kind of list, and reaches all covers",
    "RangeLists": "private to RangeEngine: its bench reads each list that the remap engine is to get",
    "SimulatedSoc": "SocController with clocks that stop; what runs the device `soc` runs it",
    "SimulatedTop": "OpenRemapTop with inputs that are held; what runs the device `rtl` runs it",
    "SocController": "wiring only; the suite `soc` runs it, with the CPU and the shipped firmware",
    "TwoClockModule": "the common part of the crossings that have two clocks, which have benches",
    "XspiFeeder": "private to XspiMram, whose bench reaches all of its covers; so are the other parts of it below",
    "XspiReader": "private to XspiMram: its reads; its bench has stalls, and a memory that does not answer",
    "XspiReceiver": "private to XspiSequencer: XspiMram's bench delays DS by even and odd numbers of halves of a cycle",
    "XspiSequencer": "private to XspiMram: its bench has a memory at the pins that checks each transaction",
    "XspiStart": "private to XspiMram: its bench has memories that start and three that do not",
    "XspiWriter": "private to XspiMram: its writes; the bench cuts the power at any cycle",
    "PinHarness": "only for place and route of any unit; hw/test/top/PinHarnessSpec.scala tests it",
}
# Of them, those that are emitted all the same.
EMITTED = {"DramBoard", "DramFlashTop", "SimulatedSoc", "SimulatedTop", "SocController"}
_CLASS = re.compile(r"^\s*(?:(?:private|protected|final|abstract)(?:\[\w+\])? )*class (\w+)", re.MULTILINE)
_MODULE = re.compile(
    r"\bextends\s+(?:RawModule|ExtModule|BlackBox|\w*Module|Axi(?:Read|Write)Arbiter|BusCrossing|"
    r"PcieTlp|SocController)\b"
)


def modules() -> dict[str, str]:
    """The Chisel modules in hw/src, each with its subsystem (the folder of its file)."""
    found: dict[str, str] = {}
    for path in SOURCES.rglob("*.scala"):
        text = path.read_text()
        begins = [*_CLASS.finditer(text)]
        for begin in begins:
            # A class's head ends at the brace of its body; without a body it ends at the end of the line.
            head = re.split(r"\{\s*\n|\n\s*\n", text[begin.start() :], maxsplit=1)[0]
            if _MODULE.search(head):
                found[begin[1]] = path.parent.name
    return found


def bench_of(module: str) -> str:
    """A module's bench is in the folder with the module's name, inside the folder of its subsystem."""
    return f"{modules()[module]}/{folder_of(module)}"


def folder_of(module: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", module).lower()


def test_the_search_finds_modules() -> None:
    found = modules()
    assert {"NandDie", "RotatingArbiter", "AxiAddressStage", "OpenRemapTop"} <= found.keys()
    assert not {"AxiLite", "Params", "NandRequest", "RegisterAccess"} & found.keys()


def test_each_module_has_a_bench() -> None:
    missing = []
    for module in sorted(modules().keys() - ALLOWED.keys()):
        bench = BENCHES / bench_of(module) / f"test_{folder_of(module)}.py"
        if not bench.is_file() or f'cocotb_unit("{module}"' not in bench.read_text():
            missing.append(f'{module}: no {bench.relative_to(ROOT)} with cocotb_unit("{module}", ...)')
    assert not missing, "\n".join(missing)


def test_each_bench_is_of_a_module() -> None:
    folders = {str(path.parent.relative_to(BENCHES)) for path in BENCHES.glob("*/*/test_*.py")}
    assert folders == {bench_of(module) for module in modules().keys() - ALLOWED.keys()}


def test_what_is_allowed_exists_and_has_no_bench() -> None:
    for module, reason in ALLOWED.items():
        assert module in modules() and reason
        assert not (BENCHES / bench_of(module)).exists()


def test_the_generator_knows_each_of_them() -> None:
    """hw/facts.json is written again by `mill hw.emit --top facts --out hw`."""
    assert set(facts.units()) == modules().keys() - ALLOWED.keys() | EMITTED
