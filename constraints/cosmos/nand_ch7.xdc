# SPDX-License-Identifier: Apache-2.0
# Written from board.toml and pins.csv. Do not edit: run python -m launcher.boards.cosmos.xdc
# Part: xc7z045ffg900-3

# Pins
set_property -dict {PACKAGE_PIN A17 IOSTANDARD LVCMOS18 SLEW FAST} [get_ports {IO_NAND_CH7_DQ[0]}]
set_property -dict {PACKAGE_PIN B17 IOSTANDARD LVCMOS18 SLEW FAST} [get_ports {IO_NAND_CH7_DQ[1]}]
set_property -dict {PACKAGE_PIN C17 IOSTANDARD LVCMOS18 SLEW FAST} [get_ports {IO_NAND_CH7_DQ[2]}]
set_property -dict {PACKAGE_PIN B16 IOSTANDARD LVCMOS18 SLEW FAST} [get_ports {IO_NAND_CH7_DQ[3]}]
set_property -dict {PACKAGE_PIN D16 IOSTANDARD LVCMOS18 SLEW FAST} [get_ports {IO_NAND_CH7_DQ[4]}]
set_property -dict {PACKAGE_PIN C16 IOSTANDARD LVCMOS18 SLEW FAST} [get_ports {IO_NAND_CH7_DQ[5]}]
set_property -dict {PACKAGE_PIN E15 IOSTANDARD LVCMOS18 SLEW FAST} [get_ports {IO_NAND_CH7_DQ[6]}]
set_property -dict {PACKAGE_PIN E16 IOSTANDARD LVCMOS18 SLEW FAST} [get_ports {IO_NAND_CH7_DQ[7]}]
set_property -dict {PACKAGE_PIN D14 IOSTANDARD DIFF_SSTL18_II SLEW FAST} [get_ports {IO_NAND_CH7_DQS_N}]
set_property -dict {PACKAGE_PIN D15 IOSTANDARD DIFF_SSTL18_II SLEW FAST} [get_ports {IO_NAND_CH7_DQS_P}]
set_property -dict {PACKAGE_PIN K13 IOSTANDARD SSTL18_II SLEW FAST} [get_ports {I_NAND_CH7_RB[0]}]
set_property -dict {PACKAGE_PIN J14 IOSTANDARD SSTL18_II SLEW FAST} [get_ports {I_NAND_CH7_RB[1]}]
set_property -dict {PACKAGE_PIN H14 IOSTANDARD SSTL18_II SLEW FAST} [get_ports {I_NAND_CH7_RB[2]}]
set_property -dict {PACKAGE_PIN K15 IOSTANDARD SSTL18_II SLEW FAST} [get_ports {I_NAND_CH7_RB[3]}]
set_property -dict {PACKAGE_PIN J15 IOSTANDARD SSTL18_II SLEW FAST} [get_ports {I_NAND_CH7_RB[4]}]
set_property -dict {PACKAGE_PIN J16 IOSTANDARD SSTL18_II SLEW FAST} [get_ports {I_NAND_CH7_RB[5]}]
set_property -dict {PACKAGE_PIN B12 IOSTANDARD SSTL18_II SLEW FAST} [get_ports {I_NAND_CH7_RB[6]}]
set_property -dict {PACKAGE_PIN C12 IOSTANDARD SSTL18_II SLEW FAST} [get_ports {I_NAND_CH7_RB[7]}]
set_property -dict {PACKAGE_PIN F14 IOSTANDARD SSTL18_II SLEW FAST} [get_ports {O_NAND_CH7_ALE}]
set_property -dict {PACKAGE_PIN G17 IOSTANDARD LVCMOS18 SLEW SLOW} [get_ports {O_NAND_CH7_CE[0]}]
set_property -dict {PACKAGE_PIN G16 IOSTANDARD LVCMOS18 SLEW SLOW} [get_ports {O_NAND_CH7_CE[1]}]
set_property -dict {PACKAGE_PIN G15 IOSTANDARD LVCMOS18 SLEW SLOW} [get_ports {O_NAND_CH7_CE[2]}]
set_property -dict {PACKAGE_PIN G14 IOSTANDARD LVCMOS18 SLEW SLOW} [get_ports {O_NAND_CH7_CE[3]}]
set_property -dict {PACKAGE_PIN G12 IOSTANDARD LVCMOS18 SLEW SLOW} [get_ports {O_NAND_CH7_CE[4]}]
set_property -dict {PACKAGE_PIN F12 IOSTANDARD LVCMOS18 SLEW SLOW} [get_ports {O_NAND_CH7_CE[5]}]
set_property -dict {PACKAGE_PIN F13 IOSTANDARD LVCMOS18 SLEW SLOW} [get_ports {O_NAND_CH7_CE[6]}]
set_property -dict {PACKAGE_PIN E12 IOSTANDARD LVCMOS18 SLEW SLOW} [get_ports {O_NAND_CH7_CE[7]}]
set_property -dict {PACKAGE_PIN F15 IOSTANDARD SSTL18_II SLEW FAST} [get_ports {O_NAND_CH7_CLE}]
set_property -dict {PACKAGE_PIN E17 IOSTANDARD DIFF_SSTL18_II SLEW FAST} [get_ports {O_NAND_CH7_RE_N}]
set_property -dict {PACKAGE_PIN F17 IOSTANDARD DIFF_SSTL18_II SLEW FAST} [get_ports {O_NAND_CH7_RE_P}]
set_property -dict {PACKAGE_PIN E13 IOSTANDARD SSTL18_II SLEW FAST} [get_ports {O_NAND_CH7_WE}]
set_property -dict {PACKAGE_PIN C14 IOSTANDARD LVCMOS18 SLEW SLOW} [get_ports {O_NAND_CH7_WP}]

