# SPDX-License-Identifier: Apache-2.0
# Written from board.toml and pins.csv. Do not edit: run python -m launcher.boards.cosmos.xdc
# Part: xc7z045ffg900-3

# The processing system's constraints have its clock, the clock wizard's have that of the NAND pins, and the
# PCIe core's have its own. What is left are the paths between controller and PCIe core.
set_max_delay -datapath_only -from [get_clocks clk_fpga_0] \
    -to [get_clocks -of_objects [get_pins cosmos_i/pcie/user_clk_out]] 4.000
set_max_delay -datapath_only -from [get_clocks -of_objects [get_pins cosmos_i/pcie/user_clk_out]] \
    -to [get_clocks clk_fpga_0] 4.000
