# SPDX-License-Identifier: Apache-2.0
"""Writes the Tcl of the block design: processing system, PCIe core, our core, and a NAND controller for each channel.

```
 PCIe lanes == pcie == core ==(dram_bus, nvram_bus)== ps: HP0, HP1 (DDR3)
                       |  | ==(fw_bus)=============== ps: GP0, IRQ_F2P
                       |  |
                       nsc_N == nfc_N == pins of NAND        kes_K: ECC of four channels; microcode_N: its program
```

All but PCIe core and endpoint have one clock and one reset, that of the processing system's FCLK_CLK0.
"""

from __future__ import annotations

from launcher.boards.cosmos import memory_map, names, ps7_rules
from launcher.boards.cosmos.board_facts import Facts
from launcher.boards.cosmos.wrapper import Wrapper
from launcher.hw import facts as hardware

_PROCS = """\
# The newest version of an IP that is in the catalogue. Its name is VENDOR:LIBRARY:NAME.
proc newest {name} {
  set found [lsort -dictionary [get_ipdefs "${name}:*"]]
  if {[llength $found] == 0} { error "no IP $name: is its folder in ip_repo_paths?" }
  return [lindex $found end]
}

proc cell {name ip {parameters {}}} {
  create_bd_cell -type ip -vlnv [newest $ip] $name
  foreach {parameter value} $parameters { lappend properties CONFIG.$parameter $value }
  if {[info exists properties]} { set_property -dict $properties [get_bd_cells $name] }
}

proc pin {name} {
  set found [get_bd_pins $name]
  if {[llength $found] == 0} { error "no pin $name" }
  return $found
}

# A net of pins, the driver first.
proc wire {args} {
  foreach name $args { lappend pins [pin $name] }
  connect_bd_net {*}$pins
}

proc bus {one other} {
  foreach name [list $one $other] {
    if {[llength [get_bd_intf_pins $name]] == 0} { error "no interface $name" }
  }
  connect_bd_intf_net [get_bd_intf_pins $one] [get_bd_intf_pins $other]
}

# A port of the design for a pin.
proc port {name direction bits pin} {
  if {$bits == 1} {
    create_bd_port -dir $direction $name
  } else {
    create_bd_port -dir $direction -from [expr {$bits - 1}] -to 0 $name
  }
  connect_bd_net [get_bd_ports $name] [pin $pin]
}

# A slave's place in the address space of a master.
proc place {master slave offset range} {
  set segment [get_bd_addr_segs $slave]
  if {[llength $segment] != 1} { error "no segment $slave" }
  set space [get_bd_addr_spaces $master]
  if {[llength $space] != 1} { error "no address space $master" }
  create_bd_addr_seg -offset $offset -range $range $space $segment seg_[string map {/ _} $slave]
}
"""


def text(facts: Facts, config: str, wrapper: Wrapper) -> str:
    """The Tcl for a configuration. It wants the variable `microcode`, the path of the .coe file."""
    channels = hardware.params(config)["channels"]
    groups = [range(at, min(at + _per_kes(facts), channels)) for at in range(0, channels, _per_kes(facts))]
    parts = [
        ["# SPDX-License-Identifier: Apache-2.0", f"# The block design of Cosmos+, configuration {config}.", ""],
        [_PROCS, f"create_bd_design {names.DESIGN}", f"current_bd_design {names.DESIGN}"],
        _processing_system(facts),
        _clocks(facts),
        [
            "# Our core.",
            f"create_bd_cell -type module -reference {names.CORE_MODULE} {names.CORE}",
            f"wire {names.PS}/FCLK_CLK0 {names.CORE}/clk",
            f"wire {names.RESET}/peripheral_reset {names.CORE}/reset",
        ],
        _pcie(facts, config, wrapper),
        *[_nand_group(group, number) for number, group in enumerate(groups)],
        *[_nand(facts, channel, _per_kes(facts)) for channel in range(channels)],
        _buses(),
        _addresses(facts, channels),
        ["regenerate_bd_layout", "validate_bd_design", "save_bd_design", ""],
    ]
    return "\n".join("\n".join(part) + "\n" for part in parts).rstrip() + "\n"


def _per_kes(facts: Facts) -> int:
    return int(facts.nand["channels_of_kes"])


def _cell(name: str, ip: str, parameters: dict[str, str] | None = None) -> str:
    if not parameters:
        return f"cell {name} {ip}"
    return "\n".join([f"cell {name} {ip} {{", *(f"  {key} {{{value}}}" for key, value in parameters.items()), "}"])


