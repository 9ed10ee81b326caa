# SPDX-License-Identifier: Apache-2.0
"""Whether a block design is right: what is in it, that all is wired, to what, with which clock and at which address.

It knows the design from what the Tcl does (block_design.py), not from what wrote the Tcl.
"""

from __future__ import annotations

from collections import Counter

from launcher.boards.cosmos import memory_map, names, ps7_rules
from launcher.boards.cosmos.block_design import BlockDesign
from launcher.boards.cosmos.board_facts import Facts
from launcher.hw import facts as hardware

_FLOW = {"in": "I", "out": "O", "inout": "IO"}
_TIGER_WINDOW = 1 << 20  # Tiger4Layout.windowBits
_NSC, _NFC, _KES = "ENCLab:ip:Tiger4NSC", "ENCLab:ip:V2NFC100DDR", "ENCLab:ip:Tiger4SharedKES"
_ROM = "xilinx.com:ip:blk_mem_gen"
_SINGLE = {
    "xilinx.com:ip:processing_system7": names.PS,
    "xilinx.com:ip:proc_sys_reset": names.RESET,
    "xilinx.com:ip:clk_wiz": names.NAND_CLOCK,
    "xilinx.com:ip:pcie_7x": names.PCIE,
    "xilinx.com:ip:util_ds_buf": names.PCIE_BUFFER,
    names.CORE_MODULE: names.CORE,
}
# What settles a signal of another clock at its destination, for pins that are `async` in ips.toml.
SYNCHRONISERS = {
    ("xilinx.com:ip:proc_sys_reset", "ext_reset_in"): "flip-flops of proc_sys_reset",
    ("xilinx.com:ip:proc_sys_reset", "dcm_locked"): "flip-flops of proc_sys_reset",
    ("xilinx.com:ip:processing_system7", "IRQ_F2P"): "the interrupt controller; the level holds until firmware acts",
    ("xilinx.com:ip:pcie_7x", "sys_rst_n"): "the PCIe core's reset logic",
    (names.CORE_MODULE, "reset"): "ResetCrossing, one for each clock",
}


def problems(facts: Facts, config: str, design: BlockDesign) -> list[str]:
    """What is wrong with it, one line each."""
    channels = hardware.params(config)["channels"]
    found = _cells(facts, channels, design)
    if found:  # the rest looks cells up by their names
        return found
    found += _wired(design) + _buses(design) + _ports(facts, channels, design)
    found += _clocks(facts, design) + crossings(facts, design)[1] + _resets(design)
    found += _channels(facts, channels, design)
    given = {name.removeprefix("PCW_"): value for name, value in design.parameters[names.PS].items()}
    found += ps7_rules.problems(facts, given) + _pcie(facts, config, design)
    return found + _addresses(facts, config, design) + _interrupt(design)


def crossings(facts: Facts, design: BlockDesign) -> tuple[list[str], list[str]]:
    """Nets between clocks: those that are settled at their destination, and those that are wrong."""
    listed, wrong = [], []
    domain = {end: _domain(design, end) for net in design.nets for end in net}
    for net in design.nets:
        driver = next((end for end in sorted(net) if design.drives(end)), None)
        for end in sorted(net - {driver}):
            pin = design.pin(end)
            if driver is None or pin is None or design.drives(end) or pin.clock in ("clock", "pad"):
                continue
            if pin.clock == "async":
                how = SYNCHRONISERS.get((design.ips[end.split("/")[0]].vlnv, end.split("/")[1]))
                if how is None:
                    wrong.append(f"{driver} to {end}: nothing is known that settles it")
                else:
                    listed.append(f"{driver} to {end}: {how}")
            elif domain[driver] != domain[end]:
                wrong.append(f"{driver} to {end}: from {domain[driver] or 'no clock'} to {domain[end] or 'no clock'}")
    return listed, wrong


def _domain(design: BlockDesign, end: str) -> str | None:
    """The source of the clock that a pin is in step with."""
    pin = design.pin(end)
    if pin is None or pin.clock in ("async", "pad", "clock"):
        return None
    clock = f"{end.split('/')[0]}/{pin.clock}"
    own = design.pin(clock)
    return clock if own is not None and own.direction == "out" else design.driver(clock)


