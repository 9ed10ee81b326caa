# SPDX-License-Identifier: Apache-2.0
"""The names, parameters and Tcl of the Acorn's Vivado project."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from launcher.hw import facts

FACTS = Path(__file__).with_name("board_facts.toml")
NAME = "acorn"  # of the project
CONFIG = "acorn"  # hw/src/top/Presets.scala
CONTROLLER = "DramPcieBoard"  # hw/src/board
TOP = "OpenRemapAcorn"  # soc/boards/acorn.py, as are the names below
PCIE_CORE = "openremap_pcie"
INSTANCE = "controller"  # of CONTROLLER in TOP
CLOCK_MEGAHERTZ = 100
BITSTREAM = "acorn.bit"
CROSSINGS = "crossings.xdc"
CONFIGURATION = "configuration.xdc"
# Of the ports of CONTROLLER, as soc/boards/acorn.py connects them: the clocks that Crossings are between.
CLOCKS = {"controller": "controller_clock", "core": "core_clock"}


@cache
def board() -> dict[str, Any]:
    """board_facts.toml."""
    return tomllib.loads(FACTS.read_text())


def pcie_parameters() -> dict[str, str]:
    """Parameters of the IP pcie_7x: the board's, and the controller's."""
    layout = facts.endpoint()
    table = 1 << layout["tableBit"]
    fixed: dict[str, str] = board()["pcie"]["parameters"]
    return fixed | {
        "Bar0_Size": str((1 << layout["barBits"]) // 1024),
        "MSIx_Table_Size": f"{facts.params(CONFIG)['queues']:x}",
        "MSIx_Table_Offset": f"{table:x}",
        "MSIx_PBA_Offset": f"{table + (1 << layout['pbaBit']):x}",
    }


def bound() -> float:
    """The longest that a path between the two clocks may take, in ns: a period of the faster one. In Gray code one bit
    changes in a period of its own clock, so bits that take no longer than that are never more than one change apart."""
    return 1000 / max(CLOCK_MEGAHERTZ, int(board()["pcie"]["user_megahertz"]))


def crossings_xdc() -> str:
    """Paths between controller and PCIe core; and where the core's transceivers are."""
    clock = {
        name: f"[get_clocks -of_objects [get_pins {INSTANCE}/{port}]]" for name, port in CLOCKS.items()
    }  # fmt: skip
    return "\n".join(
        [
            "# SPDX-License-Identifier: Apache-2.0",
            "# Bits that cross between the clocks of controller and PCIe core (hw/src/crossing) take no longer than a",
            "# period of the faster one.",
            *(
                f"set_max_delay -datapath_only -from {clock[one]} -to {clock[other]} {bound():.3f}"
                for one, other in (("controller", "core"), ("core", "controller"))
            ),
            "# Asynchronous: the core synchronises its reset; the LEDs and the serial line have no clock.",
            "set_false_path -from [get_ports pcie_rst_n]",
            "set_false_path -to [get_ports {leds[*]}]",
            "set_false_path -to [get_ports serial_tx]",
            "set_false_path -from [get_ports serial_rx]",
            "",
        ]
    )


def configuration_xdc() -> str:
    """What the bitstream is for; and the places of the transceivers, which are those of the pins in pcie.xdc. The
    core's own constraints have the lanes in another order than the board."""
    lines = [f"set_property {name} {value} [current_design]" for name, value in board()["bitstream"].items()]
    lanes = "[get_cells -hierarchical -filter {NAME =~ *gtpe2_channel_i}]"
    return "\n".join(["# SPDX-License-Identifier: Apache-2.0", *lines, f"reset_property LOC {lanes}", ""])


def project_tcl(constraints: list[str]) -> str:
    """`constraints`: names of XDC files, in the order in which they are read."""
    parameters = "\n".join(f"  CONFIG.{name} {{{value}}}" for name, value in pcie_parameters().items())
    return f"""\
# SPDX-License-Identifier: Apache-2.0
# Makes the project: vivado -mode batch -source project.tcl
set here [file dirname [file normalize [info script]]]
create_project {NAME} [file join $here vivado] -part {board()["part"]}
add_files -norecurse [lsort [glob [file join $here verilog *]]]
# What memories hold: $readmemh looks for it among the project's files.
foreach memory [glob [file join $here verilog *.init]] {{
  set_property file_type {{Memory Initialization Files}} [get_files $memory]
}}
# The PCIe core. Parameters that this version of the IP does not know are an error.
create_ip -name pcie_7x -vendor xilinx.com -library ip -module_name {PCIE_CORE}
set_property -dict {{
{parameters}
}} [get_ips {PCIE_CORE}]
generate_target all [get_ips {PCIE_CORE}]
foreach name {{{" ".join(constraints)}}} {{
  add_files -fileset constrs_1 -norecurse [file join $here constraints $name]
}}
# They name pins and cells inside of the design, which are only there after synthesis.
foreach name {{{CROSSINGS} {CONFIGURATION}}} {{
  set_property used_in_synthesis false [get_files $name]
  set_property processing_order LATE [get_files $name]
}}
set_property top {TOP} [get_filesets sources_1]
update_compile_order -fileset sources_1
"""


def build_tcl(user_id: int) -> str:
    """`user_id`: comes back in the header of the bitstream (launcher/boards/sidecar.py)."""
    return f"""\
# SPDX-License-Identifier: Apache-2.0
# Makes project and bitstream: vivado -mode batch -source build.tcl
source [file join [file dirname [file normalize [info script]]] project.tcl]
launch_runs impl_1 -to_step write_bitstream -jobs 4
wait_on_run impl_1
open_run impl_1
report_timing_summary -file [file join $here timing.txt]
report_cdc -details -file [file join $here cdc.txt]
report_utilization -hierarchical -file [file join $here utilization.txt]
# Tells `./openremap board build {NAME}` which sources the bitstream is of.
set_property BITSTREAM.CONFIG.USERID 0x{user_id:08X} [current_design]
write_bitstream -force [file join $here {BITSTREAM}]
# For the board's SPI flash.
write_cfgmem -force -format bin -interface spix4 -size 16 -loadbit "up 0x0 [file join $here {BITSTREAM}]" \\
  -file [file join $here acorn.bin]
"""