def _processing_system(facts: Facts) -> list[str]:
    parameters = {f"PCW_{name}": value for name, value in facts.ps7.items()}
    parameters |= {f"PCW_MIO_{pin}_SLEW": "slow" for pin in range(54)}
    parameters |= {f"PCW_MIO_{pin}_IOTYPE": "HSTL 1.8V" for pin in ps7_rules.mio(facts.mio["hstl"])}
    for pins in facts.mio["no_pullup"]:
        parameters |= {f"PCW_MIO_{pin}_PULLUP": "disabled" for pin in ps7_rules.mio(pins)}
    ps = names.PS
    return [
        "# The processing system: CPUs, DDR3, boot devices, console.",
        _cell(ps, "xilinx.com:ip:processing_system7", parameters),
        "create_bd_intf_port -mode Master -vlnv xilinx.com:interface:ddrx_rtl:1.0 DDR",
        "create_bd_intf_port -mode Master -vlnv xilinx.com:display_processing_system7:fixedio_rtl:1.0 FIXED_IO",
        f"connect_bd_intf_net [get_bd_intf_ports DDR] [get_bd_intf_pins {ps}/DDR]",
        f"connect_bd_intf_net [get_bd_intf_ports FIXED_IO] [get_bd_intf_pins {ps}/FIXED_IO]",
        f"wire {ps}/FCLK_CLK0 {ps}/M_AXI_GP0_ACLK {ps}/S_AXI_HP0_ACLK {ps}/S_AXI_HP1_ACLK",
    ]


def _clocks(facts: Facts) -> list[str]:
    clock = {
        "PRIM_SOURCE": "Global_buffer",
        "PRIM_IN_FREQ": f"{facts.clocks['controller']:.3f}",
        "CLKOUT1_REQUESTED_OUT_FREQ": f"{facts.clocks['nand']:.3f}",
        "JITTER_SEL": "Min_O_Jitter",
        "USE_RESET": "false",
        "USE_LOCKED": "true",
    }
    return [
        "# The clock of NAND's pins, and the reset of all, which lasts until that clock runs.",
        _cell(names.NAND_CLOCK, "xilinx.com:ip:clk_wiz", clock),
        _cell(names.RESET, "xilinx.com:ip:proc_sys_reset"),
        f"wire {names.PS}/FCLK_CLK0 {names.NAND_CLOCK}/clk_in1 {names.RESET}/slowest_sync_clk",
        f"wire {names.PS}/FCLK_RESET0_N {names.RESET}/ext_reset_in",
        f"wire {names.NAND_CLOCK}/locked {names.RESET}/dcm_locked",
    ]


