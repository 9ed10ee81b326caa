# SPDX-License-Identifier: Apache-2.0
# Written from board.toml and pins.csv. Do not edit: run python -m launcher.boards.cosmos.xdc
# Part: xc7z045ffg900-3

# Pins. The core's own constraints place its transceivers; these lanes lead to the same ones.
set_property -dict {PACKAGE_PIN AB16 IOSTANDARD LVCMOS33 PULLDOWN TRUE} [get_ports {pcie_perst_n}]
set_property -dict {PACKAGE_PIN N7} [get_ports {pcie_ref_clk_n}]
set_property -dict {PACKAGE_PIN N8} [get_ports {pcie_ref_clk_p}]
set_property -dict {PACKAGE_PIN P5} [get_ports {pcie_rx_n[0]}]
set_property -dict {PACKAGE_PIN T5} [get_ports {pcie_rx_n[1]}]
set_property -dict {PACKAGE_PIN U3} [get_ports {pcie_rx_n[2]}]
set_property -dict {PACKAGE_PIN V5} [get_ports {pcie_rx_n[3]}]
set_property -dict {PACKAGE_PIN AA3} [get_ports {pcie_rx_n[4]}]
set_property -dict {PACKAGE_PIN Y5} [get_ports {pcie_rx_n[5]}]
set_property -dict {PACKAGE_PIN AB5} [get_ports {pcie_rx_n[6]}]
set_property -dict {PACKAGE_PIN AC3} [get_ports {pcie_rx_n[7]}]
set_property -dict {PACKAGE_PIN P6} [get_ports {pcie_rx_p[0]}]
set_property -dict {PACKAGE_PIN T6} [get_ports {pcie_rx_p[1]}]
set_property -dict {PACKAGE_PIN U4} [get_ports {pcie_rx_p[2]}]
set_property -dict {PACKAGE_PIN V6} [get_ports {pcie_rx_p[3]}]
set_property -dict {PACKAGE_PIN AA4} [get_ports {pcie_rx_p[4]}]
set_property -dict {PACKAGE_PIN Y6} [get_ports {pcie_rx_p[5]}]
set_property -dict {PACKAGE_PIN AB6} [get_ports {pcie_rx_p[6]}]
set_property -dict {PACKAGE_PIN AC4} [get_ports {pcie_rx_p[7]}]
set_property -dict {PACKAGE_PIN N3} [get_ports {pcie_tx_n[0]}]
set_property -dict {PACKAGE_PIN P1} [get_ports {pcie_tx_n[1]}]
set_property -dict {PACKAGE_PIN R3} [get_ports {pcie_tx_n[2]}]
set_property -dict {PACKAGE_PIN T1} [get_ports {pcie_tx_n[3]}]
set_property -dict {PACKAGE_PIN V1} [get_ports {pcie_tx_n[4]}]
set_property -dict {PACKAGE_PIN W3} [get_ports {pcie_tx_n[5]}]
set_property -dict {PACKAGE_PIN Y1} [get_ports {pcie_tx_n[6]}]
set_property -dict {PACKAGE_PIN AB1} [get_ports {pcie_tx_n[7]}]
set_property -dict {PACKAGE_PIN N4} [get_ports {pcie_tx_p[0]}]
set_property -dict {PACKAGE_PIN P2} [get_ports {pcie_tx_p[1]}]
set_property -dict {PACKAGE_PIN R4} [get_ports {pcie_tx_p[2]}]
set_property -dict {PACKAGE_PIN T2} [get_ports {pcie_tx_p[3]}]
set_property -dict {PACKAGE_PIN V2} [get_ports {pcie_tx_p[4]}]
set_property -dict {PACKAGE_PIN W4} [get_ports {pcie_tx_p[5]}]
set_property -dict {PACKAGE_PIN Y2} [get_ports {pcie_tx_p[6]}]
set_property -dict {PACKAGE_PIN AB2} [get_ports {pcie_tx_p[7]}]

# The connector's reference clock. The core's constraints derive the others from it.
create_clock -name pcie_refclk -period 10.000 [get_ports pcie_ref_clk_p]

# The core synchronises its reset.
set_false_path -from [get_ports pcie_perst_n]