# The strobe from NAND clocks DQ on both edges.
create_clock -name ch7_dqs_in -period 10.000 [get_ports IO_NAND_CH7_DQS_P]
set_clock_uncertainty 0.6 [get_clocks ch7_dqs_in]
set_clock_latency -source 0.5 [get_clocks ch7_dqs_in]
set_input_delay -clock ch7_dqs_in -max 6.0 [get_ports {IO_NAND_CH7_DQ[*]}]
set_input_delay -clock ch7_dqs_in -add_delay -min 4.0 [get_ports {IO_NAND_CH7_DQ[*]}]
set_input_delay -clock ch7_dqs_in -clock_fall -add_delay -max 6.0 [get_ports {IO_NAND_CH7_DQ[*]}]
set_input_delay -clock ch7_dqs_in -clock_fall -add_delay -min 4.0 [get_ports {IO_NAND_CH7_DQ[*]}]

# The strobe to NAND, from the serialiser to its pin; DQ goes with it.
create_generated_clock -add -multiply_by 1 -name ch7_dqs_root -source [get_pins cosmos_i/nand_clock/inst/clk_out1] \
    -master_clock [get_clocks -of_objects [get_pins cosmos_i/nand_clock/inst/clk_out1]] \
    [get_pins cosmos_i/nfc_7/inst/Inst_NPhy_Toggle_Top/Inst_NPhy_Toggle_Physical_Output/Inst_DQSOSERDES/OQ]
create_generated_clock -add -multiply_by 1 -name ch7_dqs_out \
    -source [get_pins cosmos_i/nfc_7/inst/Inst_NPhy_Toggle_Top/Inst_NPhy_Toggle_Physical_Output/Inst_DQSOSERDES/OQ] \
    -master_clock [get_clocks ch7_dqs_root] [get_ports IO_NAND_CH7_DQS_P]
set_output_delay -clock ch7_dqs_out 1.0 [get_ports {IO_NAND_CH7_DQ[*]}]
set_output_delay -clock ch7_dqs_out -clock_fall -add_delay 1.0 [get_ports {IO_NAND_CH7_DQ[*]}]

# WE clocks commands and addresses. RE is a clock, too, so that tools keep it one.
create_generated_clock -add -multiply_by 1 -name ch7_we -source [get_pins cosmos_i/nand_clock/inst/clk_out1] \
    -master_clock [get_clocks -of_objects [get_pins cosmos_i/nand_clock/inst/clk_out1]] [get_ports O_NAND_CH7_WE]
create_generated_clock -add -multiply_by 1 -name ch7_re -source [get_pins cosmos_i/nand_clock/inst/clk_out1] \
    -master_clock [get_clocks -of_objects [get_pins cosmos_i/nand_clock/inst/clk_out1]] [get_ports O_NAND_CH7_RE_P]
set_output_delay -clock ch7_we 1.0 [get_ports {O_NAND_CH7_CE[*]}]
set_output_delay -clock ch7_we 1.0 [get_ports O_NAND_CH7_ALE]
set_output_delay -clock ch7_we -clock_fall -add_delay 1.0 [get_ports O_NAND_CH7_ALE]
set_output_delay -clock ch7_we 1.0 [get_ports O_NAND_CH7_CLE]
set_output_delay -clock ch7_we -clock_fall -add_delay 1.0 [get_ports O_NAND_CH7_CLE]

# The PHY orders these by its protocol; no edge of one is near an edge of the other that matters.
set_false_path -from [get_clocks clk_fpga_0] -to [get_clocks ch7_dqs_out]
set_false_path -from [get_clocks ch7_dqs_out] -to [get_clocks clk_fpga_0]
set_false_path -from [get_clocks ch7_dqs_in] -to [get_clocks ch7_dqs_out]
set_false_path -from [get_clocks ch7_dqs_out] -to [get_clocks ch7_dqs_in]

# Places: the FIFO beside DQ, and the delay of the strobe, which one controller calibrates in each bank.
set_property BEL IN_FIFO \
    [get_cells cosmos_i/nfc_7/inst/Inst_NPhy_Toggle_Top/Inst_NPhy_Toggle_Physical_Input/Inst_DQINFIFO4x4]
set_property LOC IN_FIFO_X1Y25 \
    [get_cells cosmos_i/nfc_7/inst/Inst_NPhy_Toggle_Top/Inst_NPhy_Toggle_Physical_Input/Inst_DQINFIFO4x4]
set_property IODELAY_GROUP dqs_bank_35 \
    [get_cells cosmos_i/nfc_7/inst/Inst_NPhy_Toggle_Top/Inst_NPhy_Toggle_Physical_Input/Inst_DQSIDELAY]
set_property IODELAY_GROUP dqs_bank_35 \
    [get_cells cosmos_i/nfc_7/inst/Inst_NPhy_Toggle_Top/Inst_NPhy_Toggle_Physical_Input/Inst_DQSIDELAYCTRL]