def _pcie(facts: Facts, config: str, wrapper: Wrapper) -> list[str]:
    layout = hardware.endpoint()
    table = 1 << layout["tableBit"]
    parameters = facts.pcie_parameters | {
        "Bar0_Size": str((1 << layout["barBits"]) // 1024),
        "MSIx_Table_Size": f"{hardware.params(config)['queues']:x}",
        "MSIx_Table_Offset": f"{table:x}",
        "MSIx_PBA_Offset": f"{table + (1 << layout['pbaBit']):x}",
    }
    pcie, core = names.PCIE, names.CORE
    lines = [
        "# The PCIe core, its reference clock, and its streams, pin by pin.",
        _cell(names.PCIE_BUFFER, "xilinx.com:ip:util_ds_buf", {"C_BUF_TYPE": "IBUFDSGTE"}),
        _cell(pcie, "xilinx.com:ip:pcie_7x", parameters),
        f"port pcie_ref_clk_p I 1 {names.PCIE_BUFFER}/IBUF_DS_P",
        f"port pcie_ref_clk_n I 1 {names.PCIE_BUFFER}/IBUF_DS_N",
        f"wire {names.PCIE_BUFFER}/IBUF_OUT {pcie}/sys_clk",
        f"port pcie_perst_n I 1 {pcie}/sys_rst_n",
    ]
    for direction, letter in (("I", "r"), ("O", "t")):
        lines += [f"port pcie_{letter}x_{s} {direction} {facts.lanes} {pcie}/pci_exp_{letter}x{s}" for s in "pn"]
    lines.append(f"wire {pcie}/user_clk_out {core}/user_clk_out")
    for port in wrapper.ports:
        if port.clock == "user_clk_out":
            ends = (core, pcie) if port.output else (pcie, core)
            lines.append(f"wire {ends[0]}/{port.name} {ends[1]}/{port.name}")
    return lines


def _nand_group(channels: range, number: int) -> list[str]:
    kes = names.kes(number)
    return [
        f"# What corrects errors for channels {channels[0]} to {channels[-1]}.",
        _cell(kes, "ENCLab:ip:Tiger4SharedKES"),
        f"wire {names.PS}/FCLK_CLK0 {kes}/iClock",
        f"wire {names.CORE}/controller_reset {kes}/iReset",
    ]


def _nand(facts: Facts, channel: int, per_kes: int) -> list[str]:
    nsc, nfc, rom = names.nsc(channel), names.nfc(channel), names.microcode(channel)
    # A memory with a path has it from a variable, which no braces may hide.
    memory = (
        "Write_Width_A 64 Read_Width_A 64 Write_Depth_A 256 Use_Byte_Write_Enable false Enable_32bit_Address false"
        " Use_RSTA_Pin true Register_PortA_Output_of_Memory_Primitives true use_bram_block Stand_Alone"
        " Load_Init_File true Coe_File $microcode"
    )
    lines = [
        f"# NAND channel {channel}.",
        _cell(nsc, "ENCLab:ip:Tiger4NSC"),
        _cell(nfc, "ENCLab:ip:V2NFC100DDR", {"IDelayValue": str(facts.idelay(channel))}),
        f"cell {rom} xilinx.com:ip:blk_mem_gen [list {memory}]",
        f"wire {names.PS}/FCLK_CLK0 {nsc}/iClock {nfc}/iSystemClock",
        f"wire {names.NAND_CLOCK}/clk_out1 {nfc}/iDelayRefClock {nfc}/iOutputDrivingClock",
        f"wire {names.CORE}/controller_reset {nsc}/iReset {nfc}/iReset",
        f"bus {nsc}/NFCInterface {nfc}/NFCInterface",
        f"bus {nsc}/uROMInterface {rom}/BRAM_PORTA",
        f"bus {nsc}/SharedKESInterface {names.kes(channel // per_kes)}/SharedKESInterface_CH{channel % per_kes}",
        f"bus {names.CORE}/m_axil_tiger_{channel} {nsc}/C_AXI",
        f"bus {nsc}/D_AXI {names.CORE}/s_axi_tiger_{channel}",
    ]
    for pin, (direction, bits) in names.NAND_PINS.items():
        lines.append(f"port {names.nand_port(pin, channel)} {direction} {bits} {nfc}/{pin}")
    return lines


def _buses() -> list[str]:
    lines = ["# Buses between our core and the processing system. Interconnects convert widths and protocols."]
    for bus, master, slave in (
        (names.FW_BUS, f"{names.PS}/M_AXI_GP0", f"{names.CORE}/s_axil_fw"),
        (names.DRAM_BUS, f"{names.CORE}/m_axi_dram", f"{names.PS}/S_AXI_HP0"),
        (names.NVRAM_BUS, f"{names.CORE}/m_axi_nvram", f"{names.PS}/S_AXI_HP1"),
    ):
        clocks = " ".join(f"{bus}/{port}ACLK" for port in ("", "S00_", "M00_"))
        lines += [
            _cell(bus, "xilinx.com:ip:axi_interconnect", {"NUM_SI": "1", "NUM_MI": "1"}),
            f"wire {names.PS}/FCLK_CLK0 {clocks}",
            f"wire {names.RESET}/interconnect_aresetn {bus}/ARESETN",
            f"wire {names.RESET}/peripheral_aresetn {bus}/S00_ARESETN {bus}/M00_ARESETN",
            f"bus {master} {bus}/S00_AXI",
            f"bus {bus}/M00_AXI {slave}",
        ]
    return [*lines, f"wire {names.CORE}/fw_irq {names.PS}/IRQ_F2P"]


def _addresses(facts: Facts, channels: int) -> list[str]:
    window = memory_map.region("fw")
    lines = [
        "# Addresses. The core adds the places of its memories in DDR by itself.",
        f"place {names.PS}/Data {names.CORE}/s_axil_fw/reg0 {window.address:#x} 64K",
        f"place {names.CORE}/m_axi_dram {names.PS}/S_AXI_HP0/HP0_DDR_LOWOCM 0x0 {facts.memory:#x}",
        f"place {names.CORE}/m_axi_nvram {names.PS}/S_AXI_HP1/HP1_DDR_LOWOCM 0x0 {facts.memory:#x}",
    ]
    for channel in range(channels):
        core, nsc = names.CORE, names.nsc(channel)
        lines.append(f"place {core}/m_axil_tiger_{channel} {nsc}/C_AXI/reg0 0x0 64K")
        lines.append(f"place {nsc}/D_AXI {core}/s_axi_tiger_{channel}/reg0 0x0 1M")
    return lines
