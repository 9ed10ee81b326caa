# SPDX-License-Identifier: Apache-2.0
"""The SoC of the SQRL Acorn CLE-215+: DDR3 is the controller's memory, and its host is the PC in whose M.2 slot it is.

The CPU's ROM and RAM are block RAMs, which the bitstream fills: `start` with what starts DDR3, and `rom` with the
firmware. What the CPU executes first is in `start`.
"""

from __future__ import annotations

from pathlib import Path

from litedram.core import LiteDRAMCore
from litedram.frontend.axi import LiteDRAMAXI2Native, LiteDRAMAXIPort
from litedram.modules import MT41K512M16
from litedram.phy import A7DDRPHY
from litex.build.xilinx import Xilinx7SeriesPlatform
from litex.soc.cores.uart import RS232PHY
from litex.soc.interconnect import wishbone
from litex.soc.interconnect.csr import AutoCSR, CSRField, CSRStorage
from migen import Cat, ClockSignal, Instance, Memory, Module, ResetInserter, Signal

from interfaces.ormgen.soc import Soc
from launcher.hw import facts
from soc.boards import pins
from soc.boards.dram_soc import DramCpuSoc
from soc.boards.dram_start import facts_of, start_of
from soc.boards.pins import Port
from soc.boards.records import records
from soc.boards.series7 import Ddr3Clocks, PcieCore
from soc.cpu_soc import WORD, CpuSoc
from soc.openremap_soc import bursting_bus

BOARD = "acorn"
CONFIG = "acorn"  # hw/src/top/Presets.scala
TOP = "OpenRemapAcorn"
DEVICE = "xc7a200tfbg484-3"
CLOCK_HZ = 100_000_000  # of CPU, controller and DRAM controller; DDR3 runs at 800 MT/s
STREAM_BITS = 64  # DramPcieBoard.coreBits
PCIE_CORE = "openremap_pcie"  # the module that Vivado makes
GROUPS = ("ddram", "pcie", "serial")  # ports that cores take as records
BAUD = 115_200
# The program that starts DDR3, beside the memories of soc.yaml: cached, as the CPU fetches it.
START_ADDRESS = 0x2000_0000
START_BYTES = 0x2000


class BootControl(Module, AutoCSR):  # type: ignore[misc]
    """The register by which the CPU lets the controller run, when DDR3 has been started."""

    def __init__(self) -> None:
        self._control = CSRStorage(
            description="Starts the controller.",
            fields=[CSRField("run", size=1, description="0 holds controller and PCIe endpoint in reset.")],
        )
        self.run = Signal()
        self.comb += self.run.eq(self._control.fields.run)


class AcornSoc(DramCpuSoc):
    """The SoC around the controller in folder `rtl`, with the ports of constraints/acorn."""

    CONTROLLER = "DramPcieBoard"
    START = START_ADDRESS
    csr_map = {**CpuSoc.csr_map, "boot": 2, "ddrphy": 3, "sdram": 4}  # noqa: RUF012

    def __init__(self, rtl: Path, described: Soc, ports: list[Port]) -> None:
        board = Xilinx7SeriesPlatform(DEVICE, records(ports, GROUPS), name=TOP, toolchain="vivado")
        oscillator = Signal()
        self.specials += Instance(
            "IBUFDS", i_I=board.request("clk200_p"), i_IB=board.request("clk200_n"), o_O=oscillator
        )
        hertz = 1e6 * next(port.megahertz for port in ports if port.name == "clk200_p")
        self.submodules.crg = Ddr3Clocks(oscillator, hertz, CLOCK_HZ)
        self.submodules.boot = BootControl()
        super().__init__(rtl, described, board, CLOCK_HZ)
        self._memories()
        pads = board.request("pcie")
        self.submodules.pcie = PcieCore(PCIE_CORE, pads, STREAM_BITS)
        self.comb += pads.clkreq_n.eq(0)
        layout = facts.dram_board()
        # A retry of a read takes as long as a read, and the data go at the speed of DDR3.
        times = {"read": "Read", "retry": "Read", "program": "Program", "erase": "Erase"}
        cycles = {name: layout[f"flash{of}Ns"] * (CLOCK_HZ // 1_000_000) // 1000 for name, of in times.items()}
        inputs: dict[str, object] = {"i_controller_clock": ClockSignal(), "i_core_clock": self.pcie.clock}
        for name, count in (cycles | {"word": 0}).items():
            width = self.controller[f"flash_times_{name}"].width
            if count >= 1 << width:
                raise ValueError(f"{name}: {count} cycles, more than {width} bits can say")
            inputs[f"i_flash_times_{name}"] = Signal(width, reset=count)
        state = self.add_controller(self.boot.run, inputs | self.pcie.wires)
        running, failed = 2, 3
        lit = Cat(self.boot.run, state == running, state == failed, self.pcie.link_up)
        self.comb += board.request("leds").eq(lit)

    def _memories(self) -> None:
        """ROM and RAM of the CPU. What they hold is read from NAME.init beside the Verilog."""
        places = self.places()
        for name, (address, size) in {
            "rom": places["rom"][:2],
            "start": (START_ADDRESS, START_BYTES),
            "ram": places["ram"][:2],
        }.items():
            init = [0] if name != "ram" else None
            memory = Memory(32, size // WORD, init=init, name=name)
            slave = wishbone.SRAM(memory, read_only=name != "ram", bus=bursting_bus())
            setattr(self.submodules, f"{name}_memory", slave)
            self.add_slave_region(name, slave.bus, address, size, True, mode="rwx" if name == "ram" else "rx")

    def console(self) -> Module:
        return RS232PHY(self.platform.request("serial"), CLOCK_HZ, BAUD)

    def connect_dram(self, axi: LiteDRAMAXIPort) -> None:
        module = MT41K512M16(CLOCK_HZ, "1:4")
        self.submodules.ddrphy = A7DDRPHY(self.platform.request("ddram"), nphases=4, sys_clk_freq=CLOCK_HZ)
        self.submodules.sdram = LiteDRAMCore(
            phy=self.ddrphy,
            geom_settings=module.geom_settings,
            timing_settings=module.timing_settings,
            clk_freq=CLOCK_HZ,
        )
        port = self.sdram.crossbar.get_port()
        self.submodules.axi = ResetInserter()(LiteDRAMAXI2Native(axi, port))
        self.comb += self.axi.reset.eq(~self.boot.run)

    def for_the_host(self) -> dict[str, object]:
        """What the program in `start` must know, apart from the addresses of LiteX's registers. `nvram`: where NVRAM
        is in region `dram`. `dram`, `start`: dram_start.py."""
        layout, places = facts.dram_board(), self.places()
        phy = self.ddrphy.settings
        return {
            "places": {
                "start": START_ADDRESS,
                "start_bytes": START_BYTES,
                "rom": places["rom"][0],
                "rom_bytes": places["rom"][1],
                "board": places["board"][0],
                "ram": places["ram"][0],
                "ram_bytes": places["ram"][1],
                "nvram": places["dram"][0] + layout["nvramBase"],
                "nvram_bytes": facts.params(CONFIG)["nvramBytes"],
            },
            "clock_hz": CLOCK_HZ,
            "dram": facts_of(phy),
            "start": start_of(phy, self.sdram.controller.settings.timing),
        }


def build(rtl: Path, described: Soc) -> tuple[AcornSoc, list[Port]]:
    """The SoC, not yet finalized, and its pins."""
    ports = pins.load(BOARD)
    return AcornSoc(rtl, described, ports), ports


__all__ = ["CLOCK_HZ", "DEVICE", "TOP", "AcornSoc", "build"]