def _cells(facts: Facts, channels: int, design: BlockDesign) -> list[str]:
    per_kes = int(facts.nand["channels_of_kes"])
    wanted = {
        **{vlnv: [cell] for vlnv, cell in _SINGLE.items()},
        _NSC: [names.nsc(i) for i in range(channels)],
        _NFC: [names.nfc(i) for i in range(channels)],
        _ROM: [names.microcode(i) for i in range(channels)],
        _KES: [names.kes(i) for i in range((channels + per_kes - 1) // per_kes)],
        "xilinx.com:ip:axi_interconnect": [names.FW_BUS, names.DRAM_BUS, names.NVRAM_BUS],
    }
    found = []
    for vlnv, cells in wanted.items():
        if sorted(design.cells_of(vlnv)) != sorted(cells):
            found.append(f"{vlnv}: cells {', '.join(design.cells_of(vlnv)) or 'none'}, not {', '.join(cells)}")
    found += [f"{cell}: a {ip.vlnv} that nobody needs" for cell, ip in design.ips.items() if ip.vlnv not in wanted]
    return found


def _wired(design: BlockDesign) -> list[str]:
    """Each input has one driver of its width; each output that is a net's has no other beside it."""
    found = []
    for cell, ip in design.ips.items():
        for name, pin in ip.pins.items():
            if pin.direction == "out" and pin.clock != "pad":
                continue
            if not pin.optional and not design.net_of(f"{cell}/{name}"):
                found.append(f"{cell}/{name}: is not connected")
    for net in design.nets:
        drivers = [end for end in net if design.drives(end)]
        pins = {end: design.pin(end) for end in net}
        both = any(pin is not None and pin.direction == "inout" for pin in pins.values())
        if len(drivers) != (0 if both else 1):
            found.append(f"{', '.join(sorted(net))}: driven by {', '.join(sorted(drivers)) or 'nothing'}")
        if len({pin.bits if pin else design.ports[end][1] for end, pin in pins.items()}) != 1:
            found.append(f"{', '.join(sorted(net))}: of different widths")
    return found


def _buses(design: BlockDesign) -> list[str]:
    found = []
    uses = Counter(end for bus in design.buses for end in bus)
    for cell, ip in design.ips.items():
        for name, interface in ip.interfaces.items():
            used = uses[f"{cell}/{name}"]
            outside = interface.kind in ("ddrx", "fixedio")  # these are ports of the design
            spare = ip.vlnv == _KES and used == 0  # of a channel that is not there
            if used != 1 and not outside and not spare:
                found.append(f"{cell}/{name}: {used} buses lead to it")
    for one, other in design.buses:
        a, b = design.interface(one), design.interface(other)
        if {a.mode, b.mode} != {"master", "slave"} or a.kind != b.kind:
            found.append(f"{one} and {other}: {a.mode} {a.kind} and {b.mode} {b.kind} do not fit")
        if "async" in (a.clock, b.clock):
            continue
        clocks = [design.driver(f"{end.split('/')[0]}/{side.clock}") for end, side in ((one, a), (other, b))]
        if clocks[0] != clocks[1]:
            found.append(f"{one} and {other}: have different clocks, {clocks[0]} and {clocks[1]}")
    return found


def _ports(facts: Facts, channels: int, design: BlockDesign) -> list[str]:
    wanted = names.ports(channels, facts.lanes)
    found = [f"{port}: there is no such port" for port in wanted.keys() - design.ports.keys()]
    for port, (direction, bits) in design.ports.items():
        if port not in wanted:
            found.append(f"{port}: the board has no such signal")
        elif bits != wanted[port]:
            found.append(f"{port}: has {bits} bits, the board has {wanted[port]}")
        for end in design.net_of(port) - {port}:
            pin = design.pin(end)
            if pin is None or pin.clock not in ("pad", "async") or _FLOW[pin.direction] != direction:
                found.append(f"{port}: {end} is no pin for a port of direction {direction}")
        if len(design.net_of(port)) != 2:
            found.append(f"{port}: leads to {len(design.net_of(port)) - 1} pins")
    return found


def _clocks(facts: Facts, design: BlockDesign) -> list[str]:
    """Each clock pin has the clock that it should have."""
    found = []
    controller, nand = f"{names.PS}/FCLK_CLK0", f"{names.NAND_CLOCK}/clk_out1"
    special = {
        f"{names.CORE}/user_clk_out": f"{names.PCIE}/user_clk_out",
        f"{names.PCIE}/sys_clk": f"{names.PCIE_BUFFER}/IBUF_OUT",
    }
    for cell, ip in design.ips.items():
        for name, pin in ip.pins.items():
            end = f"{cell}/{name}"
            if pin.clock == "clock" and pin.direction == "in":
                wanted = nand if name in ("iDelayRefClock", "iOutputDrivingClock") else special.get(end, controller)
                if design.driver(end) != wanted:
                    found.append(f"{end}: its clock is {design.driver(end)}, not {wanted}")
    wizard = design.parameters[names.NAND_CLOCK]
    rates = {
        "PRIM_IN_FREQ": facts.clocks["controller"],
        "CLKOUT1_REQUESTED_OUT_FREQ": facts.clocks["nand"],
    }
    for name, mhz in rates.items():
        if float(wizard.get(name, "nan")) != mhz:
            found.append(f"{names.NAND_CLOCK}: {name} is {wizard.get(name)}, the board has {mhz}")
    if wizard.get("USE_RESET") != "false":
        found.append(f"{names.NAND_CLOCK}: a reset that waits for this clock must not reset it")
    return found


def _resets(design: BlockDesign) -> list[str]:
    """The NAND controllers have the reset that our ports to them have (Tiger4Port). It is the core's own."""
    wanted = {f"{names.CORE}/reset": f"{names.RESET}/peripheral_reset"}
    for vlnv in (_NSC, _NFC, _KES):
        wanted |= {f"{cell}/iReset": f"{names.CORE}/controller_reset" for cell in design.cells_of(vlnv)}
    return [
        f"{end}: its reset is {design.driver(end)}, not {source}"
        for end, source in wanted.items()
        if design.driver(end) != source
    ]


def _channels(facts: Facts, channels: int, design: BlockDesign) -> list[str]:
    """A channel of the core leads to the pins of that channel of the board."""
    found = []
    per_kes = int(facts.nand["channels_of_kes"])
    for channel in range(channels):
        nsc, nfc = names.nsc(channel), names.nfc(channel)
        kes = f"{names.kes(channel // per_kes)}/SharedKESInterface_CH{channel % per_kes}"
        wanted = {
            f"{names.CORE}/m_axil_tiger_{channel}": f"{nsc}/C_AXI",
            f"{names.CORE}/s_axi_tiger_{channel}": f"{nsc}/D_AXI",
            f"{nsc}/NFCInterface": f"{nfc}/NFCInterface",
            f"{nsc}/uROMInterface": f"{names.microcode(channel)}/BRAM_PORTA",
            f"{nsc}/SharedKESInterface": kes,
        }
        for one, other in wanted.items():
            if design.other_side(one) != other:
                found.append(f"channel {channel}: {one} leads to {design.other_side(one)}, not {other}")
        for pin in names.NAND_PINS:
            if names.nand_port(pin, channel) not in design.net_of(f"{nfc}/{pin}"):
                found.append(f"channel {channel}: {nfc}/{pin} does not lead to {names.nand_port(pin, channel)}")
        delay = design.parameters[nfc].get("IDelayValue")
        if delay != str(facts.idelay(channel)):
            found.append(f"{nfc}: IDelayValue is {delay}, the board has {facts.idelay(channel)}")
        code = design.parameters[names.microcode(channel)]
        if not code.get("Coe_File") or code.get("Load_Init_File") != "true":
            found.append(f"{names.microcode(channel)}: has no microcode")
    return found


def _pcie(facts: Facts, config: str, design: BlockDesign) -> list[str]:
    given = design.parameters[names.PCIE]
    layout = hardware.endpoint()
    wanted = facts.pcie_parameters | {
        "Bar0_Size": str((1 << layout["barBits"]) >> 10),
        "MSIx_Table_Size": f"{hardware.params(config)['queues']:x}",
        "MSIx_Table_Offset": f"{1 << layout['tableBit']:x}",
        "MSIx_PBA_Offset": f"{(1 << layout['tableBit']) + (1 << layout['pbaBit']):x}",
    }
    found = [
        f"{names.PCIE}: {name} is {given.get(name)}, not {value}"
        for name, value in wanted.items()
        if given.get(name) != value
    ]
    if float(given.get("User_Clk_Freq", "nan")) != facts.clocks["pcie_user"]:
        found.append(f"{names.PCIE}: its clock is not {facts.clocks['pcie_user']} MHz")
    if (
        given.get("Interface_Width") != f"{facts.stream_bits}_bit"
        or given.get("Maximum_Link_Width") != f"X{facts.lanes}"
    ):
        found.append(f"{names.PCIE}: its streams are not {facts.stream_bits} bits of {facts.lanes} lanes")
    # 8b/10b code: a byte takes ten bits of a lane.
    if facts.lanes * 5.0e9 / 10 != facts.stream_bits / 8 * facts.clocks["pcie_user"] * 1e6:
        found.append(f"{names.PCIE}: its streams carry more or less than its lanes at 5 GT/s")
    # Each pin of our core for it has the name of one of its pins.
    for name, pin in design.ips[names.CORE].pins.items():
        ends = {f"{names.CORE}/{name}", f"{names.PCIE}/{name}"}
        if pin.clock == "user_clk_out" and design.net_of(f"{names.CORE}/{name}") != ends:
            found.append(f"{names.CORE}/{name}: does not lead to {names.PCIE}/{name} alone")
    buffer = design.parameters[names.PCIE_BUFFER].get("C_BUF_TYPE")
    if buffer != "IBUFDSGTE":
        found.append(f"{names.PCIE_BUFFER}: {buffer} is no buffer for a transceiver's reference clock")
    return found


def _addresses(facts: Facts, config: str, design: BlockDesign) -> list[str]:
    params = hardware.params(config)
    window = memory_map.region("fw")
    found = []
    by_slave = {(segment.space, segment.slave.rsplit("/", 1)[0]): segment for segment in design.segments}
    wanted: dict[tuple[str, str], tuple[int, int]] = {
        (f"{names.PS}/Data", f"{names.CORE}/s_axil_fw"): (window.address, 1 << 16),
        (f"{names.CORE}/m_axi_dram", f"{names.PS}/S_AXI_HP0"): (0, facts.memory),
        (f"{names.CORE}/m_axi_nvram", f"{names.PS}/S_AXI_HP1"): (0, facts.memory),
    }
    for channel in range(params["channels"]):
        nsc = names.nsc(channel)
        wanted[(f"{names.CORE}/m_axil_tiger_{channel}", f"{nsc}/C_AXI")] = (0, 1 << 16)
        wanted[(f"{nsc}/D_AXI", f"{names.CORE}/s_axi_tiger_{channel}")] = (0, _TIGER_WINDOW)
    for (space, slave), (offset, size) in wanted.items():
        segment = by_slave.pop((space, slave), None)
        if segment is None:
            found.append(f"{slave}: has no address in {space}")
        elif (segment.offset, segment.bytes) != (offset, size):
            found.append(f"{slave}: is at {segment.offset:#x}, {segment.bytes:#x} bytes, not at {offset:#x}, {size:#x}")
    found += [f"{slave}: an address in {space} that nobody needs" for space, slave in by_slave]
    if window.bytes < 1 << 16:
        found.append("zynq.yaml: the firmware's window is smaller than its registers")
    for name in ("dram", "nvram"):
        region = memory_map.region(name)
        if params[f"{name}Bytes"] > region.bytes:
            found.append(f"{name}: {config} needs {params[f'{name}Bytes']:#x} bytes, zynq.yaml has {region.bytes:#x}")
    return found


def _interrupt(design: BlockDesign) -> list[str]:
    driver = design.driver(f"{names.PS}/IRQ_F2P")
    return [] if driver == f"{names.CORE}/fw_irq" else [f"IRQ_F2P: driven by {driver}, not by the controller"]
